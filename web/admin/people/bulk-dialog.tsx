import { type ReadonlySignal, useSignal } from '@preact/signals';
import { failureText, toFailure } from '../../core/action.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { nameOf } from '../account-actions/account.js';
import { BanFields, MAX_HOURS, useBanDraft } from '../account-actions/ban-fields.js';
import { ReasonField, useAuditedAction } from '../parts/audited-action.js';
import { type BatchRun, Running, useBatchRun } from '../parts/batch-run.js';
import { PersonLink } from '../parts/person-link.js';
import type { AdminUser } from '../rights.js';
import { type BulkAction, whyLeftOut } from './bulk-actions.js';
import type { Selection } from './selection.js';

/** The result of an operation. */
export interface Outcome {
  readonly action: BulkAction;
  readonly users: readonly AdminUser[];
  readonly result: NonNullable<BatchRun['result']['value']>;
}

interface Judged {
  readonly user: AdminUser;
  /** Why the account is left out. */
  readonly why: ReturnType<typeof whyLeftOut>;
}

interface Row {
  readonly user: AdminUser;
  readonly words: string;
}

const Rows = ({ label, of }: { readonly label: string; readonly of: readonly Row[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
  <section class="people-preview" aria-label={label} tabIndex={0}>
    <ul class="list" aria-label={label}>
      {of.map(({ user, words }) => (
        <li key={user.id}>
          <bdi>{nameOf(user)}</bdi>
          <span class="small quiet">{words}</span>
        </li>
      ))}
    </ul>
  </section>
);

export interface BulkDialogProps {
  readonly action: BulkAction;
  readonly users: readonly AdminUser[];
  readonly onClose: () => void;
  /** @param left the IDs of the accounts that failed or were skipped */
  readonly onDone: (outcome: Outcome, left: readonly string[]) => Promise<void>;
}

/** Shows what happens to each account, asks for one reason, and runs the operation on one account after another. */
export function BulkDialog({ action, users, onClose, onDone }: BulkDialogProps) {
  const batch = useBatchRun();
  const draft = useBanDraft();
  const isHoursWrong = useSignal(false);
  const rows: readonly Judged[] = users.map((user) => ({ user, why: whyLeftOut(action, user) }));
  const targets = rows.filter(({ why }) => why === undefined).map(({ user }) => user);
  const ban = draft.body();
  const auditedAction = useAuditedAction(async (reasoned) => {
    const left = await batch.run(
      targets.map(({ id }) => id),
      (id) => action.send({ path: { user_id: id }, ...reasoned }, ban),
    );
    const result = batch.result.value;
    if (result) await onDone({ action, users: targets, result }, left);
  });
  const submit = (event: Event) => {
    event.preventDefault();
    const { duration_hours: hours } = ban;
    isHoursWrong.value = action.name === 'ban' && !(Number.isInteger(hours) && hours >= 0 && hours <= MAX_HOURS);
    if (!isHoursWrong.value) void auditedAction.action.run();
  };
  const isRunning = batch.progress.value !== null;
  const isHoursHint = isHoursWrong.value ? t('adminBans.hoursWrong', { most: MAX_HOURS }) : undefined;
  return (
    <Dialog
      title={t(`adminPeople.${action.name}Title`, { count: targets.length })}
      isOpen
      onCancel={isRunning ? batch.stop : onClose}
    >
      <form class="stack" onSubmit={submit}>
        {targets.length > 0 && (
          <>
            <p>{t(`adminPeople.${action.name}What`, { count: targets.length })}</p>
            {action.name === 'ban' && <BanFields of={draft} wrong={{ hours: isHoursHint, reason: undefined }} />}
            <Rows
              label={t('adminPeople.preview')}
              of={targets.map((user) => ({ user, words: action.effect(user, ban) }))}
            />
          </>
        )}
        <LeftOut of={rows} />
        {targets.length > 0 && <ReasonField of={auditedAction} isRequired={action.isHarmful} />}
        <FailureNotice of={auditedAction.action} />
        <Running of={batch} />
        <div class="actions">
          {!isRunning && (
            <Button kind="plain" onClick={onClose}>
              {t('common.cancel')}
            </Button>
          )}
          {targets.length > 0 && (
            <Button submits kind={action.isHarmful ? 'danger' : 'main'} action={auditedAction.action}>
              {t(`adminActions.${action.name}`)}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** The accounts to which the operation does not apply, with the reasons. */
function LeftOut({ of }: { readonly of: readonly Judged[] }) {
  const rows = of.flatMap(({ user, why }) => (why ? [{ user, words: t(why) }] : []));
  if (rows.length === 0) return null;
  return (
    <div class="stack tight">
      <p>{t('adminPeople.leftOut', { count: rows.length })}</p>
      <Rows label={t('adminPeople.leftOutLabel')} of={rows} />
    </div>
  );
}

/** The result: the number of changed accounts, and each failure with its reason. */
export function OutcomeNotice({ of }: { readonly of: ReadonlySignal<Outcome | null> }) {
  const known = of.value;
  if (!known) return null;
  const { action, users, result } = known;
  const stopped = users.length - result.count - result.left.length;
  return (
    <Notice kind={result.left.length > 0 ? 'warn' : 'good'}>
      <p>{t(`adminPeople.${action.name}Done`, { count: result.count })}</p>
      {stopped > 0 && <p>{t('adminRegistrations.stopped', { count: stopped })}</p>}
      {result.left.length > 0 && (
        <>
          <p>{t('adminRegistrations.failed', { count: result.left.length })}</p>
          <ul class="points people-failed" aria-label={t('adminBans.leftLabel')}>
            {result.left.map(({ item, error }) => (
              <li key={item}>
                <PersonLink id={item} summary={users.find(({ id }) => id === item)} />: {failureText(toFailure(error))}
              </li>
            ))}
          </ul>
        </>
      )}
    </Notice>
  );
}

/** The dialog of the chosen operation, and the result of the last one. */
export function useBulk(selection: Selection, again: () => Promise<void>) {
  const chosen = useSignal<BulkAction | null>(null);
  const outcome = useSignal<Outcome | null>(null);
  const close = () => {
    chosen.value = null;
  };
  const onDone: BulkDialogProps['onDone'] = async (done, left) => {
    close();
    outcome.value = done;
    selection.keep(left);
    await again();
  };
  return {
    outcome,
    ask: (action: BulkAction) => {
      chosen.value = action;
    },
    dialog: chosen.value && (
      <BulkDialog action={chosen.value} users={selection.users} onClose={close} onDone={onDone} />
    ),
  };
}
