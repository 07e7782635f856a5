import { Refused } from 'gatehouse/client';

const second = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, 1000);
    signal.addEventListener('abort', stop, { once: true });
  });

/**
 * Asks again whenever the service wants to be left alone for a time and says for how long.
 * @param signal ends the waiting; whoever ends what is on its way gives it to that as well
 * @param onWait told of the seconds that are left, each second, and of 0 in the end
 * @throws the reason of `signal`, and whatever else `ask` throws
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  onWait: (seconds: number) => void,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const isPause = error instanceof Refused && (error.status === 429 || error.status === 503);
      if (!isPause || error.retryAfter === undefined) throw error;
      for (let left = Math.max(1, Math.ceil(error.retryAfter)); left > 0; left--) {
        onWait(left);
        await second(signal);
      }
      onWait(0);
    }
  }
}
