import { ApiError } from '@gatehouse-auth/client';

const waitOneSecond = (signal: AbortSignal): Promise<void> =>
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
 * Repeats a request while the service asks to wait (429 or 503 with Retry-After).
 * @param signal cancels the waiting; pass it to the request as well to cancel that
 * @param onWait called each second with the remaining seconds, and finally with 0
 * @throws the reason of `signal`, and other errors of `ask`
 */
export async function withRetry<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  onWait: (seconds: number) => void,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      const isPause = error instanceof ApiError && (error.status === 429 || error.status === 503);
      if (!isPause || error.retryAfter === undefined) throw error;
      for (let left = Math.max(1, Math.ceil(error.retryAfter)); left > 0; left--) {
        onWait(left);
        await waitOneSecond(signal);
      }
      onWait(0);
    }
  }
}
