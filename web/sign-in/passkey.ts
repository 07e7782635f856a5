import { ApiError } from '@gatehouse-auth/client';
import { api } from '../core/api.js';
import { type Assertion, reportUnknownPasskey, requestAssertion } from '../core/passkeys.js';
import type { SignedIn } from './signed-in.js';

/** Challenges expire after five minutes. Later responses are rejected for that reason. */
const FRESH_MS = 270_000;

/** A chosen passkey with its options. */
export interface Chosen {
  readonly options: { readonly challenge: string; readonly rpId: string };
  readonly response: Assertion;
  readonly until: number;
}

export interface Choice {
  /** Wait in the autofill list of a field. */
  readonly isAutofill?: boolean;
  /** Checked after the options were loaded, because another request may have started. */
  readonly isWanted?: () => boolean;
}

/** Lets the user choose a passkey. @throws PasskeyCancelled */
export async function choosePasskey({ isAutofill = false, isWanted }: Choice = {}): Promise<Chosen | null> {
  const options = await api.post('/v1/auth/webauthn/authentication-options');
  const until = performance.now() + FRESH_MS;
  if (isWanted?.() === false) return null;
  return { options, response: await requestAssertion(options, isAutofill), until };
}

export async function signInWith(chosen: Chosen): Promise<SignedIn> {
  const { options, response, until } = chosen;
  try {
    return await api.post('/v1/auth/webauthn/authenticate', {
      body: { challenge: options.challenge, response: response as never },
    });
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === 'PASSKEY_AUTHENTICATION_FAILED';
    if (isUnknown && performance.now() <= until) await reportUnknownPasskey(options.rpId, response.id);
    throw error;
  }
}
