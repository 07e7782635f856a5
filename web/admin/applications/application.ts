import type { Answer, paths } from 'gatehouse/client';
import { api } from '../../core/api.js';
import type { Summary } from '../parts/people.js';
import { can } from '../rights.js';
import { findsIn } from '../search/finds.js';

export type Application = Answer<paths, '/v1/admin/applications', 'get'>['applications'][number];

export const canReadById = (): boolean => can('get', '/v1/admin/applications/{application_id}');

/** Somebody by their id; their name where it may be read. */
export interface Somebody {
  readonly id: string;
  readonly summary: Summary | null;
}

export const idIn = (text: string): string | undefined => findsIn(text).finds.find(({ kind }) => kind === 'id')?.value;

export async function byId(id: string): Promise<Somebody | null> {
  if (!can('get', '/v1/admin/users/{user_id}')) return { id, summary: null };
  const { users } = await api.get('/v1/admin/users/{user_id}', { path: { user_id: id } });
  return users[0] ? { id, summary: users[0] } : null;
}

/** Whom a text names: by id, by name with discriminator or by e-mail address. */
export async function somebodyBy(text: string): Promise<Somebody | null> {
  const id = idIn(text);
  if (id !== undefined) return byId(id);
  const named = findsIn(text).finds.find(({ kind }) => kind === 'tag' || kind === 'email');
  if (!named || !can('get', '/v1/admin/users')) return null;
  const { users } = await api.get('/v1/admin/users', { query: { resolve: named.value } });
  return users[0] ? { id: users[0].id, summary: users[0] } : null;
}

export async function ofOwner(id: string): Promise<readonly Application[]> {
  const { applications } = await api.get('/v1/admin/applications', { query: { owner_id: id } });
  return applications;
}

/** Whoever may only list those of an owner finds it among them. */
export async function applicationBy(id: string, owner: string | null): Promise<Application | null> {
  if (canReadById()) {
    const { application } = await api.get('/v1/admin/applications/{application_id}', { path: { application_id: id } });
    return application;
  }
  return (owner ? await ofOwner(owner) : []).find((one) => one.id === id) ?? null;
}

/** How an account that is known in pieces is called. */
export const summaryOf = (id: string, username: string | null, discriminator: string | null): Summary | null =>
  username !== null && discriminator !== null ? { id, username, discriminator } : null;
