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
  if (!user.banned) return t('adminActions.notBanned');
  const { temp_banned_until: until } = user;
  return until === null
    ? t('adminActions.bannedForGood')
    : t('adminActions.bannedUntil', { time: formatDateTime(until) });
}

const BanRow = (props: AccountActionsProps) => (
  <ActionRow title="adminActions.banning" state={banOf(props)}>
    {isOffered(props.user, 'others', 'put', BAN) && <Ban {...props} />}
    {props.user.banned && isOffered(props.user, 'others', 'delete', BAN) && (
      <SimpleAction {...props} name="unban" kind="plain" work={(sent) => api.delete(BAN, sent)} />
    )}
  </ActionRow>
);

function Disable(props: AccountActionsProps) {
  const choosing = useSelection(requirementsOf(props.user));
  const auditedAction = useAccountAction(props, 'disable', (sent) =>
    api.put(DISABLEMENT, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <AccountActionButton user={props.user} name="disable" auditedAction={auditedAction}>
      <RequirementChoices of={choosing} />
    </AccountActionButton>
  );
}

function DisablementRow(props: AccountActionsProps) {
  const { user } = props;
  const isDisabled = hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY');
  return (
    <ActionRow
      title="adminActions.disablement"
      state={t(isDisabled ? 'adminActions.isDisabled' : 'adminActions.isNotDisabled')}
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
      title="adminActions.registration"
      state={t(isRejected ? 'adminActions.registrationRejected' : 'adminActions.registrationWaits')}
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
    <Group title="adminActions.access">
      {mayDecide && <RegistrationRow {...props} />}
      {mayBan && <BanRow {...props} />}
      {mayDisable && <DisablementRow {...props} />}
      {mayUnlock && (
        <ActionRow title="adminActions.lockdown" state={t('adminPerson.trait_locked_down')}>
          <SimpleAction {...props} name="endLockdown" kind="plain" work={(sent) => api.delete(LOCKDOWN, sent)} />
        </ActionRow>
      )}
      {mayEnd && (
        <ActionRow title="adminActions.sessions" state={t('adminActions.sessionsHint')}>
          <SimpleAction {...props} name="endSessions" work={(sent) => api.delete(SESSIONS, sent)} />
        </ActionRow>
      )}
    </Group>
  );
}
