import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Select } from '../../kit/field.js';
import { Icon } from '../../kit/icon.js';
import { Badge } from '../../kit/portrait.js';
import { hasAcl } from '../rights.js';
import { activeFilters, clearFilters, type Filter, filterInUrl, isFiltered, setFilters } from './filters.js';
import { STATE_WORDS } from './states.js';

/** The pause in typing after which the search starts. */
const PAUSE_MS = 300;

function Search() {
  const id = useId();
  const inUrl = filterInUrl('q');
  const text = useSignal(inUrl);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (text.value.trim() !== inUrl) text.value = inUrl;
    return () => clearTimeout(timer.current);
  }, [inUrl, text]);
  const search = () => {
    clearTimeout(timer.current);
    setFilters({ q: text.value.trim() }, { isInstead: true });
  };
  return (
    <search>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <label for={id}>{t('adminPeople.search')}</label>
        <input
          id={id}
          type="search"
          name="q"
          class="input"
          dir="auto"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={64}
          aria-describedby={`${id}-hint`}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            clearTimeout(timer.current);
            timer.current = setTimeout(search, PAUSE_MS);
          }}
        />
        <div class="hint" id={`${id}-hint`}>
          {t(hasAcl('user:update:email') ? 'adminPeople.searchHint' : 'adminPeople.searchHintNames')}
        </div>
      </form>
    </search>
  );
}

interface OneProps {
  readonly name: Filter;
  readonly label: TranslationKey;
  readonly options: Readonly<Record<string, TranslationKey>>;
}

const One = ({ name, label, options }: OneProps) => (
  <Select
    name={name}
    label={t(label)}
    value={filterInUrl(name)}
    options={{
      '': t('adminPeople.any'),
      ...Object.fromEntries(Object.entries(options).map(([value, words]) => [value, t(words)])),
    }}
    onValue={(value) => setFilters({ [name]: value })}
  />
);

const YES_OR_NO = { true: 'adminPerson.yes', false: 'adminPerson.no' } as const;
const WITHIN = { '1d': 'adminPeople.day', '7d': 'adminPeople.week', '30d': 'adminPeople.month' } as const;
const SEEN = { ...WITHIN, '-30d': 'adminPeople.notMonth', '-90d': 'adminPeople.notQuarter' } as const;
const SORTS = {
  '': 'adminPeople.newest',
  'created:asc': 'adminPeople.oldest',
  'last_seen:desc': 'adminPeople.seenLast',
  'last_seen:asc': 'adminPeople.seenFirst',
  'username:asc': 'adminPeople.byName',
} as const;

/** The filters, behind a button on narrow screens. */
function Filters() {
  const id = useId();
  const isOpen = useSignal(false);
  const count = activeFilters();
  return (
    <>
      <button
        type="button"
        class="button plain small people-filters-button"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {t('adminAudit.filters')}
        {count > 0 && <Badge>{count}</Badge>}
        <Icon name="chevron-down" size={16} />
      </button>
      <div id={id} class={isOpen.value ? 'people-filters is-open' : 'people-filters'}>
        <One name="state" label="adminPeople.state" options={STATE_WORDS} />
        {hasAcl('user:view:email') && (
          <One name="email_verified" label="adminPeople.emailVerified" options={YES_OR_NO} />
        )}
        <One name="second_factor" label="adminPeople.secondFactor" options={YES_OR_NO} />
        <One name="provider" label="adminPerson.sso" options={{ sso: 'adminPerson.yes' }} />
        <One name="created" label="adminPerson.created" options={WITHIN} />
        <One name="seen" label="adminPeople.lastSeen" options={SEEN} />
        <Select
          name="sort"
          label={t('adminPeople.sort')}
          value={filterInUrl('sort')}
          options={Object.fromEntries(Object.entries(SORTS).map(([value, words]) => [value, t(words)]))}
          onValue={(value) => setFilters({ sort: value })}
        />
      </div>
    </>
  );
}

/** The search and the filters of the list. A change applies immediately, and the URL contains it. */
export const FilterBar = () => (
  <section class="stack" aria-label={t('adminAudit.filters')}>
    <Search />
    <Filters />
    {isFiltered() && (
      <div>
        <Button kind="plain" size="small" onClick={clearFilters}>
          {t('adminAudit.clear')}
        </Button>
      </div>
    )}
  </section>
);
