import { countCodePoints, isText } from '../../core/text/text.js';
import { field } from '../../http/input.js';
import { isCommonPassword } from './common-passwords.js';

interface PasswordOptions {
  optional?: boolean;
  /** Set for new passwords, which must not be common ones. */
  fresh?: boolean;
}

const MIN_PASSWORD = 8;
const MAX_PASSWORD = 256;

/** A password of 8 to 256 characters, new or existing. It is never trimmed or truncated (auth.md 1.4). */
export function Password(options: PasswordOptions = {}): PropertyDecorator {
  const { fresh, ...rest } = options;
  const description = { type: 'string', format: 'password', minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD };
  const bound = { bound: 2 * MAX_PASSWORD, tooLong: 'PASSWORD_LENGTH_INVALID' } as const;
  return field({ ...rest, ...bound, description }, (value) => {
    if (!isText(value)) return 'INVALID_FORMAT';
    const length = countCodePoints(value);
    if (length < MIN_PASSWORD || length > MAX_PASSWORD) return 'PASSWORD_LENGTH_INVALID';
    return fresh && isCommonPassword(value) ? 'PASSWORD_IS_TOO_COMMON' : undefined;
  });
}

/** The token of a link in an email: exactly 64 of `[A-Za-z0-9]`. */
export function Token64(): PropertyDecorator {
  const description = { type: 'string', minLength: 64, maxLength: 64, pattern: '^[A-Za-z0-9]{64}$' };
  return field({ bound: 64, tooLong: 'STRING_LENGTH_EXACT', description }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    if (value.length !== 64) return 'STRING_LENGTH_EXACT';
    return /^[A-Za-z0-9]{64}$/.test(value) ? undefined : 'INVALID_FORMAT';
  });
}
