import type { components } from 'gatehouse/client';
import { api } from '../core/api.js';
import { leaveFor } from '../core/places.js';
import { begin, session } from '../core/session.js';

/** What the service answers to whoever is signed in from now on. */
export type SignedIn = components['schemas']['TokenResponse'];

/** A right password that has to be followed by a second factor. */
export type Challenge = components['schemas']['MfaChallenge'];

/**
 * Somebody is signed in here from now on and goes on to `path`; who was before is not any more, on the server neither.
 * @param first what is done as them before they go on
 */
export async function enter(
  { token }: Pick<SignedIn, 'token'>,
  isKept: boolean,
  path: string,
  first?: () => Promise<void>,
): Promise<void> {
  // Whether the server heard it changes nothing here.
  if (session.value) await api.post('/v1/auth/logout').catch(() => {});
  begin(token, isKept);
  await first?.();
  leaveFor(path);
}
