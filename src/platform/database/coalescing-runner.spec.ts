import { setTimeout as delay } from 'node:timers/promises';
import { CoalescingRunner } from './coalescing-runner.js';

/** Longer than the pause between two runs, and shorter than any other timer that would start one. */
const SOON_MS = 50;

/** Waits for `count` turns of the microtask queue. */
async function waitMicrotasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await null;
}

test.each([0, 1, 2, 3, 4, 5, 6])(
  'a request %i microtasks after the last check is handled like any other',
  async (count) => {
    let done = 0;
    const coalesced = new CoalescingRunner(
      async () => done++,
      () => 0,
    );
    let looks = 0;
    let isWished = false;
    Object.defineProperty(coalesced, 'isRequested', {
      set: (value: boolean) => {
        isWished = value;
      },
      get: () => {
        if (!isWished && looks++ === 0) void waitMicrotasks(count).then(() => coalesced.request());
        return isWished;
      },
    });
    coalesced.request();
    await delay(SOON_MS);
    expect(looks).toBeGreaterThan(0);
    expect(done).toBe(2);
    await coalesced.whenIdle();
  },
);

test('requests during a run cause one more run, and a request without a run starts one immediately', async () => {
  const times: number[] = [];
  const coalesced = new CoalescingRunner(
    async () => void times.push(performance.now()),
    () => 20,
  );
  coalesced.request();
  expect(times).toHaveLength(1);
  for (let wish = 0; wish < 10; wish++) coalesced.request();
  await coalesced.whenIdle();
  expect(times).toHaveLength(2);
  expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(15);
});
