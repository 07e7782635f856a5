import { path, query } from '../../core/views.js';

const VIEW = '/admin/audit';

/** Filters of the audit log, with the names used by the service and by the URL of the view. */
export const FILTERS = [
  'admin_user_id',
  'action',
  'target_type',
  'target_id',
  'ip',
  'request_id',
  'from',
  'to',
] as const;

export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Partial<Record<Filter, string>>>;

/** The filters in the URL. */
export function filtersInUrl(): Filters {
  const said = new URLSearchParams(query.value);
  return Object.fromEntries(FILTERS.flatMap((name) => (said.get(name) ? [[name, said.get(name)]] : [])));
}

const viewWith = (values: Readonly<Record<string, string>>): string => {
  const said = new URLSearchParams(values).toString();
  return said ? `${VIEW}?${said}` : VIEW;
};

/** Within the log, existing filters are kept. */
const currentFilters = (): Filters => (path.value === VIEW ? filtersInUrl() : {});

/** The URL of the log with additional filters. */
export const pathWith = (values: Filters): string => viewWith({ ...currentFilters(), ...values });

/** The URL of the log with only these filters. */
export const pathOfSingleFilter = (values: Filters): string => viewWith(values as Readonly<Record<string, string>>);

/** The URL of one entry. */
export const pathOfEntry = (id: string): string => viewWith({ ...currentFilters(), log_id: id });
