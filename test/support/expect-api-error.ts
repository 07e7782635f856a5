import { errorTable } from '../../src/core/errors.js';
import { expect } from './demanded.js';
import type { Answer } from './exchange.js';
import { logOf } from './log-lines.js';

/** The status of a code by the registry as it is now: a team's own codes come to it when their modules are loaded. */
function statusOf(code: string): number {
  const [, status] = errorTable().find(([known]) => known === code) ?? [];
  if (status === undefined) throw new Error(`${code} is no error code of the service or of its modules`);
  return status;
}

/**
 * Asserts a refusal: status and code belong together, a message is there, nothing invites a password prompt, nothing
 * may be cached. `members` are further members that the body must hold.
 */
export function expectApiError(answer: Answer, code: string, members: Record<string, unknown> = {}): void {
  const status = statusOf(code);
  if (answer.status >= 500 && status < 500) throw new Error(`${code} was expected, not ${answer.text}${logOf(answer)}`);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: expect.objectContaining({ code, message: expect.stringMatching(/./), ...members }),
  });
  expect(answer.headers.has('www-authenticate')).toBe(false);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

/** Asserts `400 INVALID_FORM_BODY` with exactly these `path: CODE` pairs, in this order. */
export function expectInvalid(answer: Answer, ...faults: string[]): void {
  expectApiError(answer, 'INVALID_FORM_BODY');
  const found = (answer.body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path}: ${code}`);
  expect(found).toEqual(faults);
}
