import { navigate, query } from '../../core/views.js';
import { hasAcl } from '../rights.js';

/** Filters of the list, with the names that the URL of the view uses. */
const FILTERS = ['state', 'email_verified', 'second_factor', 'provider', 'created', 'seen'] as const;

export type Filter = (typeof FILTERS)[number];

export const STATES = ['active', 'disabled', 'suspended', 'pending_approval', 'deletion_scheduled', 'locked'] as const;
const SORTS = ['created', 'last_seen', 'username'] as const;
const ORDERS = ['asc', 'desc'] as const;

const PAGE = 50;
const DAY_MS = 86_400_000;
const SHORTEST_SEARCH = 2;
const ID = /^\d{15,19}$/;

const parametersInUrl = () => new URLSearchParams(query.value);
const one = <T extends string>(values: readonly T[], text: string | null): T | undefined =>
  values.find((value) => value === text);

export const filterInUrl = (name: Filter | 'q' | 'sort' | 'cursor'): string => parametersInUrl().get(name) ?? '';

/** How many filters are set, without the search. */
export const activeFilters = (): number => FILTERS.filter((name) => filterInUrl(name) !== '').length;

export const isFiltered = (): boolean => activeFilters() > 0 || filterInUrl('q') !== '';

function pathWith(values: Readonly<Record<string, string>>): string {
  const next = parametersInUrl();
  for (const [name, value] of Object.entries(values)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const said = next.toString();
  return said ? `/admin/people?${said}` : '/admin/people';
}

/** The URL of the page at a cursor; of the first page without one. */
export const pathOfPage = (cursor: string | null): string => pathWith({ cursor: cursor ?? '' });

/**
 * Changes the list, which then starts at its first page.
 * @param options.isInstead replaces the history entry, so that a search leaves one entry and not one per letter
 */
export const setFilters = (values: Readonly<Record<string, string>>, options?: { isInstead: boolean }): void =>
  navigate(pathWith({ ...values, cursor: '' }), options);

export const clearFilters = (): void => setFilters(Object.fromEntries([...FILTERS, 'q'].map((name) => [name, ''])));

/** A time some days ago, from a filter such as `7d` or, for times before it, `-30d`. */
function rangeOf(days: string): { readonly from?: string; readonly to?: string } {
  const [, sign, count] = /^(-?)([1-9]\d{0,3})d$/.exec(days) ?? [];
  if (count === undefined) return {};
  const at = new Date(Date.now() - Number(count) * DAY_MS).toISOString();
  return sign ? { to: at } : { from: at };
}

/** The query of the page in the URL. A whole ID finds its account, whatever the filters. */
export function listQuery() {
  const text = filterInUrl('q').trim();
  if (ID.test(text)) return { user_id: [text] };
  const [created, seen] = [rangeOf(filterInUrl('created')), rangeOf(filterInUrl('seen'))];
  const [sort, order] = filterInUrl('sort').split(':');
  const flags = ['true', 'false'] as const;
  const values = {
    q: [...text].length >= SHORTEST_SEARCH ? text : undefined,
    state: one(STATES, filterInUrl('state')),
    email_verified: hasAcl('user:view:email') ? one(flags, filterInUrl('email_verified')) : undefined,
    second_factor: one(flags, filterInUrl('second_factor')),
    provider: filterInUrl('provider') || undefined,
    created_from: created.from,
    created_to: created.to,
    last_seen_from: seen.from,
    last_seen_to: seen.to,
    sort: one(SORTS, sort ?? null) ?? 'created',
    order: one(ORDERS, order ?? null),
    cursor: filterInUrl('cursor') || undefined,
    limit: PAGE,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<{
    [K in keyof typeof values]: NonNullable<(typeof values)[K]>;
  }>;
}
