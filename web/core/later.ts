/** A connection that is away may be back by then without the browser saying so. */
const AGAIN_MS = 5000;

const online = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, AGAIN_MS);
    function done() {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    }
    addEventListener('online', done);
  });

/** Loads a file of the pages that is not needed at once, however often the connection is away meanwhile. */
export async function later<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      await online();
    }
  }
}
