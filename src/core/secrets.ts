import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from './config/config.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` characters of `alphabet` (at most 256 distinct characters) from the CSPRNG, without modulo bias. */
export function mintFrom(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let out = '';
  while (out.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && out.length < length) out += alphabet[byte % alphabet.length];
    }
  }
  return out;
}

export const randomLetters = (length: number): string => mintFrom(LETTERS, length);

/** 32 random bytes as 43 characters of unpadded base64url. */
export const mintToken = (): string => randomBytes(32).toString('base64url');

/** A random trace ID (W3C Trace Context, section 3.2). */
export const mintTraceId = (): string => randomBytes(16).toString('hex');

/** The format of `mintToken`, and of any other 32 bytes in base64url. */
export const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The format of `mintSessionToken`. */
export const SESSION_TOKEN = /^flx_[A-Za-z0-9]{36}$/;

/** The format of `mintPersonalToken`. It is also the format of `TOKEN`. */
export const PERSONAL_TOKEN = /^gp_[A-Za-z0-9]{40}$/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 4;
/** Enough digits for the whole CRC-32. */
const PERSONAL_CHECKSUM_LENGTH = 6;

/**
 * The last base-62 digits of the CRC-32 of a text. Secret scanners use it to distinguish tokens from other text of the
 * same format.
 */
export function tokenChecksum(text: string, length = CHECKSUM_LENGTH): string {
  let rest = crc32(text);
  let digits = '';
  for (; digits.length < length; rest = Math.floor(rest / DIGITS.length)) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
  }
  return digits;
}

/**
 * 190 random bits and a checksum of the text before it (web.md section 6). The service does not verify the checksum,
 * because older tokens have none.
 */
export function mintSessionToken(): string {
  const random = `flx_${randomLetters(36 - CHECKSUM_LENGTH)}`;
  return random + tokenChecksum(random);
}

/** 202 random bits and a checksum of the text before it (tokens.md section 1). */
export function mintPersonalToken(): string {
  const random = `gp_${randomLetters(40 - PERSONAL_CHECKSUM_LENGTH)}`;
  return random + tokenChecksum(random, PERSONAL_CHECKSUM_LENGTH);
}

/** SHA-256, which is sufficient for secrets of at least 190 bits (credentials.md section 1). */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Compares two byte strings of equal, public length in constant time; unequal lengths never match. */
export const equalsInConstantTime = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

/** AES-256-GCM: nonce (12 bytes), tag (16), text. `context` is authenticated with it. */
function seal(key: Buffer, text: string, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(Buffer.from(text)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function unseal(key: Buffer, box: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12))
    .setAAD(Buffer.from(context))
    .setAuthTag(box.subarray(12, 28));
  return Buffer.concat([decipher.update(box.subarray(28)), decipher.final()]).toString('utf8');
}

const deriveKey = (secret: string | Buffer, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'gatehouse', label, 32));

/**
 * Encrypts a text with a key derived from `secret`, so that only its holder can decrypt it. `secret` needs high
 * entropy, and the server stores only its digest.
 */
export const sealWithSecret = (secret: string, label: string, text: string): string =>
  seal(deriveKey(secret, label), text, label).toString('base64url');

export const unsealWithSecret = (secret: string, label: string, box: string): string =>
  unseal(deriveKey(secret, label), Buffer.from(box, 'base64url'), label);

/** The secrets that verify and decrypt: the current one, then those of a rotation. */
export const acceptedSecrets = ({
  secret,
  secretNext,
  secretPrevious,
}: Pick<Config, 'secret' | 'secretNext' | 'secretPrevious'>): [Buffer, ...Buffer[]] => [
  secret,
  ...[secretNext, secretPrevious].filter((other) => other !== undefined),
];

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Keys derived from the service secret by HKDF-SHA-256, one label per purpose. The first key of `keys` signs and
 * encrypts. The others, from the next and the previous secret, also verify and decrypt during a rotation.
 */
@Injectable()
export class Keyring {
  private readonly derived = new Map<string, readonly [Key, ...Key[]]>();

  constructor(private readonly config: Config) {}

  keys(label: string): readonly [Key, ...Key[]] {
    const known = this.derived.get(label);
    if (known) return known;
    const keyOf = (secret: Buffer): Key => {
      const bytes = deriveKey(secret, label);
      return { id: hash('sha256', bytes, 'hex').slice(0, 8), bytes };
    };
    const [current, ...others] = acceptedSecrets(this.config);
    const keys: [Key, ...Key[]] = [keyOf(current), ...others.map(keyOf)];
    this.derived.set(label, keys);
    return keys;
  }

  /** The IDs of the accepted secrets, first the current one. They reveal nothing about the secrets. */
  get secretIds(): string[] {
    return this.keys('secret id').map(({ id }) => id);
  }

  signing(label: string): Key {
    return this.keys(label)[0];
  }

  /** Returns the key ID (4 bytes) and the sealed box. `context` is authenticated but not stored. */
  encrypt(label: string, text: string, context: string): Buffer {
    const key = this.signing(label);
    return Buffer.concat([Buffer.from(key.id, 'hex'), seal(key.bytes, text, context)]);
  }

  /** @throws Error if no current key opens the box, because it was damaged or moved or its key was removed */
  decrypt(label: string, box: Buffer, context: string): string {
    const key = this.keys(label).find((candidate) => candidate.id === box.subarray(0, 4).toString('hex'));
    if (!key) throw new Error(`No key decrypts this ${label}`);
    return unseal(key.bytes, box.subarray(4), context);
  }

  /** Encrypts the text again with the current key; `null` if the box already uses it. */
  renew(label: string, box: Buffer, context: string): Buffer | null {
    if (box.subarray(0, 4).toString('hex') === this.signing(label).id) return null;
    return this.encrypt(label, this.decrypt(label, box, context), context);
  }
}
