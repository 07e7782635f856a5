/** Thrown if a database query did not complete in time. */
export class NoAnswer extends Error {
  constructor() {
    super('Query read timeout');
  }
}

/**
 * Starts a timer that calls `giveUp` after `ms` milliseconds. After a pause of the process or a blocked event loop, the
 * timer may fire although the response is already in the socket. Therefore, the socket is read once more before.
 */
export const afterSilence = (ms: number, giveUp: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);

/**
 * Waits at most `ms` milliseconds for a query.
 * @throws NoAnswer, and whatever the query throws
 */
export async function answerWithin<T>(ms: number, question: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = afterSilence(ms, () => reject(new NoAnswer()));
  });
  try {
    return await Promise.race([question, silence]);
  } finally {
    clearTimeout(timer);
  }
}
