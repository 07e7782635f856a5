import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { rich, type TranslationKey, t } from '../../core/language.js';
import { Menu } from '../../kit/menu.js';
import { Notice } from '../../kit/notice.js';
import { isErased } from '../parts/flags.js';
import { can, type Operation } from '../rights.js';
import { ACCESS } from './access.js';
import { type AccountActionsProps, aclsBeyondOwn, isSelf, nameOf } from './account.js';
import { CONTACT } from './contact.js';
import { ENDING } from './ending.js';
import type { AccountAction } from './parts.js';
import { SECURITY } from './security.js';

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
export function Bounds({ user }: Pick<AccountActionsProps, 'user'>) {
  if (!OPERATIONS.some((operation) => can(...operation))) return null;
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

const GROUPS: readonly (readonly [title: TranslationKey, actions: readonly AccountAction[]])[] = [
  ['adminActions.contact', CONTACT],
  ['admin.security', SECURITY],
  ['adminActions.access', ACCESS],
  ['adminActions.ending', ENDING],
];

/** A menu of all operations on an account. Each opens a dialog. */
export function AccountActions(props: AccountActionsProps) {
  const chosen = useSignal<AccountAction | null>(null);
  const groups = GROUPS.map(([title, actions]) => ({
    label: t(title),
    items: actions
      .filter((action) => action.isOffered(props.user))
      .map((action) => ({
        label: t(action.label?.(props.user) ?? `adminActions.${action.name}`),
        onChoose: () => {
          chosen.value = action;
        },
      })),
  })).filter(({ items }) => items.length > 0);
  const Form = chosen.value?.Form;
  const close = () => {
    chosen.value = null;
  };
  return (
    <>
      {groups.length > 0 && <Menu label={t('adminActions.title')} groups={groups} />}
      {Form && <Form {...props} onClose={close} />}
    </>
  );
}
