import { isNativeError } from 'node:util/types';

/**
 * SQLSTATE classes of errors after which a retry can succeed. The database is down or full, or the statement hit a
 * timeout, a lock limit, a deadlock or a conflict. 08P01 is excluded because it is a protocol error of the client.
 */
const TRANSIENT_SQLSTATE = /^(08(?!P01)|53|57P|58|25006|55P03|40001|40P01|57014)/;

const connectionErrors = new WeakSet<object>();

/**
 * Marks a socket error as a database error. Only the owner of the connections can distinguish it from socket errors of
 * other servers.
 */
export function markConnectionError(error: unknown): void {
  if (isNativeError(error)) connectionErrors.add(error);
}

interface DriverError {
  readonly code?: unknown;
  readonly severity?: unknown;
}

/** Whether the error comes from the database and a retry may succeed. */
export function isTransientDatabaseError(thrown: unknown): boolean {
  if (!isNativeError(thrown)) return false;
  const { code, severity, driverError } = thrown as { code?: unknown; severity?: unknown; driverError?: DriverError };
  // A fatal error closes the connection. PgBouncer reports with it that its server is away.
  if (severity === 'FATAL' || driverError?.severity === 'FATAL') return true;
  if (connectionErrors.has(thrown) || (driverError && connectionErrors.has(driverError))) return true;
  const state = code ?? driverError?.code;
  if (typeof state === 'string' && TRANSIENT_SQLSTATE.test(state)) return true;
  return /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout/i.test(
    thrown.message,
  );
}
