import { api } from './api.js';
import { offersConditionalCreate } from './passkeys.js';

/** What a sign-in by password leaves in this tab for the account, which may offer a passkey then. */
export interface PasswordSignIn {
  readonly user_id: string;
  /** For a passkey that the browser makes by itself, where it does that. */
  readonly options?: { readonly challenge: string };
}

const KEY = 'gatehouse.password-sign-in';
/** A challenge lives five minutes. */
const FRESH_MS = 270_000;

const REGISTRATION = '/v1/users/@me/mfa/webauthn/credentials/registration-options';

/**
 * Options need a confirmed address and a fresh proof, which was just typed. Whoever has another factor proves
 * themselves by that one.
 */
async function conditionalOptions(password: string): Promise<PasswordSignIn['options']> {
  if (password === '' || !(await offersConditionalCreate())) return undefined;
  const { verified } = await api.get('/v1/users/@me');
  if (!verified) return undefined;
  return api.post(REGISTRATION, { body: { password, mediation: 'conditional' } });
}

/** Notes that the person who is signed in now used a password. @param password as it was typed, if that proves them */
export async function notePasswordSignIn(userId: string, password: string): Promise<void> {
  // Whoever is signed in goes on without.
  const options = await conditionalOptions(password).catch(() => undefined);
  const noted = { user_id: userId, ...(options && { options }), until: Date.now() + FRESH_MS };
  sessionStorage.setItem(KEY, JSON.stringify(noted));
}

/** What was noted of a sign-in of that person a moment ago; it is told once. */
export function takePasswordSignIn(userId: string): PasswordSignIn | null {
  const noted = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as (PasswordSignIn & { until: number }) | null;
  sessionStorage.removeItem(KEY);
  return noted?.user_id === userId && noted.until > Date.now() ? noted : null;
}
