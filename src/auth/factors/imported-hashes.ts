import { hash, pbkdf2, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import { equalsInConstantTime } from '../../core/secrets.js';

/** Verifies a password against an imported hash. It runs in the thread pool, not in the event loop. */
export type ImportedHashVerifier = (password: string) => Promise<boolean>;

/** Why a hash is rejected: its format is unknown, or one verification would take too long. */
export type ImportedHashFault = 'PASSWORD_HASH_UNSUPPORTED' | 'PASSWORD_HASH_TOO_COSTLY';

/** Prefix of stored imported hashes. Some of them have the same format as native hashes. */
const IMPORTED_PREFIX = 'imported:';

export const MAX_IMPORTED_HASH_LENGTH = 512;

/** Limits for one verification: about one second of one core and 256 MiB of memory. */
const COST_LIMITS = {
  argon2: { kib: 262_144, kibPasses: 786_432, lanes: 16 },
  bcryptCost: 14,
  pbkdf2Rounds: 2_000_000,
  scrypt: { blocks: 2 ** 21, work: 2 ** 21 },
} as const;

const DIGEST_BYTES = { least: 16, most: 64 } as const;
const SALT_BYTES = { least: 4, most: 128 } as const;

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const UNSUPPORTED = 'PASSWORD_HASH_UNSUPPORTED';
const TOO_COSTLY = 'PASSWORD_HASH_TOO_COSTLY';

type ParsedHash = ImportedHashVerifier | ImportedHashFault;

/** Decodes Base64 with any padding, with `+` or the `.` of passlib. Returns `null` if it is not canonical. */
function decodeBase64(text: string): Buffer | null {
  const plain = text.replaceAll('.', '+').replace(/={1,2}$/, '');
  const bytes = Buffer.from(plain, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === plain ? bytes : null;
}

const isWithin = (bytes: Uint8Array | null, { least, most }: { least: number; most: number }): bytes is Uint8Array =>
  bytes !== null && bytes.length >= least && bytes.length <= most;

function argon2(text: string, [memory, passes, lanes]: readonly number[], salt: string, digest: string): ParsedHash {
  const isWhole =
    isWithin(decodeBase64(salt), { ...SALT_BYTES, least: 8 }) && isWithin(decodeBase64(digest), DIGEST_BYTES);
  if (!isWhole || !memory || !passes || !lanes || memory < 8 * lanes) return UNSUPPORTED;
  const { kib, kibPasses, lanes: mostLanes } = COST_LIMITS.argon2;
  if (memory > kib || memory * passes > kibPasses || lanes > mostLanes) return TOO_COSTLY;
  return (password) => verifyArgon2(text, password);
}

/** Like every bcrypt implementation, the library ignores everything after 72 bytes. */
function bcrypt(text: string, cost: number, prepare: (password: string) => string): ParsedHash {
  if (cost < 4 || cost > 31) return UNSUPPORTED;
  if (cost > COST_LIMITS.bcryptCost) return TOO_COSTLY;
  return async (password) => (await import('@node-rs/bcrypt')).verify(prepare(password), text);
}

const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

function pbkdf2Hash(algorithm: string, rounds: number, salt: Buffer | null, digest: Buffer | null): ParsedHash {
  if (!isWithin(salt, SALT_BYTES) || !isWithin(digest, DIGEST_BYTES) || rounds < 1) return UNSUPPORTED;
  // Each block of the derived key runs all rounds.
  const blocks = Math.ceil(digest.length / (DIGEST_LENGTHS[algorithm] as number));
  if (rounds * blocks > COST_LIMITS.pbkdf2Rounds) return TOO_COSTLY;
  return async (password) =>
    equalsInConstantTime(await derivePbkdf2(password, salt, rounds, digest.length, algorithm), digest);
}

function scryptHash(
  [N, r, p]: readonly [number, number, number],
  salt: Buffer | null,
  digest: Buffer | null,
): ParsedHash {
  const isPower = N > 1 && Number.isInteger(Math.log2(N));
  if (!isWithin(salt, SALT_BYTES) || !isWithin(digest, DIGEST_BYTES) || !isPower || r < 1 || p < 1) return UNSUPPORTED;
  if (N * r > COST_LIMITS.scrypt.blocks || N * r * p > COST_LIMITS.scrypt.work) return TOO_COSTLY;
  const options = { N, r, p, maxmem: 128 * (N * r + r * p) + 1024 * 1024 };
  return async (password) => equalsInConstantTime(await deriveScrypt(password, salt, digest.length, options), digest);
}

const sha256Hex = (password: string): string => hash('sha256', password, 'hex');
const unchanged = (password: string): string => password;

interface HashFormat {
  readonly pattern: RegExp;
  parse(parts: readonly string[]): ParsedHash;
}

/** PHC strings, crypt(3) strings and the formats of Django. */
const HASH_FORMATS: readonly HashFormat[] = [
  {
    pattern:
      /^(?:argon2)?(\$argon2(?:id|i|d)\$v=(?:16|19)\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/]{1,172})\$([A-Za-z0-9+/]{1,172}))$/,
    parse: ([text = '', m, t, p, salt = '', digest = '']) => argon2(text, [m, t, p].map(Number), salt, digest),
  },
  {
    pattern: /^(?:bcrypt\$)?(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31})$/,
    parse: ([text = '', cost]) => bcrypt(text, Number(cost), unchanged),
  },
  {
    pattern: /^bcrypt_sha256\$(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31})$/,
    parse: ([text = '', cost]) => bcrypt(text, Number(cost), sha256Hex),
  },
  {
    pattern:
      /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,9})(?:,l=\d{1,3})?\$([A-Za-z0-9+/.]{1,172})\$([A-Za-z0-9+/.]{1,172})$/,
    parse: ([algorithm = 'sha1', rounds, salt = '', digest = '']) =>
      pbkdf2Hash(algorithm, Number(rounds), decodeBase64(salt), decodeBase64(digest)),
  },
  {
    pattern: /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,9})\$([^$]{1,128})\$([A-Za-z0-9+/]{1,172}={0,2})$/,
    parse: ([algorithm = '', rounds, salt = '', digest = '']) =>
      pbkdf2Hash(algorithm, Number(rounds), Buffer.from(salt), decodeBase64(digest)),
  },
  {
    pattern: /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/.]{1,172})\$([A-Za-z0-9+/.]{1,172})$/,
    parse: ([ln, r, p, salt = '', digest = '']) =>
      scryptHash([2 ** Number(ln), Number(r), Number(p)], decodeBase64(salt), decodeBase64(digest)),
  },
  {
    pattern: /^scrypt\$(\d{1,9})\$([^$]{1,128})\$(\d{1,9})\$(\d{1,9})\$([A-Za-z0-9+/]{1,172}={0,2})$/,
    parse: ([N, salt = '', r, p, digest = '']) =>
      scryptHash([Number(N), Number(r), Number(p)], Buffer.from(salt), decodeBase64(digest)),
  },
];

