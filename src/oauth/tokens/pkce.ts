import { hash } from 'node:crypto';
import { TOKEN } from '../../core/secrets.js';

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether an authorisation request breaks a PKCE rule (oauth.md 3.1): only S256, required of public clients. */
export function isPkceFaulty(
  challenge: string | undefined,
  method: string | undefined,
  clientType: 'confidential' | 'public',
): boolean {
  if (challenge === undefined) return method !== undefined || clientType === 'public';
  return method !== 'S256' || !TOKEN.test(challenge);
}

/** The challenge that a verifier answers; a malformed one answers none. */
export function challengeOf(verifier: string | undefined): string | null {
  if (verifier === undefined) return null;
  return VERIFIER.test(verifier) ? hash('sha256', verifier, 'base64url') : '';
}
