import { brand } from './brand.js';

type Browser = typeof import('@simplewebauthn/browser');
type Options = Parameters<Browser['startAuthentication']>[0]['optionsJSON'];
type Creation = Parameters<Browser['startRegistration']>[0]['optionsJSON'];

/** The person, or the browser for them, gave up: nothing was sent. */
export class PasskeyCancelled extends Error {}

/** The authenticator holds a passkey of the account already. */
export class PasskeyKnown extends PasskeyCancelled {}

export const hasPasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function';

/** Whether the browser offers passkeys where a name is typed. */
export const offersAutofill = async (): Promise<boolean> =>
  hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);

/**
 * An assertion to options of the service. With `isAutofill` it waits in the list of the field until it is chosen.
 * @throws PasskeyCancelled
 */
export async function assertion(options: unknown, isAutofill = false) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON: options as Options, useBrowserAutofill: isAutofill }).catch((cause) => {
    throw new PasskeyCancelled('no passkey was used', { cause });
  });
}

/** Whether the browser makes passkeys by itself for whoever has just signed in with a password that it keeps. */
export async function offersConditionalCreate(): Promise<boolean> {
  if (!hasPasskeys() || !PublicKeyCredential.getClientCapabilities) return false;
  const { conditionalCreate } = await PublicKeyCredential.getClientCapabilities();
  return conditionalCreate === true;
}

/** A new passkey. With `isConditional` the browser makes it by itself, or not. @throws PasskeyCancelled */
export async function creation(options: unknown, isConditional = false) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON: options as Creation, useAutoRegister: isConditional }).catch((cause) => {
    const Cancelled = cause?.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' ? PasskeyKnown : PasskeyCancelled;
    throw new Cancelled('no passkey was made', { cause });
  });
}

/** Ends what waits for a passkey without asking anybody, such as the list of a field, so that a question can be asked. */
export async function stopWaiting(): Promise<void> {
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser');
  WebAuthnAbortService.cancelCeremony();
}

export type Assertion = Awaited<ReturnType<typeof assertion>>;

/** What a browser may be told of the passkeys that it keeps (WebAuthn L3 5.1.10); not every one has it. */
interface Signals {
  readonly signalAllAcceptedCredentials?: Signal<{ userId: string; allAcceptedCredentialIds: readonly string[] }>;
  readonly signalCurrentUserDetails?: Signal<{ userId: string; name: string; displayName: string }>;
  readonly signalUnknownCredential?: Signal<{ credentialId: string }>;
}
type Signal<T> = (told: T & { rpId: string }) => Promise<void>;

const signals = (): Signals => (hasPasskeys() ? (PublicKeyCredential as unknown as Signals) : {});

/** The user handle of an account: its decimal id, in base64url. */
const handleOf = (id: string): string => btoa(id).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** These are the passkeys of the account: no other one of it need be offered any more. */
export async function keepOnly(accountId: string, ids: readonly string[]): Promise<void> {
  const told = { rpId: brand.rpId, userId: handleOf(accountId), allAcceptedCredentialIds: ids };
  // A browser that cannot be told keeps what it has.
  await signals()
    .signalAllAcceptedCredentials?.call(PublicKeyCredential, told)
    .catch(() => {});
}

/** By these names the passkeys of the account are to be offered. */
export async function nameAs(accountId: string, name: string, displayName: string): Promise<void> {
  const told = { rpId: brand.rpId, userId: handleOf(accountId), name, displayName };
  await signals()
    .signalCurrentUserDetails?.call(PublicKeyCredential, told)
    .catch(() => {});
}

/** The service does not know this passkey: it need not be offered again. */
export async function disown(rpId: string, credentialId: string): Promise<void> {
  await signals()
    .signalUnknownCredential?.call(PublicKeyCredential, { rpId, credentialId })
    .catch(() => {});
}
