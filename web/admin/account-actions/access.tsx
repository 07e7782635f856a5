import { api } from '../../core/api.js';
import { hasFlag } from '../parts/flags.js';
import type { AdminUser } from '../rights.js';
import { isOffered } from './account.js';
import { Ban } from './ban.js';
import { useSelection } from './choices.js';
import {
  type AccountAction,
  ActionDialog,
  type ActionProps,
  type Sent,
  simpleDialog,
  useAccountAction,
} from './parts.js';
import { PERMISSIONS } from './permissions.js';
import { bitsOf, RequirementChoices, requirementsOf } from './requirements.js';

const BAN = '/v1/admin/users/{user_id}/ban';
const DISABLEMENT = '/v1/admin/users/{user_id}/suspicious-activity-disablement';
const REGISTRATION = '/v1/admin/instance/pending-registrations/{user_id}';
const LOCKDOWN = '/v1/admin/users/{user_id}/lockdown';

function Disable(props: ActionProps) {
  const choosing = useSelection(requirementsOf(props.user));
  const auditedAction = useAccountAction(props, 'disable', (sent) =>
    api.put(DISABLEMENT, { ...sent, body: { flags: bitsOf(choosing) } }),
  );
  return (
    <ActionDialog {...props} name="disable" kind="danger" auditedAction={auditedAction}>
      <RequirementChoices of={choosing} />
    </ActionDialog>
  );
}

const isDisabled = (user: AdminUser): boolean => hasFlag(user, 'DISABLED_SUSPICIOUS_ACTIVITY');

/** Traits of a pending or rejected registration (admin.md section 9). */
const [WAITS, REJECTED] = ['registration_pending_approval', 'registration_rejected'];

const mayDecide = (user: AdminUser): boolean =>
  (user.traits.includes(WAITS) || user.traits.includes(REJECTED)) && isOffered(user, 'people', 'patch', REGISTRATION);

const decide = (status: 'approved' | 'rejected') => (sent: Sent) =>
  api.patch(REGISTRATION, { ...sent, body: { status } });

export const BAN_ACTION: AccountAction = {
  name: 'ban',
  isOffered: (user) => isOffered(user, 'others', 'put', BAN),
  label: ({ banned }) => (banned ? 'adminActions.changeBan' : undefined),
  Form: Ban,
};

/** Registration decisions, bans, locks and permissions. */
export const ACCESS: readonly AccountAction[] = [
  { name: 'approve', isOffered: mayDecide, Form: simpleDialog('approve', 'plain', decide('approved')) },
  {
    name: 'reject',
    isOffered: (user) => mayDecide(user) && !user.traits.includes(REJECTED),
    Form: simpleDialog('reject', 'danger', decide('rejected')),
  },
  BAN_ACTION,
  {
    name: 'unban',
    isOffered: (user) => user.banned && isOffered(user, 'others', 'delete', BAN),
    Form: simpleDialog('unban', 'plain', (sent) => api.delete(BAN, sent)),
  },
  {
    name: 'disable',
    isOffered: (user) => !isDisabled(user) && isOffered(user, 'people', 'put', DISABLEMENT),
    Form: Disable,
  },
  {
    name: 'enable',
    isOffered: (user) => isDisabled(user) && isOffered(user, 'people', 'delete', DISABLEMENT),
    Form: simpleDialog('enable', 'plain', (sent) => api.delete(DISABLEMENT, sent)),
  },
  {
    name: 'endLockdown',
    isOffered: (user) => user.traits.includes('locked_down') && isOffered(user, 'any', 'delete', LOCKDOWN),
    Form: simpleDialog('endLockdown', 'plain', (sent) => api.delete(LOCKDOWN, sent)),
  },
  ...PERMISSIONS,
];
