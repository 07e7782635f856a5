import type { FieldCode } from '../errors.js';
import { codePoints, field } from '../input.js';

const RESERVED = new Set(['everyone', 'here']);
const plainly = (text: string): string => text.toLowerCase().replaceAll('_', ' ').trim();

// The product's name is added at boot: a name must not pose as the service.
const RESERVED_TERMS = new Set(['system message']);

export function reserveTerm(term: string): void {
  if (plainly(term) !== '') RESERVED_TERMS.add(plainly(term));
}

const containsTerm = (value: string): boolean => {
  const plain = plainly(value);
  return [...RESERVED_TERMS].some((term) => plain.includes(term));
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const withoutControl = (text: string): string => text.replace(CONTROL, '').trim();

/** 1-32 of `[A-Za-z0-9_]`, not reserved (auth.md 1.4). */
export function Username(options: { optional?: boolean } = {}): PropertyDecorator {
  const description = { type: String, minLength: 1, maxLength: 32, pattern: '^[A-Za-z0-9_]+$' };
  const convert = (value: unknown) => (typeof value === 'string' ? value.trim() : value);
  return field({ ...options, description, convert }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    if (value.length < 1 || value.length > 32) return 'USERNAME_LENGTH_INVALID';
    if (!/^[A-Za-z0-9_]+$/.test(value)) return 'USERNAME_INVALID_CHARACTERS';
    if (RESERVED.has(value.toLowerCase())) return 'USERNAME_RESERVED_VALUE';
    if (containsTerm(value)) return 'USERNAME_CANNOT_CONTAIN_RESERVED_TERMS';
    return undefined;
  });
}

const plainName = (value: unknown) => (typeof value === 'string' ? withoutControl(value) : value);

function globalNameFault(value: unknown): FieldCode | undefined {
  if (typeof value !== 'string' || !value.isWellFormed()) return 'INVALID_FORMAT';
  const length = codePoints(value);
  if (length < 1 || length > 32) return 'GLOBAL_NAME_LENGTH_INVALID';
  if (RESERVED.has(value.toLowerCase())) return 'GLOBAL_NAME_RESERVED_VALUE';
  if (containsTerm(value)) return 'GLOBAL_NAME_CANNOT_CONTAIN_RESERVED_TERMS';
  return undefined;
}

/** 1-32 code points after trimming and removal of control characters. */
export function GlobalName(options: { optional?: boolean; nullable?: boolean } = {}): PropertyDecorator {
  const description = { type: String, minLength: 1, maxLength: 32 };
  return field({ ...options, description, convert: plainName }, globalNameFault);
}

/** A global name that others claim for somebody, or nothing when it breaks the rules. */
export function globalNameFrom(claimed: unknown): string | null {
  const name = plainName(claimed);
  return globalNameFault(name) === undefined ? (name as string) : null;
}

/** A username derived from free text: its letters and digits, or nothing when too few are left. */
export function usernameFrom(text: string): string | null {
  const plain = text
    .normalize('NFKD')
    .replace(/[\s-]+/g, '_')
    .replace(/[^A-Za-z0-9_]/g, '')
    .replace(/^_+|_+$/g, '')
    .slice(0, 32);
  return plain.length < 1 || RESERVED.has(plain.toLowerCase()) || containsTerm(plain) ? null : plain;
}
