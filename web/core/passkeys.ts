import { brand } from './brand.js';

type Browser = typeof import('@simplewebauthn/browser');
type Options = Parameters<Browser['startAuthentication']>[0]['optionsJSON'];
type Creation = Parameters<Browser['startRegistration']>[0]['optionsJSON'];

/** The user or the browser canceled. Nothing was sent. */
export class PasskeyCancelled extends Error {}

/** The authenticator already has a passkey of the account. */
export class PasskeyAlreadyRegistered extends PasskeyCancelled {}

export const hasPasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function';

/** True if the browser offers passkeys in the username field. */
export const offersAutofill = async (): Promise<boolean> =>
  hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);

/**
 * Gets an assertion for options from the service. With `isAutofill` it waits until the user selects a passkey in the
 * field.
 * @throws PasskeyCancelled
 */
export async function requestAssertion(options: unknown, isAutofill = false) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON: options as Options, useBrowserAutofill: isAutofill }).catch((cause) => {
    throw new PasskeyCancelled('no passkey was used', { cause });
  });
}

/** True if the browser can create passkeys automatically after a password sign-in. */
export async function offersConditionalCreate(): Promise<boolean> {
  if (!hasPasskeys() || !PublicKeyCredential.getClientCapabilities) return false;
  const { conditionalCreate } = await PublicKeyCredential.getClientCapabilities();
  return conditionalCreate === true;
}

/**
 * Creates a passkey. With `isConditional` the browser decides whether to create it automatically.
 * @throws PasskeyCancelled
 */
export async function createPasskey(options: unknown, isConditional = false) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON: options as Creation, useAutoRegister: isConditional }).catch((cause) => {
    const Cancelled =
      cause?.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' ? PasskeyAlreadyRegistered : PasskeyCancelled;
    throw new Cancelled('no passkey was made', { cause });
  });
}

/** Cancels a pending passkey request such as autofill, so that another one can start. */
export async function cancelPasskeyRequest(): Promise<void> {
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser');
  WebAuthnAbortService.cancelCeremony();
}

export type Assertion = Awaited<ReturnType<typeof requestAssertion>>;

/**
 * Methods to update the passkeys stored by the browser (WebAuthn Level 3 section 5.1.10). Not all browsers support
 * them.
 */
interface Signals {
  readonly signalAllAcceptedCredentials?: Signal<{ userId: string; allAcceptedCredentialIds: readonly string[] }>;
  readonly signalCurrentUserDetails?: Signal<{ userId: string; name: string; displayName: string }>;
  readonly signalUnknownCredential?: Signal<{ credentialId: string }>;
}
type Signal<T> = (details: T & { rpId: string }) => Promise<void>;

const signals = (): Signals => (hasPasskeys() ? (PublicKeyCredential as unknown as Signals) : {});

/** The user handle of an account: its decimal ID in base64url. */
const toUserHandle = (id: string): string => btoa(id).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Reports the current passkeys of the account to the browser, so that it stops offering others. */
export async function reportAcceptedPasskeys(accountId: string, ids: readonly string[]): Promise<void> {
  const details = { rpId: brand.rpId, userId: toUserHandle(accountId), allAcceptedCredentialIds: ids };
  // Ignore errors, because this is optional.
  await signals()
    .signalAllAcceptedCredentials?.call(PublicKeyCredential, details)
    .catch(() => {});
}

/** Reports the names for the passkeys of the account to the browser. */
export async function reportPasskeyNames(accountId: string, name: string, displayName: string): Promise<void> {
  const details = { rpId: brand.rpId, userId: toUserHandle(accountId), name, displayName };
  await signals()
    .signalCurrentUserDetails?.call(PublicKeyCredential, details)
    .catch(() => {});
}

/** Reports to the browser that the service does not know this passkey. */
export async function reportUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  await signals()
    .signalUnknownCredential?.call(PublicKeyCredential, { rpId, credentialId })
    .catch(() => {});
}
