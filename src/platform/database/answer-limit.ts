/** What was asked of the database has not come in time. */
export class NoAnswer extends Error {
  constructor() {
    super('Query read timeout');
  }
}

/**
 * An answer of the database, waited for no longer than that. A process that stood still, or was kept busy, finds its timer
 * run out and the answer in its socket: the socket is read once more before the answer counts as missing.
 * @throws NoAnswer, and whatever the question throws
 */
export async function answerWithin<T>(ms: number, question: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const giveUp = () => setImmediate(() => setImmediate(() => reject(new NoAnswer())));
    timer = setTimeout(giveUp, ms);
  });
  try {
    return await Promise.race([question, silence]);
  } finally {
    clearTimeout(timer);
  }
}
