import { setTimeout as delay } from 'node:timers/promises';
import { PollingWorker } from './polling-worker.js';

/** Shorter than the poll interval. */
const SOON_MS = 100;

/** Waits for `count` turns of the microtask queue. */
async function waitMicrotasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await null;
}

test.each([1, 4].flatMap((lanes) => [0, 1, 2, 3, 4, 5, 6].map((count) => [lanes, count] as const)))(
  '%i lanes: an item due %i microtasks after the last check is handled like any other',
  async (lanes, count) => {
    let due = 0;
    let handled = 0;
    let ends = 0;
    const drain = new PollingWorker(
      async () => {
        if (due > 0) {
          due--;
          handled++;
          return true;
        }
        if (++ends === lanes) {
          void waitMicrotasks(count).then(() => {
            due++;
            drain.wake();
          });
        }
        return false;
      },
      (error) => {
        throw error;
      },
      lanes,
    );
    drain.start();
    for (let lane = 1; lane < lanes; lane++) drain.wake();
    await delay(SOON_MS);
    await drain.stop();
    expect(handled).toBe(1);
  },
);
