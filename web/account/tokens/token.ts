import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';
import { loadScopeWords, type ScopeWords } from '../../core/scopes.js';

export const TOKENS = '/v1/users/@me/access-tokens';

export type Token = ResponseBody<paths, typeof TOKENS, 'get'>['tokens'][number];

/** Everything that the view shows. */
export interface TokensAndScopes {
  readonly tokens: readonly Token[];
  /** The scopes that a token can have. */
  readonly scopes: readonly string[];
  readonly words: ScopeWords;
}

/** Scopes that only make sense for an application with a user in front of it (tokens.md section 1). */
const INTERACTIVE_SCOPES: readonly string[] = ['bot', 'openid', 'profile', 'offline_access'];

export async function loadTokens(): Promise<TokensAndScopes> {
  const [{ tokens }, { scopes_supported: supported }] = await Promise.all([
    api.get(TOKENS),
    api.get('/.well-known/oauth-authorization-server'),
  ]);
  const scopes = supported.filter((scope) => !INTERACTIVE_SCOPES.includes(scope));
  return { tokens, scopes, words: await loadScopeWords([...scopes, ...tokens.flatMap((token) => token.scopes)]) };
}
