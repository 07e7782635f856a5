import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { api } from '../../core/api.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import { InnerLink } from '../../kit/opened.js';
import { Entries } from '../parts/entries.js';
import { can, me } from '../rights.js';
import type { AboutProps } from './account.js';
import { useFresh } from './fresh.js';

/** Number of entries shown here. The audit log has all. */
const NEWEST = 10;

interface PartProps {
  readonly of: 'about' | 'by' | 'keys';
  /** The filter, which is also the query of the audit log. */
  readonly query: Readonly<Record<string, string>>;
  readonly turn: ReadonlySignal<number>;
  readonly children?: ComponentChildren;
}

const WORDS = {
  about: ['adminPerson.about', 'adminPerson.aboutNone', 'adminPerson.aboutAll'],
  by: ['adminPerson.by', 'adminPerson.byNone', 'adminPerson.byAll'],
  keys: ['adminPerson.keys', 'adminPerson.keysNone', 'adminPerson.keysAll'],
} as const satisfies Record<string, readonly TranslationKey[]>;

function Part({ of, query, turn, children }: PartProps) {
  const [title, none, all] = WORDS[of];
  const found = useFresh(() => api.get('/v1/admin/audit-logs', { query: { ...query, limit: NEWEST } }), turn);
  return (
    <section class="section" aria-labelledby={`person-${of}`}>
      <h2 id={`person-${of}`}>{t(title)}</h2>
      {children}
      <Loading of={found}>
        {({ logs }) => (logs.length === 0 ? <p class="quiet">{t(none)}</p> : <Entries of={logs} label={t(title)} />)}
      </Loading>
      <p>
        <InnerLink href={`/admin/audit?${new URLSearchParams(query)}`}>{t(all)}</InnerLink>
      </p>
    </section>
  );
}

/** Keys of other administrators cannot be listed, so only their audit entries are shown. */
const Keys = ({ user: { id }, turn }: AboutProps) => (
  <Part of="keys" query={{ admin_user_id: id, target_type: 'admin_api_key' }} turn={turn}>
    {me.value?.id === id && can('get', '/v1/admin/api-keys') ? (
      <p>
        <InnerLink href="/admin/keys">{t('adminKeys.title')}</InnerLink>
      </p>
    ) : (
      <p class="quiet">{t('adminPerson.keysWhat')}</p>
    )}
  </Part>
);

/** Audit entries of the account. Bots perform no admin operations. */
export const Log = ({ user, turn }: AboutProps) => (
  <>
    <Part of="about" query={{ target_type: 'user', target_id: user.id }} turn={turn} />
    {!user.bot && (
      <>
        <Part of="by" query={{ admin_user_id: user.id }} turn={turn} />
        <Keys user={user} turn={turn} />
      </>
    )}
  </>
);
