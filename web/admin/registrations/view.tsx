import { useSignal } from '@preact/signals';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Choice } from '../../kit/field.js';
import { useAuditedAction } from '../parts/audited-action.js';
import { Pages } from '../parts/paged.js';
import { PersonLink } from '../parts/person-link.js';
import { can } from '../rights.js';
import { type Decision, useBatchDecision } from './deciding.js';
import { DecisionDialog, type Question, Result, wordsFor } from './decision.js';
import './registrations.css';
import { nameOf, type Registration, useWaiting, type Waiting } from './waiting.js';

const mayDecide = (): boolean => can('patch', '/v1/admin/instance/pending-registrations/{user_id}');

/** The selected registrations. */
function useSelection() {
  const ticked = useSignal<ReadonlySet<string>>(new Set());
  return {
    has: ({ user_id: id }: Registration) => ticked.value.has(id),
    set: (registrations: readonly Registration[], isTicked: boolean) => {
      const next = new Set(ticked.value);
      for (const { user_id: id } of registrations) isTicked ? next.add(id) : next.delete(id);
      ticked.value = next;
    },
  };
}

type Selection = ReturnType<typeof useSelection>;
type Ask = (decision: Decision, registrations: readonly Registration[]) => void;

/** The applicant, with email and IP address if the service includes them. */
const Person = ({ of: registration }: { readonly of: Registration }) => (
  <div class="stack tight">
    <span>
      <PersonLink id={registration.user_id} summary={{ ...registration, id: registration.user_id }} />
      {registration.global_name && (
        <>
          {' '}
          <bdi>{registration.global_name}</bdi>
        </>
      )}
    </span>
    <span class="small quiet">
      <time dateTime={registration.requested_at}>{formatDateTime(registration.requested_at)}</time>
      {registration.email && (
        <>
          {' · '}
          <bdi>{registration.email}</bdi>
        </>
      )}
      {registration.client_ip && (
        <>
          {' · '}
          <code dir="ltr">{registration.client_ip}</code>
        </>
      )}
    </span>
  </div>
);

interface EntryProps {
  readonly registration: Registration;
  readonly selection: Selection;
  readonly ask: Ask;
}

const Decidable = ({ registration, selection, ask }: EntryProps) => (
  <>
    <Choice
      name={`registration-${registration.user_id}`}
      label={<Person of={registration} />}
      checked={selection.has(registration)}
      onChecked={(isTicked) => selection.set([registration], isTicked)}
    />
    <div class="row">
      {(['approved', 'rejected'] as const).map((decision) => (
        <Button
          key={decision}
          kind="plain"
          size="small"
          label={`${t(wordsFor(decision).button)}: ${nameOf(registration)}`}
          onClick={() => ask(decision, [registration])}
        >
          {t(wordsFor(decision).button)}
        </Button>
      ))}
    </div>
  </>
);

interface ListProps {
  readonly shown: readonly Registration[];
  readonly selection: Selection;
  readonly ask: Ask;
}

const List = ({ shown, selection, ask }: ListProps) => (
  <ul class="list registrations" aria-label={t('adminRegistrations.title')}>
    {shown.map((registration) => (
      <li key={registration.user_id}>
        {mayDecide() ? (
          <Decidable registration={registration} selection={selection} ask={ask} />
        ) : (
          <Person of={registration} />
        )}
      </li>
    ))}
  </ul>
);

/** Buttons for the selection. They stay in place while the list changes, and so does the focus. */
function Many({ shown, selection, ask }: ListProps) {
  const chosen = shown.filter(selection.has);
  return (
    <div class="row between many">
      <Choice
        name="all"
        label={t('adminRegistrations.all', { count: shown.length })}
        checked={chosen.length > 0 && chosen.length === shown.length}
        onChecked={(isTicked) => selection.set(shown, isTicked)}
      />
      <div class="row">
        <span class="small quiet" role="status">
          {t('adminRegistrations.chosen', { count: chosen.length })}
        </span>
        {(['approved', 'rejected'] as const).map((decision) => (
          <Button
            key={decision}
            kind={decision === 'rejected' ? 'plain' : 'main'}
            size="small"
            disabled={chosen.length === 0}
            onClick={() => ask(decision, chosen)}
          >
            {t(decision === 'approved' ? 'adminRegistrations.approveChosen' : 'adminRegistrations.rejectChosen')}
          </Button>
        ))}
      </div>
    </div>
  );
}

function useDecision({ paged, isDecided, forget }: Waiting, selection: Selection) {
  const question = useSignal<Question | null>(null);
  const deciding = useBatchDecision((registration) => {
    forget(registration);
    selection.set([registration], false);
  });
  const auditedAction = useAuditedAction(async (sent) => {
    if (!question.value) return;
    const { decision, registrations } = question.value;
    await deciding.decide(decision, registrations, sent);
    question.value = null;
    // Load the next registrations after all that are shown are approved or rejected.
    if (paged.items.value?.every(isDecided)) await paged.again.run();
  });
  const ask: Ask = (decision, registrations) => {
    question.value = { decision, registrations };
  };
  return { question, deciding, auditedAction, ask };
}

/** Pending registrations, with decisions about one or many. */
export default function Registrations() {
  const waiting = useWaiting();
  const selection = useSelection();
  const { question, deciding, auditedAction, ask } = useDecision(waiting, selection);
  const { paged, total, isDecided } = waiting;
  const result = deciding.progress.value;
  const shown = (paged.items.value ?? []).filter((registration) => !isDecided(registration));
  return (
    <>
      <p class="quiet">{t('adminRegistrations.lead')}</p>
      {result?.isOver && <Result of={result} />}
      {shown.length > 0 && <p>{t('adminRegistrations.waiting', { count: total })}</p>}
      {shown.length > 0 && mayDecide() && <Many shown={shown} selection={selection} ask={ask} />}
      <Pages of={paged} empty={t('adminRegistrations.none')}>
        {() => <List shown={shown} selection={selection} ask={ask} />}
      </Pages>
      <DecisionDialog
        question={question.value}
        progress={result}
        auditedAction={auditedAction}
        onClose={() => {
          question.value = null;
        }}
        onStop={deciding.stop}
      />
    </>
  );
}
