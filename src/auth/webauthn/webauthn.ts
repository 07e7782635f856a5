import { createPublicKey, generateKeyPairSync, type JsonWebKeyInput } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type * as Helpers from '@simplewebauthn/server/helpers';
import { parseJson } from '../../http/body.js';

/** EdDSA, ES256, RS256. Registration offers these algorithms and accepts no others (account.md 1.3). */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

type Library = typeof import('@simplewebauthn/server') & typeof Helpers;

let libraryPromise: Promise<Library> | undefined;

/** Loads the library on first use, because it is large: it supports every kind of attestation. */
function loadLibrary(): Promise<Library> {
  libraryPromise ??= Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')]).then(
    ([verification, helpers]) => ({ ...verification, ...helpers }),
  );
  return libraryPromise;
}

/** The relying party that a response must be made for. */
export interface RelyingParty {
  readonly id: string;
  readonly origins: readonly string[];
}

/** The data to store after a verified registration. */
export interface NewCredential {
  readonly id: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: string[];
  readonly backupEligible: boolean;
}

/** The data of a stored passkey that the verification needs. */
export interface KnownCredential {
  readonly id: string;
  readonly accountId: string;
  readonly publicKey: Buffer;
  readonly backupEligible: boolean;
}

export interface RegistrationRules {
  /**
   * Whether the user must have touched the authenticator. A passkey that the browser created automatically has no user
   * presence (WebAuthn L3 7.1).
   */
  readonly userPresence: boolean;
}

export interface AssertionRules {
  /** Whether the authenticator must have verified the user. */
  readonly userVerification: boolean;
  /** Whether the response must name the account. This is required if the request did not name one. */
  readonly userHandle: boolean;
}

/** WebAuthn Level 3, 5.1.3. */
const MAX_ID_BYTES = 1023;
/** Maximum length of a credential ID in base64url. */
export const MAX_CREDENTIAL_ID = Math.ceil((MAX_ID_BYTES * 4) / 3);

/** Maximum bytes of each part of a response. */
const MAX_PART_BYTES = {
  id: MAX_ID_BYTES,
  clientDataJSON: 8192,
  authenticatorData: 8192,
  attestationObject: 16384,
  signature: 1024,
  userHandle: 64,
} as const;

const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];
const SINGLE_USE_MEMBERS = /"(type|challenge|origin|crossOrigin|topOrigin)"\s*:/g;

type Parts = Record<string, unknown>;

const isRecord = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Decodes canonical base64url without padding. Returns `null` if it is invalid or too long for this part. */
function bytesOf(parts: Parts, name: keyof typeof MAX_PART_BYTES): Buffer | null {
  const value = parts[name];
  if (typeof value !== 'string' || value.length > Math.ceil((MAX_PART_BYTES[name] * 4) / 3)) return null;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.length > 0 && bytes.length <= MAX_PART_BYTES[name] && bytes.toString('base64url') === value
    ? bytes
    : null;
}

/** The user handle of an account is its decimal ID. */
export const userHandleOf = (accountId: string): string => Buffer.from(accountId).toString('base64url');

/** Normalizes an ID to base64url without padding. Native clients send other forms of Base64. */
const plainId = (sent: unknown): unknown => {
  if (typeof sent !== 'string') return sent;
  const unpadded = sent.length % 4 === 0 ? sent.replace(/={1,2}$/, '') : sent;
  return unpadded.replaceAll('+', '-').replaceAll('/', '_');
};

/** Normalizes the IDs of a response. */
function withPlainIds(response: object): Parts {
  const { id, rawId, ...parts } = response as Parts;
  return { ...parts, id: plainId(id), rawId: plainId(rawId) };
}

/** Returns the credential ID of a response, or `null` if there is none. */
export function credentialIdOf(response: object): string | null {
  const parts = withPlainIds(response);
  return bytesOf(parts, 'id') && parts.rawId === parts.id ? (parts.id as string) : null;
}

/** Returns the client data of a response, or `null` if it is invalid or was made in a cross-origin frame. */
function clientDataOf(parts: Parts): Parts | null {
  const bytes = bytesOf(parts, 'clientDataJSON');
  if (!bytes) return null;
  const data = parseJson(bytes);
  const names = [...bytes.toString().matchAll(SINGLE_USE_MEMBERS)].map(([, name]) => name);
  if (new Set(names).size !== names.length) return null;
  return (data.crossOrigin ?? false) === false && data.topOrigin === undefined ? data : null;
}

/** Returns the challenge that a response claims to answer. */
export function claimedChallengeOf(response: object): string | null {
  try {
    const inner = (response as Parts).response;
    const challenge = isRecord(inner) && clientDataOf(inner)?.challenge;
    return typeof challenge === 'string' && challenge.length <= 1024 ? challenge : null;
  } catch {
    return null;
  }
}

// Ed25519 points of small order (y, with the sign bit cleared). They would accept any signature.
const SMALL_ORDER: ReadonlySet<string> = new Set([
  `00${'0'.repeat(62)}`,
  `01${'0'.repeat(62)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'f'.repeat(60)}7f`,
  `ed${'f'.repeat(60)}7f`,
  `ee${'f'.repeat(60)}7f`,
]);

const [EC2_ES256_P256_X, THEN_Y] = ['a5010203262001215820', '225820'].map((hex) => Buffer.from(hex, 'hex')) as [
  ...[Buffer, Buffer],
];

