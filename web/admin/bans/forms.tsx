import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field, Select, setterOf, TextArea } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { ReasonField, type ReasonHeaders, toReasonHeaders } from '../parts/audited-action.js';
import { type BatchRun, Running, useBatchRun } from '../parts/batch-run.js';
import { ENTRIES, ENTRY, linesOf } from './ban.js';
import { Outcome } from './outcome.js';

export interface BatchProps {
  readonly items: readonly string[];
  readonly many: BatchRun;
  /** Called for each item. */
  readonly work: (item: string, sent: ReasonHeaders) => Promise<unknown>;
  /** Called with the items that failed or were skipped. */
  readonly onDone: (left: readonly string[]) => void;
  readonly label: string;
  /** One sentence that describes the effect. */
  readonly what: string;
  readonly kind: 'plain' | 'main';
  /** Returns false if a field is invalid. Nothing is sent then. */
  readonly isRight?: () => boolean;
  readonly onCancel?: () => void;
  readonly children?: ComponentChildren;
}

/**
 * Runs an operation for many items after showing its effect and asking for a reason. Input is kept while items are
 * left.
 */
export function Batch({ items, many, work, onDone, isRight = () => true, ...shown }: BatchProps) {
  const { label, what, kind, onCancel, children } = shown;
  const reason = useSignal('');
  const action = useAction(async () => {
    if (!isRight()) return;
    const sent = toReasonHeaders(reason.value);
    const left = await many.run(items, (item) => work(item, sent));
    if (left.length === 0) reason.value = '';
    onDone(left);
  });
  return (
    <form class="stack" onSubmit={action.run}>
      {children}
      <ReasonField of={{ action, reason }} isRequired={kind === 'main'} />
      {items.length > 0 && (
        <Notice kind="warn" isAnnounced={false}>
          {what}
        </Notice>
      )}
      <FailureNotice of={action} />
      <Running of={many} />
      <div class="actions">
        {onCancel && (
          <Button kind="plain" onClick={onCancel}>
            {t('adminBans.close')}
          </Button>
        )}
        <Button submits kind={kind} action={action}>
          {label}
        </Button>
      </div>
    </form>
  );
}

interface AddressesProps {
  readonly text: Signal<string>;
  readonly many: BatchRun;
  readonly hint: string;
}

const Addresses = ({ text, many, hint }: AddressesProps) => (
  <TextArea
    name="addresses"
    label={t('adminBans.addresses')}
    hint={hint}
    value={text.value}
    onValue={setterOf(text)}
    isVerbatim
    required
    disabled={many.progress.value !== null}
  />
);

export interface FormProps {
  /** The initial value of the field. */
  readonly first: string;
  readonly onChanged: () => void;
  readonly onCancel: () => void;
}

const MAX_BAN_HOURS = 8760;
const PERMANENT = '0';
const CUSTOM_DURATION = 'own';

const durations = () => ({
  '1': t('adminBans.hour'),
  '24': t('adminBans.day'),
  '168': t('adminBans.week'),
  '720': t('adminBans.month'),
  [PERMANENT]: t('adminBans.forEver'),
  [CUSTOM_DURATION]: t('adminBans.ownHours'),
});

/** The selected or entered duration in hours; null if it is invalid. */
function hoursOf(chosen: string, own: string): number | null {
  if (chosen !== CUSTOM_DURATION) return Number(chosen);
  const hours = /^\d{1,4}$/.test(own.trim()) ? Number(own) : 0;
  return hours >= 1 && hours <= MAX_BAN_HOURS ? hours : null;
}

const banEffectText = (count: number, hours: number | null): string =>
  hours
    ? t('adminBans.addUntil', { count, time: formatDateTime(Date.now() + hours * 3_600_000) })
    : t('adminBans.addForEver', { count });

export function AddForm({ first, onChanged, onCancel }: FormProps) {
  const text = useSignal(first);
  const chosen = useSignal('24');
  const own = useSignal('');
  const isWrong = useSignal(false);
  const many = useBatchRun();
  const hours = hoursOf(chosen.value, own.value);
  const items = linesOf(text.value);
  return (
    <section class="section" aria-labelledby="add">
      <h2 id="add">{t('adminBans.add')}</h2>
      <Batch
        items={items}
        many={many}
        label={t('adminBans.addSubmit')}
        what={banEffectText(items.length, hours)}
        kind="main"
        onCancel={onCancel}
        isRight={() => {
          isWrong.value = hours === null;
          return hours !== null;
        }}
        work={(ip, sent) => api.post(ENTRIES, { body: { ip, duration_hours: hours ?? 0 }, ...sent })}
        onDone={(left) => {
          text.value = left.join('\n');
          onChanged();
        }}
      >
        <Addresses text={text} many={many} hint={t('adminBans.addHint')} />
        <Select
          name="duration"
          label={t('adminBans.duration')}
          value={chosen.value}
          options={durations()}
          onValue={setterOf(chosen)}
        />
        {chosen.value === CUSTOM_DURATION && (
          <Field
            name="hours"
            label={t('adminBans.hours')}
            value={own.value}
            onValue={setterOf(own)}
            wrong={isWrong.value && hours === null ? t('adminBans.hoursWrong', { most: MAX_BAN_HOURS }) : undefined}
            inputMode="numeric"
            required
            maxLength={4}
          />
        )}
      </Batch>
      <Outcome of={many} done="adminBans.added" />
    </section>
  );
}

export const lift = (value: string, sent: ReasonHeaders): Promise<unknown> =>
  api.delete(ENTRY, { path: { value }, ...sent });

/** Lifts bans by entered IP addresses, also for users who may not list bans. */
export function LiftForm({ first, onChanged, onCancel }: FormProps) {
  const text = useSignal(first);
  const many = useBatchRun();
  const items = linesOf(text.value);
  return (
    <section class="section" aria-labelledby="lift">
      <h2 id="lift">{t('adminBans.liftTyped')}</h2>
      <Batch
        items={items}
        many={many}
        label={t('adminBans.liftSubmit')}
        what={t('adminBans.liftMany', { count: items.length })}
        kind="plain"
        onCancel={onCancel}
        work={lift}
        onDone={(left) => {
          text.value = left.join('\n');
          onChanged();
        }}
      >
        <Addresses text={text} many={many} hint={t('adminBans.liftHint')} />
      </Batch>
      <Outcome of={many} done="adminBans.lifted" />
    </section>
  );
}
