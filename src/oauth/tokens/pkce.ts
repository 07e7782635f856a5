import { hash } from 'node:crypto';
import { TOKEN } from '../../core/secrets.js';

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * Whether an authorization request breaks a PKCE rule (oauth.md 3.1). Only S256 is accepted, and it can be required.
 */
export function isPkceFaulty(challenge: string | undefined, method: string | undefined, isRequired: boolean): boolean {
  if (challenge === undefined) return method !== undefined || isRequired;
  return method !== 'S256' || !TOKEN.test(challenge);
}

/** Used for a verifier that is malformed, or that is absent although it is required. It matches no challenge. */
const NO_CHALLENGE = '';

/** Returns the challenge that matches a verifier. Returns `null` if it is absent and not required. */
export function challengeOf(verifier: string | undefined, isRequired: boolean): string | null {
  if (verifier === undefined) return isRequired ? NO_CHALLENGE : null;
  return VERIFIER.test(verifier) ? hash('sha256', verifier, 'base64url') : NO_CHALLENGE;
}
