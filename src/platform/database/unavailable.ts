import { isTransientDatabaseError } from '../../core/database-errors.js';

/** Errors of the network and of name resolution that can pass, for example while a container starts. */
const NETWORK_ERRORS = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);
/** SQLSTATE of the errors of PgBouncer, which also reports with it that the server cannot be reached. */
const POOLER_ERROR = '08P01';
/** SQLSTATE classes of a wrong password or role, and of a missing database. */
const PERMANENT = /^(?:28|3D)/;

/**
 * Whether a failed connection can succeed later without any change of settings: the server is away, starts, recovers or
 * has too many connections. A wrong password, role or database name is permanent.
 */
export function canBecomeAvailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(canBecomeAvailable);
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && PERMANENT.test(code)) return false;
  if (typeof code === 'string' && (NETWORK_ERRORS.has(code) || code === POOLER_ERROR)) return true;
  return isTransientDatabaseError(error) || error.message === 'timeout expired';
}
