import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { query } from '../../core/views.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { ExpandableForm } from '../../kit/opened.js';
import { queryParameter } from '../parts/address.js';
import { Pages, usePaged } from '../parts/paged.js';
import { filtersInUrl } from './addresses.js';
import { ChainState } from './chain.js';
import { Chips } from './chips.js';
import type { AuditPage, Entry } from './entry.js';
import { Export } from './export.js';
import { FilterForm } from './filter-form.js';
import { Live, withNewer } from './live.js';
import { One } from './one.js';
import { Saved } from './saved.js';
import { EntryTable } from './table.js';

const PAGE = 50;

/** The pages of entries, with the total and the state of the hash chain. */
function useLog() {
  const whole = useSignal<Pick<AuditPage, 'total' | 'chain'> | null>(null);
  const paged = usePaged<Entry>(async (known) => {
    const before = known.at(-1)?.log_id;
    // Request one more entry to find out whether there is another page.
    const sent = { ...filtersInUrl(), limit: PAGE + 1, ...(before === undefined ? {} : { before }) };
    const { logs, total, chain } = await api.get('/v1/admin/audit-logs', { query: sent });
    whole.value = { total, chain };
    return { items: logs.slice(0, PAGE), hasMore: logs.length > PAGE };
  }, JSON.stringify(filtersInUrl()));
  /** Adds the entries that are new since the last request. */
  const follow = async () => {
    const requested = query.value;
    const { logs, total, chain } = await api.get('/v1/admin/audit-logs', { query: { ...filtersInUrl(), limit: PAGE } });
    const known = paged.items.peek();
    if (requested !== query.value || known === null) return;
    whole.value = { total, chain };
    const all = withNewer(known, logs);
    if (all === null) await paged.again.run();
    else if (all !== known) paged.update(() => all);
  };
  return { whole, paged, follow };
}

function Log() {
  const { whole, paged, follow } = useLog();
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const { items } = paged;
  return (
    <>
      {whole.value && <ChainState of={whole.value.chain} />}
      <div class="stack">
        <ExpandableForm label={t('adminAudit.filter')}>
          {(fold) => <FilterForm key={query.value} onDone={fold} />}
        </ExpandableForm>
        <Chips entries={items.value ?? []} />
        <Saved />
      </div>
      <div class="stack">
        <div class="row between">
          <h2 ref={heading} tabIndex={-1}>
            {t('adminAudit.entries')}
          </h2>
          <span class="small quiet" role="status">
            {items.value && whole.value && t('adminAudit.fitting', { count: whole.value.total })}
          </span>
        </div>
        <div class="row between">
          <Live ask={follow} />
          <Export />
        </div>
        <Pages of={paged} empty={t('adminAudit.none')}>
          {(entries) => <EntryTable of={entries} label={t('adminAudit.entries')} />}
        </Pages>
      </div>
    </>
  );
}

/** The audit log with filters, live updates, export and the state of the hash chain. */
export default function View() {
  const id = queryParameter('log_id');
  const former = useRef(id);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (former.current !== id) place.current?.querySelector('h2')?.focus();
    former.current = id;
  }, [id]);
  return (
    <div class="stack roomy" ref={place}>
      {id ? <One key={id} id={id} /> : <Log />}
    </div>
  );
}
