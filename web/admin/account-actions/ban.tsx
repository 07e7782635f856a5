import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { language, t } from '../../core/language.js';
import { Field, fieldOf, Select, setterOf, TextArea } from '../../kit/field.js';
import { ActionDialog, type ActionProps, useAccountAction } from './parts.js';

/** Durations in hours; 0 means permanent. */
const DURATIONS = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24, forGood: 0 } as const;
type Duration = keyof typeof DURATIONS | 'own';

const lasting = (count: number, unit: 'hour' | 'day'): string =>
  new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(count);

const durations = (): Readonly<Record<Duration, string>> => ({
  hour: lasting(1, 'hour'),
  day: lasting(24, 'hour'),
  week: lasting(7, 'day'),
  month: lasting(30, 'day'),
  forGood: t('adminActions.forGood'),
  own: t('adminActions.ownHours'),
});

/** Parses hours. Returns NaN for 0, because the separate option covers permanent bans. */
const ownHours = (typed: string): number => Number(typed) || Number.NaN;

/** A form that bans the account or changes the ban. */
export function Ban(props: ActionProps) {
  const { user } = props;
  const duration = useSignal<Duration>('day');
  const hours = useSignal('');
  const reason = useSignal('');
  const auditedAction = useAccountAction(
    props,
    'ban',
    async (sent) => {
      const chosen = duration.value;
      const length = chosen === 'own' ? ownHours(hours.value) : DURATIONS[chosen];
      const body = { duration_hours: length, reason: reason.value.trim() || null };
      return api.put('/v1/admin/users/{user_id}/ban', { ...sent, body });
    },
    { fields: ['duration_hours', 'reason'] },
  );
  const isOwn = duration.value === 'own';
  return (
    <ActionDialog
      {...props}
      name="ban"
      kind="danger"
      auditedAction={auditedAction}
      {...(user.banned ? { label: 'adminActions.changeBan' } : {})}
      {...(user.bot ? { what: 'adminActions.banBotWhat' } : {})}
    >
      <Select
        name="duration"
        label={t('adminActions.duration')}
        value={duration.value}
        options={durations()}
        onValue={(value) => {
          duration.value = value as Duration;
        }}
      />
      {isOwn && (
        <Field
          {...fieldOf(hours, auditedAction.action, 'duration_hours')}
          label={t('adminActions.hours')}
          hint={t('adminActions.hoursHint', { count: 8760 })}
          inputMode="numeric"
          required
        />
      )}
      <TextArea
        name="public_reason"
        label={t('adminActions.publicReason')}
        hint={t('adminActions.publicReasonHint')}
        value={reason.value}
        onValue={setterOf(reason)}
        wrong={auditedAction.action.of('reason')}
        maxLength={512}
      />
    </ActionDialog>
  );
}
