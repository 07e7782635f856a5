import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';
import type { Summary } from '../parts/person-link.js';
import { can } from '../rights.js';
import { extractSearchTerms } from '../search/search-terms.js';

export type Application = ResponseBody<paths, '/v1/admin/applications', 'get'>['applications'][number];

export const canReadById = (): boolean => can('get', '/v1/admin/applications/{application_id}');

/** An account ID, with a summary if the user may read it. */
export interface AccountReference {
  readonly id: string;
  readonly summary: Summary | null;
}

export const idIn = (text: string): string | undefined =>
  extractSearchTerms(text).finds.find(({ kind }) => kind === 'id')?.value;

export async function findAccountById(id: string): Promise<AccountReference | null> {
  if (!can('get', '/v1/admin/users/{user_id}')) return { id, summary: null };
  const { users } = await api.get('/v1/admin/users/{user_id}', { path: { user_id: id } });
  return users[0] ? { id, summary: users[0] } : null;
}

/** Finds an account by ID, by name with discriminator, or by email address. */
export async function findAccount(text: string): Promise<AccountReference | null> {
  const id = idIn(text);
  if (id !== undefined) return findAccountById(id);
  const named = extractSearchTerms(text).finds.find(({ kind }) => kind === 'tag' || kind === 'email');
  if (!named || !can('get', '/v1/admin/users')) return null;
  const { users } = await api.get('/v1/admin/users', { query: { resolve: named.value } });
  return users[0] ? { id: users[0].id, summary: users[0] } : null;
}

export async function applicationsOfOwner(id: string): Promise<readonly Application[]> {
  const { applications } = await api.get('/v1/admin/applications', { query: { owner_id: id } });
  return applications;
}

/** Falls back to the list of the owner if the user may not read applications by ID. */
export async function applicationBy(id: string, owner: string | null): Promise<Application | null> {
  if (canReadById()) {
    const { application } = await api.get('/v1/admin/applications/{application_id}', { path: { application_id: id } });
    return application;
  }
  return (owner ? await applicationsOfOwner(owner) : []).find((one) => one.id === id) ?? null;
}

/** Builds an account summary from separate fields. */
export const summaryOf = (id: string, username: string | null, discriminator: string | null): Summary | null =>
  username !== null && discriminator !== null ? { id, username, discriminator } : null;
