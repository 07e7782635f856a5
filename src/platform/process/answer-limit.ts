/** What was asked of the database has not come in time. */
export class NoAnswer extends Error {
  constructor() {
    super('Query read timeout');
  }
}

/**
 * What is to be done when nothing has come for that long, if its timer is not cleared. A process that stood still, or was
 * kept busy, finds its timer run out and the answer in its socket: the socket is read once more before.
 */
export const afterSilence = (ms: number, giveUp: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);

/**
 * An answer of the database, waited for no longer than that.
 * @throws NoAnswer, and whatever the question throws
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
