import { signal } from '@preact/signals';
import { me } from '../rights.js';
import { FILTERS, type Filters } from './addresses.js';

/** A named set of filters. */
export interface SavedFilter {
  readonly name: string;
  readonly filters: Filters;
}

export const MAX_SAVED = 20;

/** Several administrators may use the same browser. */
const keyOf = (id: string): string => `gatehouse.audit-filters.${id}`;

/** Only known filters with texts are read, because anything may be stored there. */
function parse(text: string | null): SavedFilter[] {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(all)) return [];
    return all.flatMap((one: { readonly name?: unknown; readonly filters?: Record<string, unknown> } | null) => {
      const { name, filters } = one ?? {};
      const known = FILTERS.flatMap((filter) => {
        const value = filters?.[filter];
        return typeof value === 'string' ? [[filter, value]] : [];
      });
      return typeof name === 'string' && known.length > 0 ? [{ name, filters: Object.fromEntries(known) }] : [];
    });
  } catch {
    return [];
  }
}

const saved = signal<{ readonly owner: string; readonly all: readonly SavedFilter[] } | null>(null);

/** The saved filters of the signed-in administrator on this device. */
export function savedFilters(): readonly SavedFilter[] {
  const owner = me.value?.id ?? '';
  return saved.value?.owner === owner ? saved.value.all : parse(localStorage.getItem(keyOf(owner)));
}

function store(all: readonly SavedFilter[]): void {
  const owner = me.value?.id ?? '';
  localStorage.setItem(keyOf(owner), JSON.stringify(all));
  saved.value = { owner, all };
}

/** Saves filters under a name. The same name replaces the former filters. */
export const saveFilter = (name: string, filters: Filters): void =>
  store([...savedFilters().filter((one) => one.name !== name), { name, filters }].slice(-MAX_SAVED));

export const deleteFilter = (name: string): void => store(savedFilters().filter((one) => one.name !== name));
