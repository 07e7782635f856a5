import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { AclWords } from '../parts/acl-words.js';
import { hasFlag, maskOf } from '../parts/flags.js';
import { holds, registry } from '../rights.js';
import { type DeedsProps, offers } from './account.js';
import { Choices, Held, useChoosing } from './choices.js';
import { bitsOf, DemandChoices, demandOf, demandsOf } from './demands.js';
import { Doing, Group, Matter, useAccountDeed } from './parts.js';

const ACLS = '/v1/admin/users/{user_id}/acls';
const ACCOUNT_FLAGS = '/v1/admin/users/{user_id}/flags';
const TRAITS = '/v1/admin/users/{user_id}/traits';
const DEMANDS = '/v1/admin/users/{user_id}/suspicious-activity-flags';

/** The trait that can be set (admin.md Precisions). */
const CAPTCHA_EXEMPT = 'captcha_exempt';

const FLAG_NAMES = ['STAFF', 'HIGH_GLOBAL_RATE_LIMIT', 'RATE_LIMIT_BYPASS', 'NOT_SUSPICIOUS'] as const;

/** An ACL with its description. */
const Acl = ({ name }: { readonly name: string }) => (
  <>
    <code dir="ltr">{name}</code> <AclWords acl={name} />
  </>
);

function SetAcls(props: DeedsProps) {
  const choosing = useChoosing(props.user.acls);
  // Administrators can grant only ACLs that they have.
  const known = registry.value?.acls.filter(holds) ?? [];
  const deed = useAccountDeed(props, 'setAcls', (sent) =>
    api.put(ACLS, { ...sent, body: { acls: known.filter(choosing.has) } }),
  );
  return (
    <Doing user={props.user} name="setAcls" deed={deed}>
      <Notice kind="warn" isAnnounced={false}>
        {t('adminDeeds.aclsHint')}
      </Notice>
      <Choices
        legend={t('adminDeeds.acls')}
        options={Object.fromEntries(known.map((name) => [name, <Acl key={name} name={name} />]))}
        of={choosing}
      />
    </Doing>
  );
}

const flagsOf = ({ user }: DeedsProps) => FLAG_NAMES.filter((name) => hasFlag(user, name));

function SetFlags(props: DeedsProps) {
  const held = flagsOf(props);
  const choosing = useChoosing(held);
  const deed = useAccountDeed(props, 'setFlags', (sent) => {
    const changed = FLAG_NAMES.filter((name) => choosing.has(name) !== held.includes(name));
    const bits = (isAdded: boolean) => changed.filter((name) => choosing.has(name) === isAdded).map(maskOf);
    return api.patch(ACCOUNT_FLAGS, { ...sent, body: { add_flags: bits(true), remove_flags: bits(false) } });
  });
  return (
    <Doing user={props.user} name="setFlags" deed={deed} kind="plain">
      <Choices
        legend={t('adminDeeds.flags')}
        options={Object.fromEntries(FLAG_NAMES.map((name) => [name, t(`adminDeeds.${name}`)]))}
        of={choosing}
      />
    </Doing>
  );
}

function SetTraits(props: DeedsProps) {
  const choosing = useChoosing(props.user.traits);
  const deed = useAccountDeed(props, 'setTraits', (sent) =>
    api.put(TRAITS, { ...sent, body: { traits: choosing.has(CAPTCHA_EXEMPT) ? [CAPTCHA_EXEMPT] : [] } }),
  );
  return (
    <Doing user={props.user} name="setTraits" deed={deed} kind="plain">
      <Choices
        legend={t('adminDeeds.traits')}
        options={{ [CAPTCHA_EXEMPT]: t('adminDeeds.captchaExempt') }}
        of={choosing}
      />
    </Doing>
  );
}

function SetDemands(props: DeedsProps) {
  const choosing = useChoosing(demandsOf(props.user));
  const deed = useAccountDeed(props, 'setDemands', (sent) =>
    api.put(DEMANDS, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <Doing user={props.user} name="setDemands" deed={deed}>
      <DemandChoices of={choosing} />
    </Doing>
  );
}

const AclsMatter = (props: DeedsProps) => (
  <Matter
    title="adminDeeds.acls"
    state={<Held none="adminDeeds.aclsNone" of={props.user.acls.map((name) => <Acl key={name} name={name} />)} />}
  >
    <SetAcls {...props} />
  </Matter>
);

const FlagsMatter = (props: DeedsProps) => (
  <Matter
    title="adminDeeds.flags"
    state={<Held none="adminDeeds.flagsNone" of={flagsOf(props).map((name) => t(`adminDeeds.${name}`))} />}
  >
    <SetFlags {...props} />
  </Matter>
);

const TraitsMatter = (props: DeedsProps) => (
  <Matter
    title="adminDeeds.traits"
    state={t(props.user.traits.includes(CAPTCHA_EXEMPT) ? 'adminDeeds.captchaExempt' : 'adminDeeds.traitsNone')}
  >
    <SetTraits {...props} />
  </Matter>
);

const DemandsMatter = (props: DeedsProps) => (
  <Matter
    title="adminDeeds.demands"
    state={<Held none="adminDeeds.demandsNone" of={demandsOf(props.user).map(demandOf)} />}
  >
    <SetDemands {...props} />
  </Matter>
);

/** ACLs, flags, traits and requirements of the account. */
export function Permissions(props: DeedsProps) {
  const { user } = props;
  const mayAcls = offers(user, 'people', 'put', ACLS);
  const mayFlags = offers(user, 'any', 'patch', ACCOUNT_FLAGS);
  const mayTraits = offers(user, 'any', 'put', TRAITS);
  const mayDemands = offers(user, 'any', 'put', DEMANDS);
  if (!(mayAcls || mayFlags || mayTraits || mayDemands)) return null;
  return (
    <Group title="adminDeeds.permissions">
      {mayAcls && <AclsMatter {...props} />}
      {mayFlags && <FlagsMatter {...props} />}
      {mayTraits && <TraitsMatter {...props} />}
      {mayDemands && <DemandsMatter {...props} />}
    </Group>
  );
}
