import { type Fault, field } from '../input.js';
import { isCommonPassword } from './common-passwords.js';

const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

interface PasswordOptions {
  optional?: boolean;
  /** A password that is being set: common ones are refused. */
  fresh?: boolean;
}

/** 8-256 characters, never trimmed or truncated (auth.md 1.4). */
export function Password(options: PasswordOptions = {}): PropertyDecorator {
  const description = { type: String, format: 'password', minLength: 8, maxLength: 256 };
  return field({ ...options, description }, (value): Fault | undefined => {
    if (!isText(value)) return 'INVALID_FORMAT';
    const { length } = [...value];
    if (length < 8 || length > 256) return 'PASSWORD_LENGTH_INVALID';
    return options.fresh && isCommonPassword(value) ? 'PASSWORD_IS_TOO_COMMON' : undefined;
  });
}

/** Exactly 64 of `[A-Za-z0-9]`: the token of a mailed link. */
export function Token64(): PropertyDecorator {
  const description = { type: String, minLength: 64, maxLength: 64, pattern: '^[A-Za-z0-9]{64}$' };
  return field({ description }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    if (value.length !== 64) return 'STRING_LENGTH_EXACT';
    return /^[A-Za-z0-9]{64}$/.test(value) ? undefined : 'INVALID_FORMAT';
  });
}
