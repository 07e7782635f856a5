import type { components } from '@gatehouse-auth/client';
import { api } from '../core/api.js';
import { replacePage } from '../core/redirects.js';
import { session, startSession } from '../core/session.js';

/** The response of a completed sign-in. */
export type SignedIn = components['schemas']['TokenResponse'];

/** The response to a correct password if a second factor is required. */
export type Challenge = components['schemas']['MfaChallenge'];

/**
 * Starts a session and opens `path`, if there is one. Ends a previous session, also on the server.
 * @param first runs in the new session before the redirect
 */
export async function completeSignIn(
  { token }: Pick<SignedIn, 'token'>,
  isKept: boolean,
  path: string | null,
  first?: () => Promise<void>,
): Promise<void> {
  // Ignore errors, because the new session starts anyway.
  if (session.value) await api.post('/v1/auth/logout').catch(() => {});
  startSession(token, isKept);
  await first?.();
  if (path !== null) void replacePage(path);
}
