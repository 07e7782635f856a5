import { path, query } from '../../core/views.js';

const VIEW = '/admin/audit';

/** What the log may be filtered by, as the service and the address of the view name it. */
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

/** What the address of the view asks for. */
export function filtersAsked(): Filters {
  const said = new URLSearchParams(query.value);
  return Object.fromEntries(FILTERS.flatMap((name) => (said.get(name) ? [[name, said.get(name)]] : [])));
}

const viewWith = (values: Readonly<Record<string, string>>): string => {
  const said = new URLSearchParams(values).toString();
  return said ? `${VIEW}?${said}` : VIEW;
};

/** From the log itself, what it is filtered by stays. */
const present = (): Filters => (path.value === VIEW ? filtersAsked() : {});

/** The log, filtered by something more than now. */
export const pathWith = (values: Filters): string => viewWith({ ...present(), ...values });

/** The log, filtered by nothing but this. */
export const pathOfOnly = (values: Filters): string => viewWith(values as Readonly<Record<string, string>>);

/** One entry of the log. */
export const pathOfEntry = (id: string): string => viewWith({ ...present(), log_id: id });
