import { oauthError } from '../../core/errors.js';
import { isStorable } from '../../core/text/text.js';

const MAX_LENGTH = 256;

/** The parameters of a urlencoded form or a query: each name with every value that was sent for it. */
export type Form = Readonly<Record<string, unknown>>;

/** A single parameter: absent or without a value counts as not sent; repeated is a fault (RFC 6749 section 3.1). */
export function formValue(form: Form, name: string): string | undefined {
  const values = form[name] as string[] | undefined;
  if (values && values.length > 1) throw oauthError('invalid_request', [name]);
  return values?.[0] || undefined;
}

const isBounded = (value: string): boolean => value.length <= MAX_LENGTH && value.trim() === value && isStorable(value);

/** A parameter of 1-256 characters without white space around it (oauth.md 1.3). */
export function boundedValue(form: Form, name: string): string | undefined {
  const value = formValue(form, name);
  if (value !== undefined && !isBounded(value)) throw oauthError('invalid_request', [name]);
  return value;
}

/** @throws Refusal INVALID_REQUEST when it was not sent or breaks its bounds */
export function requiredValue(form: Form, name: string): string {
  const value = boundedValue(form, name);
  if (value === undefined) throw oauthError('invalid_request', [name]);
  return value;
}
