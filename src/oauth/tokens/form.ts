import { isStorable } from '../../core/text/text.js';
import { oauthError } from './oauth-errors.js';

const MAX_LENGTH = 256;

/** The parameters of a urlencoded form or a query. Each name has all its values. */
export type Form = Readonly<Record<string, unknown>>;

/**
 * Returns a single parameter. One without a value counts as absent, and a repeated one is an error (RFC 6749 section
 * 3.1).
 */
export function formValue(form: Form, name: string): string | undefined {
  const values = form[name] as string[] | undefined;
  if (values && values.length > 1) throw oauthError('invalid_request', [name]);
  return values?.[0] || undefined;
}

const isBounded = (value: string): boolean => value.length <= MAX_LENGTH && value.trim() === value && isStorable(value);

/** Returns a parameter of 1 to 256 characters without white space around it (oauth.md 1.3). */
export function boundedValue(form: Form, name: string): string | undefined {
  const value = formValue(form, name);
  if (value !== undefined && !isBounded(value)) throw oauthError('invalid_request', [name]);
  return value;
}

/** @throws ApiError INVALID_REQUEST if it is absent or invalid */
export function requiredValue(form: Form, name: string): string {
  const value = boundedValue(form, name);
  if (value === undefined) throw oauthError('invalid_request', [name]);
  return value;
}
