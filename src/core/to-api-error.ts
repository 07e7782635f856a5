import { HttpException } from '@nestjs/common';
import { isTransientDatabaseError } from './database-errors.js';
import { ApiError, type ErrorCode, unavailable } from './errors.js';

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  416: 'RANGE_NOT_SATISFIABLE',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/**
 * Converts any thrown value to the error that the caller sees. An exception of the framework keeps its status if a code
 * exists for it.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isTransientDatabaseError(thrown)) return unavailable(5).withCause(thrown);
  if (!(thrown instanceof HttpException)) return new ApiError('INTERNAL_SERVER_ERROR');
  const status = thrown.getStatus();
  if (status === 429) {
    return new ApiError('RATE_LIMITED', { global: false, retry_after: 1 }).withHeaders({ 'Retry-After': '1' });
  }
  const isOfClient = status >= 400 && status < 500;
  return new ApiError(
    (CODE_BY_STATUS[status] ?? (isOfClient ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR')) as 'NOT_FOUND',
  );
}