const KTY = 1;
const ALG = 3;
const [CRV, X, Y] = [-1, -2, -3];
const [N, E] = [-1, -2];

/**
 * Whether a COSE key is valid and uses an offered algorithm. EC keys must be points of their curve, and RSA keys must
 * have 2048 to 4096 bits.
 */
function isSoundKey(cose: Uint8Array, { decodeCredentialPublicKey }: Library): boolean {
  // biome-ignore lint/plugin: a COSE key is a map, whose type lists only the labels of its kind
  const key = decodeCredentialPublicKey(cose as Uint8Array<ArrayBuffer>) as unknown as Map<number, unknown>;
  const text = (label: number, bytes?: number): string => {
    const value = key.get(label);
    if (!(value instanceof Uint8Array) || (bytes !== undefined && value.length !== bytes)) throw new TypeError('key');
    return Buffer.from(value).toString('base64url');
  };
  const load = (jwk: JsonWebKeyInput['key']) => createPublicKey({ key: jwk, format: 'jwk' });
  switch (`${key.get(KTY)}/${key.get(ALG)}`) {
    case '2/-7':
      if (key.get(CRV) !== 1) return false;
      load({ kty: 'EC', crv: 'P-256', x: text(X, 32), y: text(Y, 32) });
      return true;
    case '1/-8': {
      if (key.get(CRV) !== 6) return false;
      const point = Buffer.from(text(X, 32), 'base64url');
      load({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') });
      point[31] = (point[31] as number) & 0x7f;
      return !SMALL_ORDER.has(point.toString('hex'));
    }
    case '3/-257': {
      const details = load({ kty: 'RSA', n: text(N), e: text(E) }).asymmetricKeyDetails;
      const bits = details?.modulusLength ?? 0;
      return bits >= 2048 && bits <= 4096 && details?.publicExponent === 65537n;
    }
    default:
      return false;
  }
}

/** Accepts no attestation or self attestation, because the service requests none. Certificate chains are rejected. */
function hasPlainAttestation(object: Buffer, { decodeAttestationObject }: Library): boolean {
  const decoded = decodeAttestationObject(new Uint8Array(object));
  const statement = decoded.get('attStmt') as Map<string, unknown>;
  return decoded.get('fmt') === 'none' || (decoded.get('fmt') === 'packed' && !statement.has('x5c'));
}

/** Verifies the response to registration options. Returns `null` if anything is wrong. */
export async function verifyRegistration(
  response: object,
  challenge: string,
  party: RelyingParty,
  rules: RegistrationRules,
): Promise<NewCredential | null> {
  try {
    const id = credentialIdOf(response);
    const inner = (response as Parts).response;
    if (!id || !isRecord(inner) || !clientDataOf(inner)) return null;
    const object = bytesOf(inner, 'attestationObject');
    const webauthn = await loadLibrary();
    if (!object || !hasPlainAttestation(object, webauthn)) return null;
    const { registrationInfo } = await webauthn.verifyRegistrationResponse({
      // biome-ignore lint/plugin: the library validates the members
      response: withPlainIds(response) as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserPresence: rules.userPresence,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    const credential = registrationInfo?.credential;
    if (!credential || credential.id !== id || !isSoundKey(credential.publicKey, webauthn)) return null;
    return {
      id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: transportsOf(inner.transports),
      backupEligible: registrationInfo.credentialDeviceType === 'multiDevice',
    };
  } catch {
    return null;
  }
}

const transportsOf = (sent: unknown): string[] =>
  Array.isArray(sent) ? TRANSPORTS.filter((transport) => sent.includes(transport)) : [];

/**
 * A dummy key so that assertions of unknown credentials take as long to verify. It is an ES256 key in COSE, the most
 * common kind.
 */
export function createDummyPasskey(): KnownCredential {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const parts = [EC2_ES256_P256_X, Buffer.from(x, 'base64url'), THEN_Y, Buffer.from(y, 'base64url')];
  return { id: '', accountId: '', publicKey: Buffer.concat(parts), backupEligible: false };
}

/**
 * Verifies an assertion of a known passkey, except for its counter. Returns the reported counter, or `null` if anything
 * is wrong.
 */
export async function verifyAssertion(
  response: object,
  passkey: KnownCredential,
  challenge: string,
  party: RelyingParty,
  rules: AssertionRules,
): Promise<number | null> {
  try {
    const inner = (response as Parts).response;
    if (!isRecord(inner) || !clientDataOf(inner)) return null;
    if (!bytesOf(inner, 'authenticatorData') || !bytesOf(inner, 'signature')) return null;
    const handle = inner.userHandle || undefined;
    if (handle === undefined && rules.userHandle) return null;
    const { verifyAuthenticationResponse } = await loadLibrary();
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      // biome-ignore lint/plugin: the library validates the members
      response: withPlainIds(response) as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(passkey.publicKey),
        // The counter is compared when it is stored. The library would reject an old one before it verifies the
        // signature.
        counter: 0,
      },
      requireUserVerification: rules.userVerification,
    });
    const isNamed = handle === undefined || handle === userHandleOf(passkey.accountId);
    const isEligible = info.credentialDeviceType === 'multiDevice';
    return verified && isNamed && isEligible === passkey.backupEligible ? info.newCounter : null;
  } catch {
    return null;
  }
}
