import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Field, fieldOf, Select, TextArea } from '../../kit/field.js';
import { hasFlag } from '../parts/flags.js';
import { type AccountActionsProps, isOffered } from './account.js';
import { AccountActionButton, ActionRow, Group, SimpleAction, useAccountAction } from './parts.js';

const DELETION = '/v1/admin/users/{user_id}/deletion';

/** Reason codes (admin.md section 5.3). */
const REASONS = { requested: 1, other: 2, abuse: 3, compromised: 4, legal: 5 } as const;
type Reason = keyof typeof REASONS;
const NAMES = Object.keys(REASONS) as Reason[];

const wordsOf = (reason: Reason): string => t(`adminActions.reason_${reason}`);
/** Minimum number of days. The service raises smaller values. */
const minDays = (reason: Reason): number => (reason === 'requested' ? 14 : 60);

function Schedule(props: AccountActionsProps) {
  const { user } = props;
  const reason = useSignal<Reason>('requested');
  const days = useSignal('60');
  const said = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'scheduleDeletion',
    async (sent) => {
      const body = {
        reason_code: REASONS[reason.value],
        days_until_deletion: Number(days.value.trim() || Number.NaN),
        public_reason: said.value.trim() || null,
      };
      const answer = await api.put(DELETION, { ...sent, body });
      said.value = '';
      return answer;
    },
    { fields: ['days_until_deletion', 'public_reason'] },
  );
  const isScheduled = hasFlag(user, 'DELETED');
  return (
    <AccountActionButton
      user={user}
      name="scheduleDeletion"
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
    </AccountActionButton>
  );
}

function DeletionState({ user }: AccountActionsProps) {
  const { pending_deletion_at: at, deletion_reason_code: code, deletion_public_reason: said } = user;
  if (at === null) return <>{t('adminActions.deletionNone')}</>;
  const reason = NAMES.find((name) => REASONS[name] === code);
  return (
    <>
      {t('adminActions.deletionAt', { time: formatDateTime(at) })}
      {reason && ` · ${wordsOf(reason)}`}
      {said && (
        <>
          {' · '}
          <bdi>{said}</bdi>
        </>
      )}
    </>
  );
}

/** Deletion of the account. */
export function Ending(props: AccountActionsProps) {
  const { user } = props;
  const maySchedule = isOffered(user, 'people', 'put', DELETION);
  const mayCancel = isOffered(user, 'people', 'delete', DELETION);
  if (!(maySchedule || mayCancel)) return null;
  return (
    <Group title="adminActions.ending">
      <ActionRow title="adminActions.deletion" state={<DeletionState {...props} />}>
        {maySchedule && <Schedule {...props} />}
        {mayCancel && user.pending_deletion_at !== null && (
          <SimpleAction {...props} name="cancelDeletion" kind="plain" work={(sent) => api.delete(DELETION, sent)} />
        )}
      </ActionRow>
    </Group>
  );
}
