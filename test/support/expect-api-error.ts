import { featureRegistry } from '../../src/features.js';
import type { FeatureRegistry } from '../../src/policy/feature-registry.js';
import type { TestResponse } from './exchange.js';
import { logOf } from './log-lines.js';
import { expect } from './optional-packages.js';

/** The status of each error code of the service and of all services that were started. */
const statuses = new Map([...featureRegistry().errors].map(([code, [status]]) => [code, status]));

/**
 * Adds the error codes of a started service.
 * @internal
 */
export function learnErrorCodes({ errors }: FeatureRegistry): void {
  for (const [code, [status]] of errors) statuses.set(code, status);
}

function statusOf(code: string): number {
  const status = statuses.get(code);
  if (status === undefined) throw new Error(`${code} is no error code of the service or of its modules`);
  return status;
}

/**
 * Asserts an error response: the status matches the code, and there is a message. The response must not be cached and
 * must not open a password prompt. `members` are further members that the body must have.
 */
export function expectApiError(response: TestResponse, code: string, members: Record<string, unknown> = {}): void {
  const status = statusOf(code);
  if (response.status >= 500 && status < 500)
    throw new Error(`${code} was expected, not ${response.text}${logOf(response)}`);
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: expect.objectContaining({ code, message: expect.stringMatching(/./), ...members }),
  });
  expect(response.headers.has('www-authenticate')).toBe(false);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

/** Asserts `400 INVALID_FORM_BODY` with exactly these `path: CODE` pairs, in this order. */
export function expectInvalid(response: TestResponse, ...faults: string[]): void {
  expectApiError(response, 'INVALID_FORM_BODY');
  const found = (response.body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path}: ${code}`);
  expect(found).toEqual(faults);
}
