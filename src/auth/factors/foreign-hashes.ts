import { hash, pbkdf2, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { verify as verifyArgon2 } from '@node-rs/argon2';
import { matches } from '../../core/secrets.js';

/** A hash that another service made: whether a password is its own. It works in the thread pool, never in the event loop. */
export type ForeignHash = (password: string) => Promise<boolean>;

/** Why a hash is not taken: its form is none that is known here, or whoever sends a password would make it work too long. */
export type ForeignHashFault = 'PASSWORD_HASH_UNSUPPORTED' | 'PASSWORD_HASH_TOO_COSTLY';

/** Every form is told by its text, except those that look like ours: what was not made here says so. */
const MARK = 'imported:';

export const FOREIGN_HASH_LENGTH = 512;

/** What one attempt may cost, about a second of one core and no more memory than 256 MiB. */
const MOST = {
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

type Reading = ForeignHash | ForeignHashFault;

/** Bytes in Base64 of any padding, with `+` or, as passlib writes it, `.`; `null` where letters are left over. */
function bytesOf(text: string): Buffer | null {
  const plain = text.replaceAll('.', '+').replace(/={1,2}$/, '');
  const bytes = Buffer.from(plain, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === plain ? bytes : null;
}

const isWithin = (bytes: Uint8Array | null, { least, most }: { least: number; most: number }): bytes is Uint8Array =>
  bytes !== null && bytes.length >= least && bytes.length <= most;

function argon2(text: string, [memory, passes, lanes]: readonly number[], salt: string, digest: string): Reading {
  const isWhole = isWithin(bytesOf(salt), { ...SALT_BYTES, least: 8 }) && isWithin(bytesOf(digest), DIGEST_BYTES);
  if (!isWhole || !memory || !passes || !lanes || memory < 8 * lanes) return UNSUPPORTED;
  const { kib, kibPasses, lanes: mostLanes } = MOST.argon2;
  if (memory > kib || memory * passes > kibPasses || lanes > mostLanes) return TOO_COSTLY;
  return (password) => verifyArgon2(text, password);
}

/** Like all of its implementations, the library looks at 72 bytes and passes over the rest. */
function bcrypt(text: string, cost: number, prepare: (password: string) => string): Reading {
  if (cost < 4 || cost > 31) return UNSUPPORTED;
  if (cost > MOST.bcryptCost) return TOO_COSTLY;
  return async (password) => (await import('@node-rs/bcrypt')).verify(prepare(password), text);
}

const DIGEST_OF: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

function pbkdf2Hash(algorithm: string, rounds: number, salt: Buffer | null, digest: Buffer | null): Reading {
  if (!isWithin(salt, SALT_BYTES) || !isWithin(digest, DIGEST_BYTES) || rounds < 1) return UNSUPPORTED;
  // Every block of the derived key costs all rounds.
  const blocks = Math.ceil(digest.length / (DIGEST_OF[algorithm] as number));
  if (rounds * blocks > MOST.pbkdf2Rounds) return TOO_COSTLY;
  return async (password) => matches(await derivePbkdf2(password, salt, rounds, digest.length, algorithm), digest);
}

function scryptHash([N, r, p]: readonly [number, number, number], salt: Buffer | null, digest: Buffer | null): Reading {
  const isPower = N > 1 && Number.isInteger(Math.log2(N));
  if (!isWithin(salt, SALT_BYTES) || !isWithin(digest, DIGEST_BYTES) || !isPower || r < 1 || p < 1) return UNSUPPORTED;
  if (N * r > MOST.scrypt.blocks || N * r * p > MOST.scrypt.work) return TOO_COSTLY;
  const options = { N, r, p, maxmem: 128 * (N * r + r * p) + 1024 * 1024 };
  return async (password) => matches(await deriveScrypt(password, salt, digest.length, options), digest);
}

const sha256Hex = (password: string): string => hash('sha256', password, 'hex');
const asItIs = (password: string): string => password;

interface Form {
  readonly pattern: RegExp;
  read(parts: readonly string[]): Reading;
}

/** PHC strings, those of crypt(3), and what Django writes. */
const FORMS: readonly Form[] = [
  {
    pattern:
      /^(?:argon2)?(\$argon2(?:id|i|d)\$v=(?:16|19)\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/]{1,172})\$([A-Za-z0-9+/]{1,172}))$/,
    read: ([text = '', m, t, p, salt = '', digest = '']) => argon2(text, [m, t, p].map(Number), salt, digest),
  },
  {
    pattern: /^(?:bcrypt\$)?(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31})$/,
    read: ([text = '', cost]) => bcrypt(text, Number(cost), asItIs),
  },
  {
    pattern: /^bcrypt_sha256\$(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31})$/,
    read: ([text = '', cost]) => bcrypt(text, Number(cost), sha256Hex),
  },
  {
    pattern:
      /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,9})(?:,l=\d{1,3})?\$([A-Za-z0-9+/.]{1,172})\$([A-Za-z0-9+/.]{1,172})$/,
    read: ([algorithm = 'sha1', rounds, salt = '', digest = '']) =>
      pbkdf2Hash(algorithm, Number(rounds), bytesOf(salt), bytesOf(digest)),
  },
  {
    pattern: /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,9})\$([^$]{1,128})\$([A-Za-z0-9+/]{1,172}={0,2})$/,
    read: ([algorithm = '', rounds, salt = '', digest = '']) =>
      pbkdf2Hash(algorithm, Number(rounds), Buffer.from(salt), bytesOf(digest)),
  },
  {
    pattern: /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/.]{1,172})\$([A-Za-z0-9+/.]{1,172})$/,
    read: ([ln, r, p, salt = '', digest = '']) =>
      scryptHash([2 ** Number(ln), Number(r), Number(p)], bytesOf(salt), bytesOf(digest)),
  },
  {
    pattern: /^scrypt\$(\d{1,9})\$([^$]{1,128})\$(\d{1,9})\$(\d{1,9})\$([A-Za-z0-9+/]{1,172}={0,2})$/,
    read: ([N, salt = '', r, p, digest = '']) =>
      scryptHash([Number(N), Number(r), Number(p)], Buffer.from(salt), bytesOf(digest)),
  },
];

/**
 * A hash in one of the forms that docs/importing.md lists. Other services hashed what was typed: the password is tried
 * as it came, then in the normal form that ours have.
 */
function read(text: string): Reading {
  if (text.length > FOREIGN_HASH_LENGTH) return UNSUPPORTED;
  for (const { pattern, read: readForm } of FORMS) {
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

/** What is wrong with a hash of another service. */
export function foreignHashFault(text: string): ForeignHashFault | undefined {
  const reading = read(text);
  return typeof reading === 'string' ? reading : undefined;
}

/** How a hash of another service is stored until its owner signs in. */
export const storedForeignHash = (text: string): string => `${MARK}${text}`;

/** The hash of another service that is stored; `null` where it is ours. */
export function foreignHashIn(stored: string): ForeignHash | null {
  if (!stored.startsWith(MARK)) return null;
  const reading = read(stored.slice(MARK.length));
  if (typeof reading === 'string') throw new Error('a stored hash of another service cannot be read');
  return reading;
}
