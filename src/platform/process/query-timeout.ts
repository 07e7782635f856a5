/** Thrown if a database query did not complete in time. */
export class QueryTimeoutError extends Error {
  constructor() {
    super('Query read timeout');
  }
}

/**
 * Starts a timer that calls `giveUp` after `ms` milliseconds. After a pause of the process or a blocked event loop, the
 * timer may fire although the response is already in the socket. Therefore, the socket is read once more before.
 */
export const setReadTimeout = (ms: number, giveUp: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);

/**
 * Waits at most `ms` milliseconds for a query.
 * @throws QueryTimeoutError, and whatever the query throws
 */
export async function withQueryTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setReadTimeout(ms, () => reject(new QueryTimeoutError()));
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
