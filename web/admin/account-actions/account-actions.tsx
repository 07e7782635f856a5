import type { ComponentChildren } from 'preact';
import { rich, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { isErased } from '../parts/flags.js';
import { can, type Operation } from '../rights.js';
import { Access } from './access.js';
import { type AccountActionsProps, aclsBeyondOwn, isSelf, nameOf } from './account.js';
import { Contact } from './contact.js';
import './account-actions.css';
import { Ending } from './ending.js';
import { Factors } from './factors.js';
import { Permissions } from './permissions.js';

export type { AccountActionsProps } from './account.js';

/** One operation per ACL. Administrators with none of them see no operations. */
const OPERATIONS: readonly Operation[] = [
  ['put', '/v1/admin/users/{user_id}/acls'],
  ['patch', '/v1/admin/users/{user_id}/flags'],
  ['put', '/v1/admin/users/{user_id}/traits'],
  ['put', '/v1/admin/users/{user_id}/suspicious-activity-flags'],
  ['put', '/v1/admin/users/{user_id}/suspicious-activity-disablement'],
  ['put', '/v1/admin/users/{user_id}/ban'],
  ['put', '/v1/admin/users/{user_id}/deletion'],
  ['patch', '/v1/admin/users/{user_id}/email'],
  ['put', '/v1/admin/users/{user_id}/phone-verification'],
  ['delete', '/v1/admin/users/{user_id}/mfa'],
  ['put', '/v1/admin/users/{user_id}/sso-identity'],
];

const codes = (acls: readonly string[]): ComponentChildren =>
  acls.map((acl, index) => (
    <span key={acl}>
      {index > 0 && ' '}
      <code dir="ltr">{acl}</code>
    </span>
  ));

/** Explains why some operations are not available. */
function Bounds({ user }: AccountActionsProps) {
  const name = <bdi key="name">{nameOf(user)}</bdi>;
  const beyond = aclsBeyondOwn(user);
  if (isErased(user)) {
    return (
      <Notice isAnnounced={false}>
        <p>{t('adminActions.gone')}</p>
      </Notice>
    );
  }
  if (beyond.length > 0) {
    return (
      <Notice kind="warn" isAnnounced={false}>
        <p>{rich('adminActions.beyond', { name, acls: <span key="acls">{codes(beyond)}</span> })}</p>
      </Notice>
    );
  }
  if (isSelf(user)) {
    return (
      <Notice isAnnounced={false}>
        <p>{t('adminActions.own')}</p>
      </Notice>
    );
  }
  if (!user.bot) return null;
  return (
    <Notice isAnnounced={false}>
      <p>{rich('adminActions.bot', { name })}</p>
    </Notice>
  );
}

/** All operations on an account. */
export function AccountActions(props: AccountActionsProps) {
  if (!OPERATIONS.some((operation) => can(...operation))) return null;
  return (
    <section class="stack account-actions" aria-label={t('adminActions.title')}>
      <h2>{t('adminActions.title')}</h2>
      <Bounds {...props} />
      <Access {...props} />
      <Contact {...props} />
      <Factors {...props} />
      <Permissions {...props} />
      <Ending {...props} />
    </section>
  );
}
