import { api } from '../../core/api.js';
import type { Words } from '../../core/language.js';
import { can } from '../rights.js';

/** Nobody that is known by what was typed, or more than one. */
export class Unresolved extends Error {
  constructor(readonly words: Words) {
    super(words);
  }
}

/** Whether accounts may be named by something else than their ids. */
export const findsAccounts = (): boolean => can('get', '/v1/admin/users');

const selectorOf = (text: string) => (/#\d{4}$|@/.test(text) ? { resolve: text } : { username: text });

/**
 * The id of the account that is meant by an id, `name#0000`, a name or an e-mail address.
 * @throws Unresolved, Refused
 */
export async function accountMeant(text: string): Promise<string> {
  if (/^\d*$/.test(text) || !findsAccounts()) return text;
  const { users } = await api.get('/v1/admin/users', { query: { ...selectorOf(text), limit: 2 } });
  const [user, ...others] = users;
  if (!user) throw new Unresolved('adminAudit.nobody');
  if (others.length > 0) throw new Unresolved('adminAudit.several');
  return user.id;
}
