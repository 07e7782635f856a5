import { useEffect } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { AclChoices } from '../acls/choices.js';
import { AclDifference } from '../acls/difference.js';
import { ROLES } from '../acls/role.js';
import { RoleChoice } from '../acls/role-choice.js';
import { AclWords } from '../parts/acl-words.js';
import { hasFlag, maskOf } from '../parts/flags.js';
import { can, hasAcl, registry } from '../rights.js';
import { type AccountActionsProps, isOffered } from './account.js';
import { Choices, CurrentValues, type Selection, useSelection } from './choices.js';
import { AccountActionButton, ActionRow, Group, useAccountAction } from './parts.js';
import { bitsOf, RequirementChoices, requirementsOf, requirementText } from './requirements.js';

const ACLS = '/v1/admin/users/{user_id}/acls';
const ACCOUNT_FLAGS = '/v1/admin/users/{user_id}/flags';
const TRAITS = '/v1/admin/users/{user_id}/traits';
const REQUIREMENTS = '/v1/admin/users/{user_id}/suspicious-activity-flags';

/** The trait that can be set (admin.md Precisions). */
const CAPTCHA_EXEMPT = 'captcha_exempt';

const FLAG_NAMES = ['STAFF', 'HIGH_GLOBAL_RATE_LIMIT', 'RATE_LIMIT_BYPASS', 'NOT_SUSPICIOUS'] as const;

/** An ACL with its description. */
const Acl = ({ name }: { readonly name: string }) => (
  <>
    <code dir="ltr">{name}</code> <AclWords acl={name} />
  </>
);

interface AclFieldsProps extends Pick<AccountActionsProps, 'user'> {
  readonly of: Selection;
  readonly offered: readonly string[];
}

/** ACLs with the changes that saving makes. A role replaces the selection. */
function AclFields({ user, of: { has, choose, forget }, offered }: AclFieldsProps) {
  useEffect(() => forget, []);
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

function SetAcls(props: AccountActionsProps) {
  const choosing = useSelection(props.user.acls);
  // Administrators can grant only ACLs that they have.
  const known = registry.value?.acls.filter(hasAcl) ?? [];
  const auditedAction = useAccountAction(props, 'setAcls', (sent) =>
    api.put(ACLS, { ...sent, body: { acls: known.filter(choosing.has) } }),
  );
  return (
    <AccountActionButton user={props.user} name="setAcls" auditedAction={auditedAction}>
      <Notice kind="warn" isAnnounced={false}>
        {t('adminActions.aclsHint')}
      </Notice>
      <AclFields user={props.user} of={choosing} offered={known} />
    </AccountActionButton>
  );
}

const flagsOf = ({ user }: AccountActionsProps) => FLAG_NAMES.filter((name) => hasFlag(user, name));

function SetFlags(props: AccountActionsProps) {
  const held = flagsOf(props);
  const choosing = useSelection(held);
  const auditedAction = useAccountAction(props, 'setFlags', (sent) => {
    const changed = FLAG_NAMES.filter((name) => choosing.has(name) !== held.includes(name));
    const bits = (isAdded: boolean) => changed.filter((name) => choosing.has(name) === isAdded).map(maskOf);
    return api.patch(ACCOUNT_FLAGS, { ...sent, body: { add_flags: bits(true), remove_flags: bits(false) } });
  });
  return (
    <AccountActionButton user={props.user} name="setFlags" auditedAction={auditedAction} kind="plain">
      <Choices
        legend={t('adminActions.flags')}
        options={Object.fromEntries(FLAG_NAMES.map((name) => [name, t(`adminActions.${name}`)]))}
        of={choosing}
      />
    </AccountActionButton>
  );
}

function SetTraits(props: AccountActionsProps) {
  const choosing = useSelection(props.user.traits);
  const auditedAction = useAccountAction(props, 'setTraits', (sent) =>
    api.put(TRAITS, { ...sent, body: { traits: choosing.has(CAPTCHA_EXEMPT) ? [CAPTCHA_EXEMPT] : [] } }),
  );
  return (
    <AccountActionButton user={props.user} name="setTraits" auditedAction={auditedAction} kind="plain">
      <Choices
        legend={t('adminActions.traits')}
        options={{ [CAPTCHA_EXEMPT]: t('adminActions.captchaExempt') }}
        of={choosing}
      />
    </AccountActionButton>
  );
}

function SetRequirements(props: AccountActionsProps) {
  const choosing = useSelection(requirementsOf(props.user));
  const auditedAction = useAccountAction(props, 'setDemands', (sent) =>
    api.put(REQUIREMENTS, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <AccountActionButton user={props.user} name="setDemands" auditedAction={auditedAction}>
      <RequirementChoices of={choosing} />
    </AccountActionButton>
  );
}

const AclsRow = (props: AccountActionsProps) => (
  <ActionRow
    title="adminActions.acls"
    state={
      <CurrentValues none="adminActions.aclsNone" of={props.user.acls.map((name) => <Acl key={name} name={name} />)} />
    }
  >
    <SetAcls {...props} />
  </ActionRow>
);

const FlagsRow = (props: AccountActionsProps) => (
  <ActionRow
    title="adminActions.flags"
    state={<CurrentValues none="adminActions.flagsNone" of={flagsOf(props).map((name) => t(`adminActions.${name}`))} />}
  >
    <SetFlags {...props} />
  </ActionRow>
);

const TraitsRow = (props: AccountActionsProps) => (
  <ActionRow
    title="adminActions.traits"
    state={t(props.user.traits.includes(CAPTCHA_EXEMPT) ? 'adminActions.captchaExempt' : 'adminActions.traitsNone')}
  >
    <SetTraits {...props} />
  </ActionRow>
);

const RequirementsRow = (props: AccountActionsProps) => (
  <ActionRow
    title="adminActions.demands"
    state={<CurrentValues none="adminActions.demandsNone" of={requirementsOf(props.user).map(requirementText)} />}
  >
    <SetRequirements {...props} />
  </ActionRow>
);

/** ACLs, flags, traits and requirements of the account. */
export function Permissions(props: AccountActionsProps) {
  const { user } = props;
  const mayAcls = isOffered(user, 'people', 'put', ACLS);
  const mayFlags = isOffered(user, 'any', 'patch', ACCOUNT_FLAGS);
  const mayTraits = isOffered(user, 'any', 'put', TRAITS);
  const mayDemands = isOffered(user, 'any', 'put', REQUIREMENTS);
  if (!(mayAcls || mayFlags || mayTraits || mayDemands)) return null;
  return (
    <Group title="adminActions.permissions">
      {mayAcls && <AclsRow {...props} />}
      {mayFlags && <FlagsRow {...props} />}
      {mayTraits && <TraitsRow {...props} />}
      {mayDemands && <RequirementsRow {...props} />}
    </Group>
  );
}
