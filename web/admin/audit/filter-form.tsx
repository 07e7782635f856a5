import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { describedBy, Field, fieldOf, Notes } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { setQueryParameters } from '../parts/address.js';
import { hasAcl } from '../rights.js';
import { findsAccounts, resolveAccountId, Unresolved } from './accounts.js';
import { FILTERS, type Filter, filtersInUrl } from './addresses.js';
import { localOf, utcOf } from './times.js';
import { actionText, allActions, allTargets, nameOf, targetText } from './words.js';

type Draft = Readonly<Record<Filter, Signal<string>>>;
type Faults = Readonly<Partial<Record<Filter, TranslationKey>>>;

interface OneProps {
  readonly name: Filter;
  readonly draft: Draft;
  readonly action: Action;
}

/** A text input with suggestions. Other values are allowed, because old entries may have them. */
function Suggested({ name, draft, action, known }: OneProps & { readonly known: readonly string[] }) {
  const id = useId();
  const wrong = action.of(name);
  return (
    <div class="field">
      <label for={id}>{t(`adminAudit.${name}`)}</label>
      <input
        id={id}
        name={name}
        class="input"
        list={`${id}-known`}
        maxLength={64}
        value={draft[name].value}
        aria-invalid={wrong ? 'true' : undefined}
        aria-describedby={describedBy({ id, wrong })}
        onInput={(event) => {
          draft[name].value = event.currentTarget.value;
        }}
      />
      <datalist id={`${id}-known`}>
        {known.map((words) => (
          <option key={words} value={words} />
        ))}
      </datalist>
      <Notes id={id} wrong={wrong} />
    </div>
  );
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function TimeField({ name, draft, action }: OneProps) {
  const id = useId();
  const hint = t('adminAudit.zone', { zone: ZONE });
  const wrong = action.of(name);
  return (
    <div class="field">
      <label for={id}>{t(`adminAudit.${name}`)}</label>
      <input
        id={id}
        name={name}
        type="datetime-local"
        class="input"
        value={draft[name].value}
        aria-invalid={wrong ? 'true' : undefined}
        aria-describedby={describedBy({ id, hint, wrong })}
        onInput={(event) => {
          draft[name].value = event.currentTarget.value;
        }}
      />
      <Notes id={id} hint={hint} wrong={wrong} />
    </div>
  );
}

function useDraft(): Draft {
  const filters = filtersInUrl();
  return {
    admin_user_id: useSignal(filters.admin_user_id ?? ''),
    action: useSignal(filters.action ? actionText(filters.action) : ''),
    target_type: useSignal(filters.target_type ? targetText(filters.target_type) : ''),
    target_id: useSignal(filters.target_id ?? ''),
    ip: useSignal(filters.ip ?? ''),
    request_id: useSignal(filters.request_id ?? ''),
    from: useSignal(localOf(filters.from)),
    to: useSignal(localOf(filters.to)),
  };
}

/** An unchanged time keeps its original precision. */
const timeOf = (local: string, edge: 'from' | 'to'): string => {
  const current = filtersInUrl()[edge];
  return current && localOf(current) === local ? current : utcOf(local, edge);
};

/** Converts the form to filter values. @throws Unresolved, ApiError */
async function resolveDraft(draft: Draft, meet: (name: Filter, text: string) => Promise<string>) {
  const typed = (name: Filter) => draft[name].value.trim();
  const targetId = await meet('target_id', typed('target_id'));
  const type = nameOf(typed('target_type'), allTargets(), targetText);
  return {
    admin_user_id: await meet('admin_user_id', typed('admin_user_id')),
    action: nameOf(typed('action'), allActions(), actionText),
    // A name always resolves to an account.
    target_type: type === '' && targetId !== typed('target_id') ? 'user' : type,
    target_id: targetId,
    ip: typed('ip'),
    request_id: typed('request_id'),
    from: timeOf(draft.from.value, 'from'),
    to: timeOf(draft.to.value, 'to'),
  };
}

/** Checks the filters with the service before they go into the URL, so that invalid input stays in the form. */
function useApplying(draft: Draft, onApplied: () => void): Action {
  const faults = useSignal<Faults>({});
  const action = useAction(
    async () => {
      faults.value = {};
      const meet = async (name: Filter, text: string) => {
        try {
          return await resolveAccountId(text);
        } catch (error) {
          if (error instanceof Unresolved) faults.value = { ...faults.value, [name]: error.words };
          else throw error;
          return text;
        }
      };
      const next = await resolveDraft(draft, meet);
      if (Object.keys(faults.value).length > 0) return;
      const query = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
      await api.get('/v1/admin/audit-logs', { query: { ...query, limit: 1 } });
      onApplied();
      setQueryParameters(next);
    },
    { fields: FILTERS },
  );
  const of = (name: string): string | undefined => {
    const fault = faults.value[name as Filter];
    return fault ? t(fault) : action.of(name);
  };
  return { ...action, of };
}

const accountHint = (isTarget: boolean): string => {
  if (isTarget) return t(findsAccounts() ? 'adminAudit.targetHint' : 'adminAudit.targetHintIds');
  return t(findsAccounts() ? 'adminAudit.whoHint' : 'adminAudit.whoHintIds');
};

/** A form to edit all filters. */
export function FilterForm({ onDone }: { readonly onDone: () => void }) {
  const draft = useDraft();
  const action = useApplying(draft, onDone);
  const text = (name: Filter) => ({ ...fieldOf(draft[name], action, name), label: t(`adminAudit.${name}`) });
  return (
    <form class="section" onSubmit={(event) => void action.run(event)} aria-label={t('adminAudit.filter')}>
      <div class="filter-fields">
        <Field {...text('admin_user_id')} hint={accountHint(false)} maxLength={320} isVerbatim />
        <Field {...text('target_id')} hint={accountHint(true)} maxLength={320} isVerbatim />
        <Suggested name="target_type" draft={draft} action={action} known={allTargets().map(targetText)} />
        <Suggested name="action" draft={draft} action={action} known={allActions().map(actionText)} />
        <Field
          {...text('ip')}
          hint={t(hasAcl('user:view:ip') ? 'adminAudit.ipHint' : 'adminAudit.ipHintBans')}
          maxLength={45}
          isVerbatim
        />
        <Field {...text('request_id')} maxLength={64} isVerbatim />
        <TimeField name="from" draft={draft} action={action} />
        <TimeField name="to" draft={draft} action={action} />
      </div>
      <FailureNotice of={action} />
      <div class="actions">
        <Button kind="plain" onClick={onDone}>
          {t('common.cancel')}
        </Button>
        <Button submits action={action}>
          {t('adminAudit.apply')}
        </Button>
      </div>
    </form>
  );
}
