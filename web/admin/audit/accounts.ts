import { api } from '../../core/api.js';
import type { TranslationKey } from '../../core/language.js';
import { can } from '../rights.js';

/** The input matches no account, or more than one. */
export class Unresolved extends Error {
  constructor(readonly words: TranslationKey) {
    super(words);
  }
}

/** True if accounts can be found by something other than their ID. */
export const findsAccounts = (): boolean => can('get', '/v1/admin/users');

const selectorOf = (text: string) => (/#\d{4}$|@/.test(text) ? { resolve: text } : { username: text });

/**
 * Resolves an ID, `name#0000`, a name or an email address to an account ID.
 * @throws Unresolved, ApiError
 */
export async function resolveAccountId(text: string): Promise<string> {
  if (/^\d*$/.test(text) || !findsAccounts()) return text;
  const { users } = await api.get('/v1/admin/users', { query: { ...selectorOf(text), limit: 2 } });
  const [user, ...others] = users;
  if (!user) throw new Unresolved('adminAudit.nobody');
  if (others.length > 0) throw new Unresolved('adminAudit.several');
  return user.id;
}
