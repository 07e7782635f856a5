import { ApiError, type paths, type ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';
import type { TranslationKey } from '../../core/language.js';
import type { Entry } from '../parts/entries.js';
import { type AdminUser, can, hasAcl, type Operation, registry } from '../rights.js';
import type { Kind, SearchTerm } from './search-terms.js';

export type Application = ResponseBody<paths, '/v1/admin/applications', 'get'>['applications'][number];
type Key = ResponseBody<paths, '/v1/admin/api-keys', 'get'>[number];

/** A search result, with an ID that is unique in its kind. */
export type SearchHit =
  | { readonly sort: 'people'; readonly id: string; readonly user: AdminUser }
  | { readonly sort: 'applications'; readonly id: string; readonly application: Application }
  | { readonly sort: 'keys'; readonly id: string; readonly key: Key | null }
  | { readonly sort: 'entries'; readonly id: string; readonly entry: Entry }
  | { readonly sort: 'bans'; readonly id: string; readonly isBanned: boolean }
  | { readonly sort: 'requests'; readonly id: string; readonly count: number };
export type HitKind = SearchHit['sort'];

/** The total number of matches if only the first are shown, and a link to all. */
export interface Total {
  readonly sort: HitKind;
  readonly of: string;
  readonly count: number;
  readonly shown: number;
  readonly href: string | null;
}

/** The results of one operation. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly total?: Total;
}

/** One search provider. */
export interface SearchProvider {
  /** What it finds, as a translation key. */
  readonly what: TranslationKey;
  readonly operation: Operation;
  /** ACLs that it needs in addition to those of its route. */
  readonly acls?: readonly string[];
  readonly run: (value: string) => Promise<SearchResult>;
}

/** Maximum number of accounts shown. With more matches, the user needs a more specific search. */
const MAX_PEOPLE = 50;
const MAX_ENTRIES = 10;

type Users = ResponseBody<paths, '/v1/admin/users', 'get'>;
type Selector = {
  readonly [name in 'resolve' | 'username' | 'email' | 'phone' | 'session_id_hash' | 'last_active_ip']?: string;
};

const peopleOf = (users: readonly AdminUser[]): readonly SearchHit[] =>
  users.map((user) => ({ sort: 'people', id: user.id, user }));

async function people(of: string, selector: Selector): Promise<SearchResult> {
  const { users, total }: Users = await api.get('/v1/admin/users', { query: { ...selector, limit: MAX_PEOPLE } });
  return { hits: peopleOf(users), total: { sort: 'people', of, count: total, shown: users.length, href: null } };
}

type Filter = { readonly [name in 'request_id' | 'ip' | 'target_id']?: string };

async function entries(of: string, filter: Filter): Promise<SearchResult> {
  const { logs, total } = await api.get('/v1/admin/audit-logs', { query: { ...filter, limit: MAX_ENTRIES } });
  const href = `/admin/audit?${new URLSearchParams(filter as Record<string, string>)}`;
  return {
    hits: logs.map((entry) => ({ sort: 'entries', id: entry.log_id, entry })),
    total: { sort: 'entries', of, count: total, shown: logs.length, href },
  };
}

/** Searches the audit log, which also identifies keys of other administrators. */
async function entriesAbout(id: string): Promise<SearchResult> {
  const found = await entries(id, { target_id: id });
  const isKey = found.hits.some((hit) => hit.sort === 'entries' && hit.entry.target_type === 'admin_api_key');
  return isKey ? { ...found, hits: [...found.hits, { sort: 'keys', id, key: null }] } : found;
}

async function requests(id: string): Promise<SearchResult> {
  const found = await entries(id, { request_id: id });
  return { ...found, hits: [...found.hits, { sort: 'requests', id, count: found.total?.count ?? 0 }] };
}

async function ban(value: string): Promise<SearchResult> {
  const { banned } = await api.get('/v1/admin/blocklists/ip/entries/{value}', { path: { value } });
  return { hits: [{ sort: 'bans', id: value, isBanned: banned }] };
}

/**
 * Bans are listed in order of their values. The first one after the value just before the range is the ban of the
 * range, if there is one.
 */
async function banOfRange(value: string): Promise<SearchResult> {
  const last = value.length - 1;
  const after = `${value.slice(0, last)}${String.fromCharCode(value.charCodeAt(last) - 1)}~`;
  const { items } = await api.get('/v1/admin/blocklists/ip/entries', { query: { after, limit: 1 } });
  return { hits: [{ sort: 'bans', id: value, isBanned: items[0]?.value === value }] };
}

const USERS: Operation = ['get', '/v1/admin/users'];
const LOGS: Operation = ['get', '/v1/admin/audit-logs'];

const personById: SearchProvider = {
  what: 'adminSearch.personById',
  operation: ['get', '/v1/admin/users/{user_id}'],
  run: async (id) => ({
    hits: peopleOf((await api.get('/v1/admin/users/{user_id}', { path: { user_id: id } })).users),
  }),
};

const applicationById: SearchProvider = {
  what: 'adminSearch.applicationById',
  operation: ['get', '/v1/admin/applications/{application_id}'],
  run: async (id) => {
    const { application } = await api.get('/v1/admin/applications/{application_id}', { path: { application_id: id } });
    return { hits: application ? [{ sort: 'applications', id, application }] : [] };
  },
};

const keyById: SearchProvider = {
  what: 'adminSearch.keyById',
  operation: ['get', '/v1/admin/api-keys/{key_id}'],
  run: async (id) => {
    const key = await api.get('/v1/admin/api-keys/{key_id}', { path: { key_id: id } });
    return { hits: [{ sort: 'keys', id, key }] };
  },
};

const entryById: SearchProvider = {
  what: 'adminSearch.entryById',
  operation: ['get', '/v1/admin/audit-logs/{log_id}'],
  run: async (id) => {
    const entry = await api.get('/v1/admin/audit-logs/{log_id}', { path: { log_id: id } });
    return { hits: [{ sort: 'entries', id, entry }] };
  },
};

const byName = (put: SearchProvider['run']): SearchProvider => ({
  what: 'adminSearch.personByName',
  operation: USERS,
  run: put,
});

const byAddress: SearchProvider = {
  what: 'adminSearch.entriesByAddress',
  operation: LOGS,
  run: (ip) => entries(ip, { ip }),
};

/** All search providers per kind of input. */
const SEARCH_PROVIDERS: Readonly<Record<Kind, readonly SearchProvider[]>> = {
  id: [
    personById,
    applicationById,
    keyById,
    entryById,
    { what: 'adminSearch.entriesAbout', operation: LOGS, run: entriesAbout },
  ],
  name: [byName((username) => people(username, { username }))],
  tag: [byName((resolve) => people(resolve, { resolve }))],
  email: [
    {
      what: 'adminSearch.personByEmail',
      operation: USERS,
      acls: ['user:view:email'],
      run: (email) => people(email, { email }),
    },
  ],
  phone: [
    {
      what: 'adminSearch.personByPhone',
      operation: USERS,
      acls: ['user:update:phone'],
      run: (phone) => people(phone, { phone }),
    },
  ],
  session: [
    {
      what: 'adminSearch.personBySession',
      operation: USERS,
      acls: ['user:list:sessions'],
      run: (hash) => people(hash, { session_id_hash: hash }),
    },
  ],
  address: [
    {
      what: 'adminSearch.personByAddress',
      operation: USERS,
      acls: ['user:view:ip'],
      run: (ip) => people(ip, { last_active_ip: ip }),
    },
    { what: 'adminSearch.bans', operation: ['get', '/v1/admin/blocklists/ip/entries/{value}'], run: ban },
    byAddress,
  ],
  network: [
    { what: 'adminSearch.bans', operation: ['get', '/v1/admin/blocklists/ip/entries'], run: banOfRange },
    byAddress,
  ],
  request: [{ what: 'adminSearch.entriesByRequest', operation: LOGS, run: requests }],
};

const isPermitted = ({ operation, acls = [] }: SearchProvider): boolean => can(...operation) && acls.every(hasAcl);

/** The ACLs that the user lacks for a provider. */
function missingAcls({ operation: [method, path], acls = [] }: SearchProvider): readonly string[] {
  const template = path.replace(/\{(\w+)\}/g, ':$1');
  const rule = registry.value?.operations.find((one) => one.method === method.toUpperCase() && one.path === template);
  return [...(rule?.acls ?? []), ...acls].filter((acl) => !hasAcl(acl));
}

/** Everything that the user can search for, as translation keys. */
export const searchable = (): readonly TranslationKey[] => [
  ...new Set(
    Object.values(SEARCH_PROVIDERS)
      .flat()
      .filter(isPermitted)
      .map(({ what }) => what),
  ),
];

/** The searches that the user may run, and the missing ACLs of the others. */
export function searchesFor(finds: readonly SearchTerm[]) {
  const all = finds.flatMap(({ kind, value }) => SEARCH_PROVIDERS[kind].map((ask) => ({ ask, value })));
  return {
    jobs: all.filter(({ ask }) => isPermitted(ask)),
    lacking: new Map(all.flatMap(({ ask }) => (isPermitted(ask) ? [] : [[ask.what, missingAcls(ask)]]))),
  };
}

/** Runs a search. A 404 response counts as no results. */
export async function runSearch(ask: SearchProvider, value: string): Promise<SearchResult> {
  try {
    return await ask.run(value);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { hits: [] };
    throw error;
  }
}
