import { ApiError, type ErrorExtras } from '../../core/errors.js';
import type { Allowance } from './shared-store.js';

const wholeSeconds = (seconds: number): string => String(Math.max(1, Math.ceil(seconds)));
const fractionalSeconds = (seconds: number): string => seconds.toFixed(3);

const rateLimitError = (allowance: Allowance, global: boolean): ApiError<'RATE_LIMITED'> => {
  const extra: ErrorExtras['RATE_LIMITED'] = { global, retry_after: Math.ceil(allowance.retryAfter * 1000) / 1000 };
  return new ApiError('RATE_LIMITED', extra).withHeaders({ 'Retry-After': wholeSeconds(allowance.retryAfter) });
};

export function allowanceHeaders(allowance: Allowance, limit: number, nowMs: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(allowance.remaining),
    'X-RateLimit-Reset': String(Math.ceil(nowMs / 1000 + allowance.resetAfter)),
    'X-RateLimit-Reset-After': fractionalSeconds(allowance.resetAfter),
  };
}

/**
 * Builds the 429 error of a route limit.
 * @param headers rate-limit headers that a successful response would have
 */
export const routeLimitError = (allowance: Allowance, headers: Record<string, string>): ApiError =>
  rateLimitError(allowance, false).withHeaders({ ...headers, 'X-RateLimit-Scope': 'user' });

export const globalLimitError = (allowance: Allowance, limit: number, nowMs: number): ApiError =>
  rateLimitError(allowance, true).withHeaders({
    ...allowanceHeaders(allowance, limit, nowMs),
    'X-RateLimit-Scope': 'global',
    'X-RateLimit-Global': 'true',
  });

/** Builds the 429 error of an allowance of a handler. */
export const allowanceExhaustedError = (allowance: Allowance, limit: number, nowMs: number): ApiError =>
  rateLimitError(allowance, false).withHeaders({
    ...allowanceHeaders(allowance, limit, nowMs),
    'X-RateLimit-Scope': 'user',
  });

/** Builds the error for too many text messages. The allowance of a phone number is shared by all accounts. */
export const phoneLimitError = (
  allowance: Allowance,
  limit: number,
  nowMs: number,
  scope: 'user' | 'shared',
): ApiError =>
  new ApiError('PHONE_RATE_LIMIT_EXCEEDED', { retry_after: Math.ceil(allowance.retryAfter * 1000) / 1000 }).withHeaders(
    {
      ...allowanceHeaders(allowance, limit, nowMs),
      'Retry-After': wholeSeconds(allowance.retryAfter),
      'X-RateLimit-Scope': scope,
    },
  );
