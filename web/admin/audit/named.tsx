import { t } from '../../core/language.js';
import { InnerLink } from '../../kit/opened.js';
import { PersonLink, type Summary } from '../parts/person-link.js';
import { can } from '../rights.js';
import { pathOfSingleFilter, pathWith } from './addresses.js';
import type { Entry } from './entry.js';
import { targetText } from './words.js';

const SYSTEM_ACCOUNT_ID = '0';

export const nameOfAccount = ({ username, discriminator }: Summary): string => `${username}#${discriminator}`;

interface AccountProps {
  readonly id: string;
  readonly summary: Summary | null | undefined;
}

/** The name of an account, as a link if the user may open it. */
const Account = ({ id, summary }: AccountProps) =>
  can('get', '/v1/admin/users/{user_id}') ? (
    <PersonLink id={id} summary={summary} />
  ) : (
    <bdi>{summary ? nameOfAccount(summary) : id}</bdi>
  );

/** The actor: an administrator, the console operator, or the reporter of a leaked credential. */
export function Actor({ of: { admin_user_id: id, admin_user: summary, action } }: { readonly of: Entry }) {
  if (id !== SYSTEM_ACCOUNT_ID) return <Account id={id} summary={summary} />;
  return <span>{t(action === 'end_leaked_credential' ? 'adminAudit.finder' : 'adminAudit.console')}</span>;
}

export const KeyLink = ({ id }: { readonly id: string }) => (
  <InnerLink href={pathOfSingleFilter({ target_type: 'admin_api_key', target_id: id })}>
    <bdi>{id}</bdi>
  </InnerLink>
);

export const AddressLink = ({ ip }: { readonly ip: string }) => (
  <InnerLink href={pathWith({ ip })}>
    <bdi>{ip}</bdi>
  </InnerLink>
);

function TargetId({ type, id }: { readonly type: string; readonly id: string }) {
  if (type === 'admin_api_key') return <KeyLink id={id} />;
  if (type === 'ip_ban') return <AddressLink ip={id} />;
  if (type === 'application' && can('get', '/v1/admin/applications/{application_id}')) {
    return (
      <InnerLink href={`/admin/applications?${new URLSearchParams({ id })}`}>
        <bdi>{id}</bdi>
      </InnerLink>
    );
  }
  return <bdi>{id}</bdi>;
}

/** The target of an operation. */
export const Target = ({ of: { target_type: type, target_id: id, target_user: summary } }: { readonly of: Entry }) => (
  <>
    <bdi>{targetText(type)}</bdi>
    {id !== SYSTEM_ACCOUNT_ID && ' '}
    {id !== SYSTEM_ACCOUNT_ID &&
      (type === 'user' ? <Account id={id} summary={summary} /> : <TargetId type={type} id={id} />)}
  </>
);