/**
 * Parses a hash in one of the formats of docs/importing.md. Other services hashed the password as it was typed.
 * Therefore it is tried unchanged first, then normalized like native passwords.
 */
function parseHash(text: string): ParsedHash {
  if (text.length > MAX_IMPORTED_HASH_LENGTH) return UNSUPPORTED;
  for (const { pattern, parse: readForm } of HASH_FORMATS) {
    const match = pattern.exec(text);
    if (!match) continue;
    const reading = readForm(match.slice(1));
    if (typeof reading === 'string') return reading;
    return async (password) => {
      if (await reading(password)) return true;
      const normal = password.normalize('NFKC');
      return normal !== password && reading(normal);
    };
  }
  return UNSUPPORTED;
}

/** Returns why an imported hash would be rejected. */
export function importedHashFault(text: string): ImportedHashFault | undefined {
  const reading = parseHash(text);
  return typeof reading === 'string' ? reading : undefined;
}

/** Returns the stored form of an imported hash. It is replaced when its owner signs in. */
export const toStoredHash = (text: string): string => `${IMPORTED_PREFIX}${text}`;

/** Returns the verifier of a stored imported hash, or `null` for a native hash. */
export function importedHashVerifier(stored: string): ImportedHashVerifier | null {
  if (!stored.startsWith(IMPORTED_PREFIX)) return null;
  const reading = parseHash(stored.slice(IMPORTED_PREFIX.length));
  if (typeof reading === 'string') throw new Error('A stored password hash of another service has an unknown format');
  return reading;
}
