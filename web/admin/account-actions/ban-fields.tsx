import { type Signal, useSignal } from '@preact/signals';
import { language, t } from '../../core/language.js';
import { Field, Select, setterOf, TextArea } from '../../kit/field.js';

/** Durations in hours; 0 means permanent. */
const DURATIONS = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24, forGood: 0 } as const;
type Duration = keyof typeof DURATIONS | 'own';

/** Maximum duration in hours (admin.md section 5.3). */
export const MAX_HOURS = 8760;

const durationOf = (count: number, unit: 'hour' | 'day'): string =>
  new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(count);

const durations = (): Readonly<Record<Duration, string>> => ({
  hour: durationOf(1, 'hour'),
  day: durationOf(24, 'hour'),
  week: durationOf(7, 'day'),
  month: durationOf(30, 'day'),
  forGood: t('adminActions.forGood'),
  own: t('adminActions.ownHours'),
});

/** Parses hours. Returns NaN for 0, because the separate option covers permanent bans. */
const ownHours = (typed: string): number => Number(typed) || Number.NaN;

/** The duration and the message of a ban that is being entered. */
export interface BanDraft {
  readonly duration: Signal<Duration>;
  readonly hours: Signal<string>;
  readonly reason: Signal<string>;
  readonly body: () => { readonly duration_hours: number; readonly reason: string | null };
}

export function useBanDraft(): BanDraft {
  const duration = useSignal<Duration>('day');
  const hours = useSignal('');
  const reason = useSignal('');
  return {
    duration,
    hours,
    reason,
    body: () => ({
      duration_hours: duration.value === 'own' ? ownHours(hours.value) : DURATIONS[duration.value],
      reason: reason.value.trim() || null,
    }),
  };
}

interface BanFieldsProps {
  readonly of: BanDraft;
  /** Error messages of the fields. */
  readonly wrong: { readonly hours: string | undefined; readonly reason: string | undefined };
}

export const BanFields = ({ of: { duration, hours, reason }, wrong }: BanFieldsProps) => (
  <>
    <Select
      name="duration"
      label={t('adminActions.duration')}
      value={duration.value}
      options={durations()}
      onValue={(value) => {
        duration.value = value as Duration;
      }}
    />
    {duration.value === 'own' && (
      <Field
        name="duration_hours"
        value={hours.value}
        onValue={setterOf(hours)}
        wrong={wrong.hours}
        label={t('adminActions.hours')}
        hint={t('adminActions.hoursHint', { count: MAX_HOURS })}
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
      wrong={wrong.reason}
      maxLength={512}
    />
  </>
);
