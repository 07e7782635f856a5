import { t } from '../../core/language.js';
import { InnerLink } from '../../kit/opened.js';
import { can, hasAcl } from '../rights.js';
import { Hidden } from './hidden.js';

const pathTo = (view: string, ip: string): string => `/admin/${view}?${new URLSearchParams({ ip })}`;

const seesBans = (): boolean =>
  can('get', '/v1/admin/blocklists/ip/entries') ||
  can('post', '/v1/admin/blocklists/ip/entries') ||
  can('delete', '/v1/admin/blocklists/ip/entries/{value}');

/** An IP address with links to its bans and audit entries. Null if it is unknown or hidden. */
export function Address({ ip }: { readonly ip: string | null }) {
  if (!hasAcl('user:view:ip')) return <Hidden acl="user:view:ip" />;
  if (ip === null) return <>{t('device.unknown')}</>;
  const others = <span class="unseen"> {ip}</span>;
  return (
    <span class="row person-address">
      <code dir="ltr">{ip}</code>
      {can('get', '/v1/admin/audit-logs') && (
        <InnerLink href={pathTo('audit', ip)}>
          {t('adminPerson.addressLog')}
          {others}
        </InnerLink>
      )}
      {seesBans() && (
        <InnerLink href={pathTo('bans', ip)}>
          {t('adminPerson.addressBans')}
          {others}
        </InnerLink>
      )}
    </span>
  );
}
