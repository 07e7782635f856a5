/** Retry interval, because browsers do not always report a restored connection. */
const RETRY_INTERVAL_MS = 5000;

const waitUntilOnline = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, RETRY_INTERVAL_MS);
    function done() {
      clearTimeout(timer);
      removeEventListener('online', done);
      resolve();
    }
    addEventListener('online', done);
  });

/** Loads a file of the pages on demand. Retries as often as necessary while the connection is down. */
export async function retryLoad<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      await waitUntilOnline();
    }
  }
}
