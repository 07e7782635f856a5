import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { AclChoices } from '../acls/choices.js';
import { AclDifference } from '../acls/difference.js';
import { ROLES } from '../acls/role.js';
import { RoleChoice } from '../acls/role-choice.js';
import { hasFlag, maskOf } from '../parts/flags.js';
import { can, hasAcl, registry } from '../rights.js';
import { isOffered } from './account.js';
import { Choices, type Selection, useSelection } from './choices.js';
import { type AccountAction, ActionDialog, type ActionProps, useAccountAction } from './parts.js';

const ACLS = '/v1/admin/users/{user_id}/acls';
const ACCOUNT_FLAGS = '/v1/admin/users/{user_id}/flags';
const TRAITS = '/v1/admin/users/{user_id}/traits';

/** The trait that can be set (admin.md Precisions). */
const CAPTCHA_EXEMPT = 'captcha_exempt';

const FLAG_NAMES = ['STAFF', 'HIGH_GLOBAL_RATE_LIMIT', 'RATE_LIMIT_BYPASS', 'NOT_SUSPICIOUS'] as const;

interface AclFieldsProps extends Pick<ActionProps, 'user'> {
  readonly of: Selection;
  readonly offered: readonly string[];
}

/** ACLs with the changes that saving makes. A role replaces the selection. */
function AclFields({ user, of: { has, choose }, offered }: AclFieldsProps) {
  const chosen = offered.filter(has);
  return (
    <>
      {can('get', ROLES) && <RoleChoice onChosen={({ acls }) => choose(acls, offered)} />}
      <AclChoices
        label={t('adminActions.acls')}
        name="acl"
        chosen={chosen}
        onChosen={(next) => choose(next, offered)}
        offered={offered}
        isOwnMarked={false}
      />
      <AclDifference before={user.acls.filter((acl) => registry.value?.acls.includes(acl))} after={chosen} />
    </>
  );
}

function SetAcls(props: ActionProps) {
  const choosing = useSelection(props.user.acls);
  // Administrators can grant only ACLs that they have.
  const known = registry.value?.acls.filter(hasAcl) ?? [];
  const auditedAction = useAccountAction(props, 'setAcls', (sent) =>
    api.put(ACLS, { ...sent, body: { acls: known.filter(choosing.has) } }),
  );
  return (
    <ActionDialog {...props} name="setAcls" kind="main" auditedAction={auditedAction}>
      <Notice kind="warn" isAnnounced={false}>
        {t('adminActions.aclsHint')}
      </Notice>
      <AclFields user={props.user} of={choosing} offered={known} />
    </ActionDialog>
  );
}

function SetFlags(props: ActionProps) {
  const held = FLAG_NAMES.filter((name) => hasFlag(props.user, name));
  const choosing = useSelection(held);
  const auditedAction = useAccountAction(props, 'setFlags', (sent) => {
    const changed = FLAG_NAMES.filter((name) => choosing.has(name) !== held.includes(name));
    const bits = (isAdded: boolean) => changed.filter((name) => choosing.has(name) === isAdded).map(maskOf);
    return api.patch(ACCOUNT_FLAGS, { ...sent, body: { add_flags: bits(true), remove_flags: bits(false) } });
  });
  return (
    <ActionDialog {...props} name="setFlags" kind="plain" auditedAction={auditedAction}>
      <Choices
        legend={t('adminActions.flags')}
        options={Object.fromEntries(FLAG_NAMES.map((name) => [name, t(`adminActions.${name}`)]))}
        of={choosing}
      />
    </ActionDialog>
  );
}

function SetTraits(props: ActionProps) {
  const choosing = useSelection(props.user.traits);
  const auditedAction = useAccountAction(props, 'setTraits', (sent) =>
    api.put(TRAITS, { ...sent, body: { traits: choosing.has(CAPTCHA_EXEMPT) ? [CAPTCHA_EXEMPT] : [] } }),
  );
  return (
    <ActionDialog {...props} name="setTraits" kind="plain" auditedAction={auditedAction}>
      <Choices
        legend={t('adminActions.traits')}
        options={{ [CAPTCHA_EXEMPT]: t('adminActions.captchaExempt') }}
        of={choosing}
      />
    </ActionDialog>
  );
}

/** Permissions, flags and traits. */
export const PERMISSIONS: readonly AccountAction[] = [
  { name: 'setAcls', isOffered: (user) => isOffered(user, 'people', 'put', ACLS), Form: SetAcls },
  { name: 'setFlags', isOffered: (user) => isOffered(user, 'any', 'patch', ACCOUNT_FLAGS), Form: SetFlags },
  { name: 'setTraits', isOffered: (user) => isOffered(user, 'any', 'put', TRAITS), Form: SetTraits },
];
