import { formatWait, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { Notice } from '../../kit/notice.js';
import { type AuditedAction, ReasonField } from '../parts/audited-action.js';
import { PersonLink } from '../parts/person-link.js';
import type { Decision, Progress } from './deciding.js';
import { nameOf, type Registration } from './waiting.js';

/** The decision to confirm. */
export interface Question {
  readonly decision: Decision;
  readonly registrations: readonly Registration[];
}

const WORDS = {
  approved: {
    ...({ title: 'adminRegistrations.approveTitle', what: 'adminRegistrations.approveWhat' } as const),
    ...({ button: 'adminRegistrations.approve', done: 'adminRegistrations.approved' } as const),
  },
  rejected: {
    ...({ title: 'adminRegistrations.rejectTitle', what: 'adminRegistrations.rejectWhat' } as const),
    ...({ button: 'adminRegistrations.reject', done: 'adminRegistrations.rejected' } as const),
  },
} as const;

export const wordsFor = (decision: Decision) => WORDS[decision];

/** Number of names shown. The rest is shown as a count. */
const NAMED = 5;

const Names = ({ of: registrations }: { readonly of: readonly Registration[] }) => (
  <ul class="points">
    {registrations.slice(0, NAMED).map((registration) => (
      <li key={registration.user_id}>
        <bdi>{nameOf(registration)}</bdi>
      </li>
    ))}
    {registrations.length > NAMED && <li>{t('adminRegistrations.others', { count: registrations.length - NAMED })}</li>}
  </ul>
);

const Running = ({ progress: { done, of, pause } }: { readonly progress: Progress }) => (
  <div class="stack tight">
    <progress
      class="progress"
      max={of}
      value={done}
      aria-label={t('adminRegistrations.progress', { done, count: of })}
    />
    <p class="small quiet" role="status">
      {pause > 0
        ? t('adminRegistrations.pause', { wait: formatWait(pause) })
        : t('adminRegistrations.progress', { done, count: of })}
    </p>
  </div>
);

export interface DecisionDialogProps {
  readonly question: Question | null;
  readonly progress: Progress | null;
  readonly auditedAction: AuditedAction;
  readonly onClose: () => void;
  readonly onStop: () => void;
}

/** A dialog that names the effect, asks for one reason and shows the progress. */
export function DecisionDialog({ question, progress, auditedAction, onClose, onStop }: DecisionDialogProps) {
  const isRunning = auditedAction.action.isBusy.value;
  const words = wordsFor(question?.decision ?? 'approved');
  const cancel = isRunning ? onStop : onClose;
  return (
    <Dialog title={t(words.title)} isOpen={question !== null} onCancel={cancel}>
      {question && (
        <form class="stack" onSubmit={(event) => void auditedAction.action.run(event)}>
          <p>{t(words.what, { count: question.registrations.length })}</p>
          <Names of={question.registrations} />
          <ReasonField of={auditedAction} isRequired={question.decision === 'rejected'} />
          {isRunning && progress && <Running progress={progress} />}
          <div class="actions">
            <Button kind="plain" onClick={cancel}>
              {t(isRunning ? 'adminRegistrations.stop' : 'common.cancel')}
            </Button>
            <Button submits kind={question.decision === 'rejected' ? 'danger' : 'main'} action={auditedAction.action}>
              {t(words.button)}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** The result: the number of successes, and the failures with their reasons. */
export const Result = ({ of: { decision, of, done, failed } }: { readonly of: Progress }) => (
  <Notice kind={failed.length > 0 ? 'warn' : 'good'}>
    <p>{t(wordsFor(decision).done, { count: done - failed.length })}</p>
    {done < of && <p>{t('adminRegistrations.stopped', { count: of - done })}</p>}
    {failed.length > 0 && (
      <>
        <p>{t('adminRegistrations.failed', { count: failed.length })}</p>
        <ul class="points undecided">
          {failed.map(({ registration, why }) => (
            <li key={registration.user_id}>
              <PersonLink id={registration.user_id} summary={{ ...registration, id: registration.user_id }} />: {why}
            </li>
          ))}
        </ul>
      </>
    )}
  </Notice>
);
