import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Field, fieldOf, Select, TextArea } from '../../kit/field.js';
import { hasFlag } from '../parts/flags.js';
import { isOffered } from './account.js';
import { type AccountAction, ActionDialog, type ActionProps, simpleDialog, useAccountAction } from './parts.js';

const DELETION = '/v1/admin/users/{user_id}/deletion';

/** Reason codes (admin.md section 5.3). */
const REASONS = { requested: 1, other: 2, abuse: 3, compromised: 4, legal: 5 } as const;
type Reason = keyof typeof REASONS;
const NAMES = Object.keys(REASONS) as Reason[];

const wordsOf = (reason: Reason): string => t(`adminActions.reason_${reason}`);
/** Minimum number of days. The service raises smaller values. */
const minDays = (reason: Reason): number => (reason === 'requested' ? 14 : 60);

function Schedule(props: ActionProps) {
  const { user } = props;
  const reason = useSignal<Reason>('requested');
  const days = useSignal('60');
  const said = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'scheduleDeletion',
    (sent) => {
      const body = {
        reason_code: REASONS[reason.value],
        days_until_deletion: Number(days.value.trim() || Number.NaN),
        public_reason: said.value.trim() || null,
      };
      return api.put(DELETION, { ...sent, body });
    },
    { fields: ['days_until_deletion', 'public_reason'] },
  );
  const isScheduled = hasFlag(user, 'DELETED');
  return (
    <ActionDialog
      {...props}
      name="scheduleDeletion"
      kind="danger"
      auditedAction={auditedAction}
      {...(isScheduled ? { label: 'adminActions.changeDeletion' } : {})}
    >
      <Select
        name="reason_code"
        label={t('adminActions.why')}
        value={reason.value}
        options={Object.fromEntries(NAMES.map((name) => [name, wordsOf(name)]))}
        onValue={(value) => {
          reason.value = value as Reason;
        }}
      />
      <Field
        {...fieldOf(days, auditedAction.action, 'days_until_deletion')}
        label={t('adminActions.days')}
        hint={t('adminActions.daysHint', { count: minDays(reason.value), most: 365 })}
        inputMode="numeric"
        required
      />
      <TextArea
        {...fieldOf(said, auditedAction.action, 'public_reason')}
        label={t('adminActions.publicReason')}
        hint={t('adminActions.publicReasonHint')}
        maxLength={512}
      />
    </ActionDialog>
  );
}

/** Deletion of the account. */
export const ENDING: readonly AccountAction[] = [
  {
    name: 'scheduleDeletion',
    isOffered: (user) => isOffered(user, 'people', 'put', DELETION),
    label: (user) => (hasFlag(user, 'DELETED') ? 'adminActions.changeDeletion' : undefined),
    Form: Schedule,
  },
  {
    name: 'cancelDeletion',
    isOffered: (user) => user.pending_deletion_at !== null && isOffered(user, 'people', 'delete', DELETION),
    Form: simpleDialog('cancelDeletion', 'plain', (sent) => api.delete(DELETION, sent)),
  },
];
