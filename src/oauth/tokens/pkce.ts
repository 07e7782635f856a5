import { hash } from 'node:crypto';
import { TOKEN } from '../../core/secrets.js';

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether an authorisation request breaks a PKCE rule (oauth.md 3.1): only S256, and there where it is required. */
export function isPkceFaulty(challenge: string | undefined, method: string | undefined, isRequired: boolean): boolean {
  if (challenge === undefined) return method !== undefined || isRequired;
  return method !== 'S256' || !TOKEN.test(challenge);
}

/** What a verifier answers that is malformed, or missing where every client has to send one. */
const NO_CHALLENGE = '';

/** The challenge that a verifier answers. */
export function challengeOf(verifier: string | undefined, isRequired: boolean): string | null {
  if (verifier === undefined) return isRequired ? NO_CHALLENGE : null;
  return VERIFIER.test(verifier) ? hash('sha256', verifier, 'base64url') : NO_CHALLENGE;
}
