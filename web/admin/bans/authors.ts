import { signal } from '@preact/signals';
import { toFailure } from '../../core/action.js';
import { api } from '../../core/api.js';
import type { Summary } from '../parts/person-link.js';
import { can, me } from '../rights.js';
import type { Ban } from './ban.js';

/** The most accounts that one request looks up. */
const MAX_IDS = 100;

const found = signal<ReadonlyMap<string, Summary>>(new Map());

/** The account that created a ban, if it is known. */
export const authorOf = (id: string): Summary | undefined => (me.value?.id === id ? me.value : found.value.get(id));

/** Looks up the accounts that created bans, in one request. Without them, the bans show IDs. */
export async function loadAuthors(bans: readonly Ban[]): Promise<void> {
  if (!can('get', '/v1/admin/users')) return;
  const ids = bans.flatMap(({ created_by_user_id: id }) => (id && id !== '0' && !authorOf(id) ? [id] : []));
  const missing = [...new Set(ids)].slice(0, MAX_IDS);
  if (missing.length === 0) return;
  try {
    const { users } = await api.get('/v1/admin/users', { query: { user_id: missing, limit: missing.length } });
    found.value = new Map([...found.value, ...users.map((user) => [user.id, user] as const)]);
  } catch (error) {
    // Rethrows unexpected errors.
    toFailure(error);
  }
}
