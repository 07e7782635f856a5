import { createHmac } from 'node:crypto';
import { equalsInConstantTime } from '../../core/secrets.js';

/** Permissions of a relay capability (media.md 4.1). */
export interface Claims {
  /** Bucket. */
  readonly b: string;
  /** Key. */
  readonly k: string;
  readonly m: string;
  /** Content type to store. */
  readonly ct?: string;
  /** Maximum body size in bytes. */
  readonly mb: number;
  /** Expiration as Unix time in seconds. At and after this time the capability is rejected. */
  readonly e: number;
  /** Reusable until `e`. */
  readonly r?: boolean;
}

const MAX_LENGTH = 4096;
const FORM = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;
const RULES: Readonly<Record<keyof Claims, (value: unknown) => boolean>> = {
  b: (value) => typeof value === 'string',
  k: (value) => typeof value === 'string',
  m: (value) => typeof value === 'string',
  ct: (value) => value === undefined || typeof value === 'string',
  mb: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  e: (value) => Number.isSafeInteger(value),
  r: (value) => value === undefined || typeof value === 'boolean',
};

const macOf = (secret: Uint8Array, half: string): string =>
  createHmac('sha256', secret).update(half).digest('base64url');

/** Returns the value of the `t` parameter of a relay URL. */
export function signCapability(secret: Uint8Array, claims: Claims): string {
  const half = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${half}.${macOf(secret, half)}`;
}

function isClaims(value: unknown): value is Claims {
  // Values that are not objects become objects without the required members.
  const given = Object(value) as Record<string, unknown>;
  const names = Object.keys(RULES) as (keyof Claims)[];
  return (
    Object.keys(given).every((name) => Object.hasOwn(RULES, name)) && names.every((name) => RULES[name](given[name]))
  );
}

/**
 * Returns the claims of a capability if one of the secrets signed it, otherwise `null`. Does not check time, method or
 * key.
 */
export function readCapability(secrets: readonly Uint8Array[], t: string): Claims | null {
  const [, half, mac] = (t.length <= MAX_LENGTH && FORM.exec(t)) || [];
  if (!half || !mac) return null;
  let isSigned = false;
  // Check all secrets, so that the time does not reveal which one matched.
  for (const secret of secrets)
    isSigned = equalsInConstantTime(Buffer.from(macOf(secret, half)), Buffer.from(mac)) || isSigned;
  if (!isSigned) return null;
  try {
    const claims: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(half, 'base64url')),
    );
    return isClaims(claims) ? claims : null;
  } catch {
    return null;
  }
}
