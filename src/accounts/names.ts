import type { FieldCode } from '../core/errors.js';
import { countCodePoints, isBlank, isText, plainName } from '../core/text/text.js';
import { field, NORMALIZATION_SLACK, Text } from '../http/input.js';
import { containsTerm, toSkeleton } from './reserved-terms.js';

const MAX_NAME = 32;
const RESERVED_NAMES = new Set(['everyone', 'here'].map(toSkeleton));

/** 1-32 of `[A-Za-z0-9_]`, not reserved (auth.md 1.4). */
export function Username(options: { optional?: boolean } = {}): PropertyDecorator {
  const description = { type: 'string', minLength: 1, maxLength: MAX_NAME, pattern: '^[A-Za-z0-9_]+$' };
  const convert = (value: unknown) => (typeof value === 'string' ? value.trim() : value);
  const bound = { bound: MAX_NAME + NORMALIZATION_SLACK, tooLong: 'USERNAME_LENGTH_INVALID' } as const;
  return field({ ...options, ...bound, description, convert }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    if (value.length < 1 || value.length > MAX_NAME) return 'USERNAME_LENGTH_INVALID';
    if (!/^[A-Za-z0-9_]+$/.test(value)) return 'USERNAME_INVALID_CHARACTERS';
    if (RESERVED_NAMES.has(toSkeleton(value))) return 'USERNAME_RESERVED_VALUE';
    if (containsTerm(value)) return 'USERNAME_CANNOT_CONTAIN_RESERVED_TERMS';
    return undefined;
  });
}

/** `0001` to `9999`. */
export function Discriminator(): PropertyDecorator {
  const bound = { bound: 4, tooLong: 'DISCRIMINATOR_INVALID_FORMAT' } as const;
  return field({ optional: true, ...bound, description: { type: 'string', pattern: '^[0-9]{4}$' } }, (value) => {
    if (typeof value !== 'string' || !/^[0-9]{4}$/.test(value)) return 'DISCRIMINATOR_INVALID_FORMAT';
    return value === '0000' ? 'DISCRIMINATOR_OUT_OF_RANGE' : undefined;
  });
}

const GLOBAL_NAME_BOUND = 2 * MAX_NAME + NORMALIZATION_SLACK;

function globalNameFault(value: unknown): FieldCode | undefined {
  if (!isText(value)) return 'INVALID_FORMAT';
  if (isBlank(value) || countCodePoints(value) > MAX_NAME) return 'GLOBAL_NAME_LENGTH_INVALID';
  if (RESERVED_NAMES.has(toSkeleton(value))) return 'GLOBAL_NAME_RESERVED_VALUE';
  if (containsTerm(value)) return 'GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS';
  return undefined;
}

/** 1-32 code points after trimming and removal of control characters. */
export function GlobalName(options: { optional?: boolean; nullable?: boolean } = {}): PropertyDecorator {
  const description = { type: 'string', minLength: 1, maxLength: MAX_NAME };
  const convert = (value: unknown) => (typeof value === 'string' ? plainName(value) : value);
  const bound = { bound: GLOBAL_NAME_BOUND, tooLong: 'GLOBAL_NAME_LENGTH_INVALID' } as const;
  return field({ ...options, ...bound, description, convert }, globalNameFault);
}

/** Returns a global name from an external source, or null if it breaks the rules. */
export function globalNameFrom(claimed: unknown): string | null {
  if (typeof claimed !== 'string' || claimed.length > GLOBAL_NAME_BOUND) return null;
  const name = plainName(claimed);
  return globalNameFault(name) === undefined ? name : null;
}

/**
 * The name of an application, which users see on the consent page. It has 1-100 characters, not all of them blank. It
 * must not resemble the service's own name.
 */
export const ApplicationName = (options: { optional?: boolean } = {}): PropertyDecorator =>
  Text({
    ...options,
    ...{ min: 1, max: 100, convert: plainName },
    check: (name) => (containsTerm(name) ? 'USERNAME_CANNOT_CONTAIN_RESERVED_TERMS' : !isBlank(name)),
  });

/** Derives a username from the letters and digits of free text. Returns null if the result is empty or reserved. */
export function usernameFrom(text: string): string | null {
  const plain = text
    .slice(0, 4 * MAX_NAME)
    .normalize('NFKD')
    .replace(/[\s-]+/g, '_')
    .replace(/[^A-Za-z0-9_]/g, '')
    .slice(0, 4 * MAX_NAME)
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_NAME);
  return plain.length < 1 || RESERVED_NAMES.has(toSkeleton(plain)) || containsTerm(plain) ? null : plain;
}
