import { api } from '../../core/api.js';
import { t, when } from '../../core/language.js';
import { hasFlag } from '../parts/flags.js';
import type { AdminUser } from '../rights.js';
import { type DeedsProps, offers } from './account.js';
import { Ban } from './ban.js';
import { useChoosing } from './choices.js';
import { bitsOf, DemandChoices, demandsOf } from './demands.js';
import { Doing, Group, Matter, Plainly, type Sent, useAccountDeed } from './parts.js';

const BAN = '/v1/admin/users/{user_id}/ban';
const DISABLEMENT = '/v1/admin/users/{user_id}/suspicious-activity-disablement';
const REGISTRATION = '/v1/admin/instance/pending-registrations/{user_id}';
const LOCKDOWN = '/v1/admin/users/{user_id}/lockdown';
const SESSIONS = '/v1/admin/users/{user_id}/sessions';

function banOf({ user }: DeedsProps): string {
  if (!user.banned) return t('adminDeeds.notBanned');
  const { temp_banned_until: until } = user;
  return until === null ? t('adminDeeds.bannedForGood') : t('adminDeeds.bannedUntil', { time: when(until) });
}

const BanMatter = (props: DeedsProps) => (
  <Matter title="adminDeeds.banning" state={banOf(props)}>
    {offers(props.user, 'others', 'put', BAN) && <Ban {...props} />}
    {props.user.banned && offers(props.user, 'others', 'delete', BAN) && (
      <Plainly {...props} name="unban" kind="plain" work={(sent) => api.delete(BAN, sent)} />
    )}
  </Matter>
);

function Disable(props: DeedsProps) {
  const choosing = useChoosing(demandsOf(props.user));
  const deed = useAccountDeed(props, 'disable', (sent) =>
    api.put(DISABLEMENT, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <Doing user={props.user} name="disable" deed={deed}>
      <DemandChoices of={choosing} />
    </Doing>
  );
}

function DisablementMatter(props: DeedsProps) {
  const { user } = props;
  const isDisabled = hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY');
  return (
    <Matter title="adminDeeds.disablement" state={t(isDisabled ? 'adminDeeds.isDisabled' : 'adminDeeds.isNotDisabled')}>
      {isDisabled
        ? offers(user, 'people', 'delete', DISABLEMENT) && (
            <Plainly {...props} name="enable" kind="plain" work={(sent) => api.delete(DISABLEMENT, sent)} />
          )
        : offers(user, 'people', 'put', DISABLEMENT) && <Disable {...props} />}
    </Matter>
  );
}

/** Traits of a pending or rejected registration (admin.md section 9). */
const [WAITS, REJECTED] = ['registration_pending_approval', 'registration_rejected'];

const hasRegistration = ({ traits }: AdminUser): boolean => traits.includes(WAITS) || traits.includes(REJECTED);

function RegistrationMatter(props: DeedsProps) {
  const decide = (status: 'approved' | 'rejected') => (sent: Sent) =>
    api.patch(REGISTRATION, { ...sent, body: { status } });
  const isRejected = props.user.traits.includes(REJECTED);
  return (
    <Matter
      title="adminDeeds.registration"
      state={t(isRejected ? 'adminDeeds.registrationRejected' : 'adminDeeds.registrationWaits')}
    >
      <Plainly {...props} name="approve" kind="plain" work={decide('approved')} />
      {!isRejected && <Plainly {...props} name="reject" work={decide('rejected')} />}
    </Matter>
  );
}

/** Bans, lockdown, sessions and registration decisions. */
export function Access(props: DeedsProps) {
  const { user } = props;
  const mayBan = offers(user, 'others', 'put', BAN) || offers(user, 'others', 'delete', BAN);
  const mayDisable = offers(user, 'people', 'put', DISABLEMENT);
  const mayEnd = !user.bot && offers(user, 'any', 'delete', SESSIONS);
  const mayDecide = hasRegistration(user) && offers(user, 'people', 'patch', REGISTRATION);
  const mayUnlock = user.traits.includes('locked_down') && offers(user, 'any', 'delete', LOCKDOWN);
  if (!(mayBan || mayDisable || mayEnd || mayDecide || mayUnlock)) return null;
  return (
    <Group title="adminDeeds.access">
      {mayDecide && <RegistrationMatter {...props} />}
      {mayBan && <BanMatter {...props} />}
      {mayDisable && <DisablementMatter {...props} />}
      {mayUnlock && (
        <Matter title="adminDeeds.lockdown" state={t('adminPerson.trait_locked_down')}>
          <Plainly {...props} name="endLockdown" kind="plain" work={(sent) => api.delete(LOCKDOWN, sent)} />
        </Matter>
      )}
      {mayEnd && (
        <Matter title="adminDeeds.sessions" state={t('adminDeeds.sessionsHint')}>
          <Plainly {...props} name="endSessions" work={(sent) => api.delete(SESSIONS, sent)} />
        </Matter>
      )}
    </Group>
  );
}
