import { api } from './api.js';
import { offersConditionalCreate } from './passkeys.js';

/** A note about a password sign-in in this tab. The account page uses it to offer a passkey. */
export interface PasswordSignIn {
  readonly user_id: string;
  /** Options to create a passkey automatically, if the browser supports that. */
  readonly options?: { readonly challenge: string };
}

const KEY = 'gatehouse.password-sign-in';
/** Challenges expire after five minutes. */
const FRESH_MS = 270_000;

const REGISTRATION = '/v1/users/@me/mfa/webauthn/credentials/registration-options';

/**
 * Requests options with the password that was just entered. They require a verified email address and sudo mode. Users
 * with a second factor cannot use the password for that.
 */
async function conditionalOptions(password: string): Promise<PasswordSignIn['options']> {
  if (password === '' || !(await offersConditionalCreate())) return undefined;
  const { verified } = await api.get('/v1/users/@me');
  if (!verified) return undefined;
  return api.post(REGISTRATION, { body: { password, mediation: 'conditional' } });
}

/** Records a password sign-in. @param password the entered password, empty if a second factor was used */
export async function notePasswordSignIn(userId: string, password: string): Promise<void> {
  // Ignore errors, because this must not block the sign-in.
  const options = await conditionalOptions(password).catch(() => undefined);
  const noted = { user_id: userId, ...(options && { options }), until: Date.now() + FRESH_MS };
  sessionStorage.setItem(KEY, JSON.stringify(noted));
}

/** Returns and deletes the note about a recent password sign-in of the user. */
export function takePasswordSignIn(userId: string): PasswordSignIn | null {
  const noted = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as (PasswordSignIn & { until: number }) | null;
  sessionStorage.removeItem(KEY);
  return noted?.user_id === userId && noted.until > Date.now() ? noted : null;
}
