import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** The signature algorithm of a software authenticator. */
export type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

/** Faults that an authenticator or its browser can have. All other values stay correct. */
export interface Flaws {
  /** `type` of the client data. */
  type?: string;
  challenge?: string;
  origin?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  /** Additional members of the client data, or its complete text. */
  clientData?: Record<string, unknown> | string | Buffer;
  rpId?: string;
  /** The flags for user presence and user verification. */
  up?: boolean;
  uv?: boolean;
  /** The flags for backup eligibility and backup state. */
  be?: boolean;
  bs?: boolean;
  counter?: number;
  /** `null`: the authenticator sends no user handle. */
  userHandle?: string | null;
  id?: string;
  rawId?: string;
  credentialType?: string;
  /** Changes the authenticator data before it is signed. */
  authenticatorData?: (data: Buffer) => Buffer;
  /** Changes the signature, or creates another one for the same bytes. */
  signature?: (right: Buffer, signed: Buffer) => Buffer;
  /** At registration: another key, ID, format or statement, or other bytes of the attestation object. */
  publicKey?: Map<number, unknown>;
  credentialId?: Buffer;
  format?: string;
  statement?: Map<string, unknown>;
  attestationObject?: (right: Buffer) => Buffer;
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | Uint8Array): string => Buffer.from(data).toString('base64url');
const encode = (value: unknown): Buffer => Buffer.from(isoCBOR.encode(value as never));

function keyPair(algorithm: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
  }
}

/** A public key as COSE (RFC 9053), for the three algorithms that are offered at registration. */
export function coseOf(publicKey: KeyObject): Map<number, unknown> {
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'));
  if (jwk.kty === 'EC') {
    return new Map<number, unknown>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as [number, unknown][]),
      ...([
        [-2, bytes(jwk.x)],
        [-3, bytes(jwk.y)],
      ] as [number, unknown][]),
    ]);
  }
  if (jwk.kty === 'RSA') {
    return new Map<number, unknown>([
      [1, 3],
      [3, -257],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ]);
  }
  return new Map<number, unknown>([
    [1, 1],
    [3, -8],
    [-1, 6],
    [-2, bytes(jwk.x)],
  ]);
}

/** A browser with an authenticator that has one passkey. Tests can break each step separately. */
export class SoftwareAuthenticator {
  readonly id: string;
  readonly origin: string;
  readonly rpId: string;
  /** The counter of the last assertion. `null`: the authenticator has no counter. */
  counter: number | null;
  /** The user handle of the account that the passkey was created for. */
  userHandle: string | null = null;
  private readonly keys: { privateKey: KeyObject; publicKey: KeyObject };

  constructor(
    private readonly algorithm: Algorithm = 'ES256',
    options: { origin?: string; rpId?: string; counts?: boolean; id?: Buffer } = {},
  ) {
    this.keys = keyPair(algorithm);
    this.id = base64url(options.id ?? randomBytes(32));
    this.origin = options.origin ?? 'http://localhost:8080';
    this.rpId = options.rpId ?? 'localhost';
    this.counter = options.counts === false ? null : 0;
  }

  get publicKey(): Map<number, unknown> {
    return coseOf(this.keys.publicKey);
  }

  /** Creates the response to registration options. */
  create(options: { challenge: string; user?: { id: string } }, flaws: Flaws = {}) {
    this.userHandle = options.user?.id ?? this.userHandle;
    const credentialId = flaws.credentialId ?? Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credentialId.length);
    const attested = Buffer.concat([
      ...[Buffer.alloc(16), length, credentialId, encode(flaws.publicKey ?? this.publicKey)],
    ]);
    const data = this.authenticatorData(flaws, flaws.counter ?? this.counter ?? 0, attested);
    const right = encode(
      new Map<string, unknown>([
        ['fmt', flaws.format ?? 'none'],
        ['attStmt', flaws.statement ?? new Map()],
        ['authData', new Uint8Array(data)],
      ]),
    );
    const id = flaws.id ?? base64url(credentialId);
    return {
      id,
      rawId: flaws.rawId ?? id,
      type: flaws.credentialType ?? 'public-key',
      response: {
        clientDataJSON: base64url(this.clientData('webauthn.create', options.challenge, flaws)),
        attestationObject: base64url(flaws.attestationObject?.(right) ?? right),
        transports: ['internal', 'hybrid'],
      },
      clientExtensionResults: {},
    };
  }

  /** Creates the response to authentication options. */
  get(options: { challenge: string }, flaws: Flaws = {}) {
    if (this.counter !== null && flaws.counter === undefined) this.counter++;
    const data = this.authenticatorData(flaws, flaws.counter ?? this.counter ?? 0);
    const clientData = this.clientData('webauthn.get', options.challenge, flaws);
    const signed = Buffer.concat([data, sha256(clientData)]);
    const right = this.sign(signed);
    const userHandle = flaws.userHandle === undefined ? this.userHandle : flaws.userHandle;
    const id = flaws.id ?? this.id;
    return {
      id,
      rawId: flaws.rawId ?? id,
      type: flaws.credentialType ?? 'public-key',
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(flaws.signature?.(right, signed) ?? right),
        ...(userHandle === null ? {} : { userHandle }),
      },
      clientExtensionResults: {},
    };
  }

  /** Signs with this passkey's key, for assertions that use the identity of another passkey. */
  sign(data: Buffer): Buffer {
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', data, this.keys.privateKey);
  }

  /** The signature as the plain numbers r and s instead of DER. */
  signBare(data: Buffer): Buffer {
    const key = createPrivateKey(this.keys.privateKey.export({ format: 'pem', type: 'pkcs8' }));
    return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
  }

  private authenticatorData(flaws: Flaws, counter: number, attested?: Buffer): Buffer {
    const bits = [
      ...[flaws.up ?? true, false, flaws.uv ?? true, flaws.be ?? false],
      ...[flaws.bs ?? false, false, attested !== undefined, false],
    ];
    const flags = bits.reduce((sum, isSet, bit) => sum | (isSet ? 1 << bit : 0), 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const data = Buffer.concat([
      ...[sha256(flaws.rpId ?? this.rpId), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)],
    ]);
    return flaws.authenticatorData?.(data) ?? data;
  }

  private clientData(type: string, challenge: string, flaws: Flaws): Buffer {
    if (typeof flaws.clientData === 'string') return Buffer.from(flaws.clientData);
    if (Buffer.isBuffer(flaws.clientData)) return flaws.clientData;
    const text = JSON.stringify({
      type: flaws.type ?? type,
      challenge: flaws.challenge ?? challenge,
      origin: flaws.origin ?? this.origin,
      crossOrigin: flaws.crossOrigin ?? false,
      ...(flaws.topOrigin ? { topOrigin: flaws.topOrigin } : {}),
      ...flaws.clientData,
    });
    return Buffer.from(text);
  }
}
