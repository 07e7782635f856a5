/** Retry interval, because browsers do not always report a restored connection. */
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

/** Loads a file of the pages on demand. Retries as often as necessary while the connection is down. */
export async function later<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      await online();
    }
  }
}
