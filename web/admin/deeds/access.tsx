import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { hasFlag } from '../parts/flags.js';
import type { AdminUser } from '../rights.js';
import { type AccountActionsProps, isOffered } from './account.js';
import { Ban } from './ban.js';
import { useSelection } from './choices.js';
import { AccountActionButton, ActionRow, Group, type Sent, SimpleAction, useAccountAction } from './parts.js';
import { bitsOf, RequirementChoices, requirementsOf } from './requirements.js';

const BAN = '/v1/admin/users/{user_id}/ban';
const DISABLEMENT = '/v1/admin/users/{user_id}/suspicious-activity-disablement';
const REGISTRATION = '/v1/admin/instance/pending-registrations/{user_id}';
const LOCKDOWN = '/v1/admin/users/{user_id}/lockdown';
const SESSIONS = '/v1/admin/users/{user_id}/sessions';

function banOf({ user }: AccountActionsProps): string {
  if (!user.banned) return t('adminDeeds.notBanned');
  const { temp_banned_until: until } = user;
  return until === null ? t('adminDeeds.bannedForGood') : t('adminDeeds.bannedUntil', { time: formatDateTime(until) });
}

const BanRow = (props: AccountActionsProps) => (
  <ActionRow title="adminDeeds.banning" state={banOf(props)}>
    {isOffered(props.user, 'others', 'put', BAN) && <Ban {...props} />}
    {props.user.banned && isOffered(props.user, 'others', 'delete', BAN) && (
      <SimpleAction {...props} name="unban" kind="plain" work={(sent) => api.delete(BAN, sent)} />
    )}
  </ActionRow>
);

function Disable(props: AccountActionsProps) {
  const choosing = useSelection(requirementsOf(props.user));
  const deed = useAccountAction(props, 'disable', (sent) =>
    api.put(DISABLEMENT, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <AccountActionButton user={props.user} name="disable" deed={deed}>
      <RequirementChoices of={choosing} />
    </AccountActionButton>
  );
}

function DisablementRow(props: AccountActionsProps) {
  const { user } = props;
  const isDisabled = hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY');
  return (
    <ActionRow
      title="adminDeeds.disablement"
      state={t(isDisabled ? 'adminDeeds.isDisabled' : 'adminDeeds.isNotDisabled')}
    >
      {isDisabled
        ? isOffered(user, 'people', 'delete', DISABLEMENT) && (
            <SimpleAction {...props} name="enable" kind="plain" work={(sent) => api.delete(DISABLEMENT, sent)} />
          )
        : isOffered(user, 'people', 'put', DISABLEMENT) && <Disable {...props} />}
    </ActionRow>
  );
}

/** Traits of a pending or rejected registration (admin.md section 9). */
const [WAITS, REJECTED] = ['registration_pending_approval', 'registration_rejected'];

const hasRegistration = ({ traits }: AdminUser): boolean => traits.includes(WAITS) || traits.includes(REJECTED);

function RegistrationRow(props: AccountActionsProps) {
  const decide = (status: 'approved' | 'rejected') => (sent: Sent) =>
    api.patch(REGISTRATION, { ...sent, body: { status } });
  const isRejected = props.user.traits.includes(REJECTED);
  return (
    <ActionRow
      title="adminDeeds.registration"
      state={t(isRejected ? 'adminDeeds.registrationRejected' : 'adminDeeds.registrationWaits')}
    >
      <SimpleAction {...props} name="approve" kind="plain" work={decide('approved')} />
      {!isRejected && <SimpleAction {...props} name="reject" work={decide('rejected')} />}
    </ActionRow>
  );
}

/** Bans, lockdown, sessions and registration decisions. */
export function Access(props: AccountActionsProps) {
  const { user } = props;
  const mayBan = isOffered(user, 'others', 'put', BAN) || isOffered(user, 'others', 'delete', BAN);
  const mayDisable = isOffered(user, 'people', 'put', DISABLEMENT);
  const mayEnd = !user.bot && isOffered(user, 'any', 'delete', SESSIONS);
  const mayDecide = hasRegistration(user) && isOffered(user, 'people', 'patch', REGISTRATION);
  const mayUnlock = user.traits.includes('locked_down') && isOffered(user, 'any', 'delete', LOCKDOWN);
  if (!(mayBan || mayDisable || mayEnd || mayDecide || mayUnlock)) return null;
  return (
    <Group title="adminDeeds.access">
      {mayDecide && <RegistrationRow {...props} />}
      {mayBan && <BanRow {...props} />}
      {mayDisable && <DisablementRow {...props} />}
      {mayUnlock && (
        <ActionRow title="adminDeeds.lockdown" state={t('adminPerson.trait_locked_down')}>
          <SimpleAction {...props} name="endLockdown" kind="plain" work={(sent) => api.delete(LOCKDOWN, sent)} />
        </ActionRow>
      )}
      {mayEnd && (
        <ActionRow title="adminDeeds.sessions" state={t('adminDeeds.sessionsHint')}>
          <SimpleAction {...props} name="endSessions" work={(sent) => api.delete(SESSIONS, sent)} />
        </ActionRow>
      )}
    </Group>
  );
}
