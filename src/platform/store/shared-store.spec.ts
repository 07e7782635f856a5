import { jest } from '@jest/globals';
import fc from 'fast-check';
import { MemoryStore } from './shared-store.js';

/** A store with a fake clock, which `after` advances by seconds. */
function createTimedStore() {
  let now = 1000;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now * 1000);
  const store = new MemoryStore();
  return {
    store,
    after: (seconds: number) => {
      now += seconds;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      clock.mockRestore();
    },
  };
}

describe('conventions.md 7.1: the leaky bucket', () => {
  test('N at the same time, then one after each has leaked', async () => {
    await using bucket = createTimedStore();
    const { store, after } = bucket;
    const takes = [1, 2, 3].map(() => store.take('a', 2, 10));
    expect(takes.map(({ admitted, remaining }) => [admitted, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    expect(takes[0]).toMatchObject({ resetAfter: 5, retryAfter: 0 });
    expect(takes[2]).toMatchObject({ resetAfter: 10, retryAfter: 5 });
    after(4.999);
    expect(store.take('a', 2, 10)).toMatchObject({ admitted: false, retryAfter: expect.closeTo(0.001, 6) });
    after(0.001001);
    expect(store.take('a', 2, 10).admitted).toBe(true);
    expect(store.take('a', 2, 10).admitted).toBe(false);
  });

  test('a refunded one is available again, and no bucket falls below empty', async () => {
    await using bucket = createTimedStore();
    const { store } = bucket;
    store.take('a', 2, 60);
    expect(store.take('a', 2, 60)).toMatchObject({ admitted: true, remaining: 0 });
    expect(store.take('a', 2, 60, -1)).toMatchObject({ admitted: true, remaining: 1 });
    expect([1, 2].map(() => store.take('a', 2, 60).admitted)).toEqual([true, false]);
    for (let n = 0; n < 3; n++) expect(store.take('b', 2, 60, -1)).toMatchObject({ remaining: 2, resetAfter: 0 });
    expect([1, 2, 3].map(() => store.take('b', 2, 60).admitted)).toEqual([true, true, false]);
  });

  test('keys are independent; a deleted one starts again', async () => {
    await using bucket = createTimedStore();
    const { store } = bucket;
    expect(
      [store.take('a', 1, 60), store.take('b', 1, 60), store.take('a', 1, 60)].map((take) => take.admitted),
    ).toEqual([...[true, true, false]]);
    store.reset('a');
    expect([store.take('a', 1, 60), store.take('b', 1, 60)].map((take) => take.admitted)).toEqual([true, false]);
  });

  test('in any order: never more than N plus the leaked ones, a rejection adds nothing, and the returned wait is enough', async () => {
    await using bucket = createTimedStore();
    const { store, after } = bucket;
    let key = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.double({ min: 0, max: 30, noNaN: true }), { minLength: 1, maxLength: 60 }),
        (limit, seconds, pauses) => {
          const name = `key ${key++}`;
          let admitted = 0;
          let elapsed = 0;
          for (const pause of pauses) {
            after(pause);
            elapsed += pause;
            const first = store.take(name, limit, seconds);
            if (first.admitted) admitted++;
            else {
              expect(store.take(name, limit, seconds).retryAfter).toBeCloseTo(first.retryAfter, 6);
              after(first.retryAfter + 1e-6);
              elapsed += first.retryAfter + 1e-6;
              expect(store.take(name, limit, seconds).admitted).toBe(true);
              admitted++;
            }
            expect(first.remaining).toBeLessThan(limit);
            expect(admitted).toBeLessThanOrEqual(limit + (elapsed * limit) / seconds + 1e-6);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('memory is limited: the least recently used bucket is removed first', async () => {
    await using bucket = createTimedStore();
    const { store } = bucket;
    store.take('of kept', 1, 1000);
    store.take('of dropped', 1, 1000);
    for (let i = 0; i < 99_998; i++) store.take(`of ${i}`, 1, 1000);
    expect(store.take('of kept', 1, 1000).admitted).toBe(false);
    store.take('of one more', 1, 1000);
    expect(store.take('of kept', 1, 1000).admitted).toBe(false);
    expect(store.take('of dropped', 1, 1000).admitted).toBe(true);
  });

  test('values of one kind do not replace those of another', async () => {
    await using bucket = createTimedStore();
    const { store } = bucket;
    store.take('allowance/login:email 1:a', 1, 1000);
    store.strike('strikes/handoff 1:a', 1000);
    store.add('abuse/score 1:a', 5, 1000);
    store.distinct('abuse/rejected 1:a', 'x', 1000);
    for (let i = 0; i < 100_001; i++) {
      store.take(`route ${i}`, 1, 1000);
      store.take(`allowance/login:ip ${i}`, 1, 1000);
      store.add(`gateway/attempts ${i}`, 1, 1000);
      store.distinct(`abuse/strikes ${i}`, 'x', 1000);
    }
    expect(store.take('allowance/login:email 1:a', 1, 1000).admitted).toBe(false);
    expect(store.strikes('strikes/handoff 1:a')).toBe(1);
    expect(store.add('abuse/score 1:a', 0, 1000)).toBe(5);
    expect(store.distinct('abuse/rejected 1:a', 'y', 1000)).toBe(2);
  });

  test('sums and sets are removed after they expire', async () => {
    await using bucket = createTimedStore();
    const { store, after } = bucket;
    expect([store.add('s', 0.75, 10), store.add('s', 3, 10)]).toEqual([0.75, 3.75]);
    expect([store.distinct('d', 'x', 10), store.distinct('d', 'x', 10), store.distinct('d', 'y', 10)]).toEqual([
      1, 1, 2,
    ]);
    after(10);
    expect([store.add('s', 1, 10), store.distinct('d', 'z', 10)]).toEqual([1, 1]);
  });

  test('shares of a limit add up to it, and none is less than 1', () => {
    for (let count = 1; count <= 5; count++) {
      for (let limit = 1; limit <= 20; limit++) {
        const stores = Array.from({ length: count }, (_, index) => new MemoryStore({ index, count }));
        const shares = stores.map((store) => store.share(limit));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.max(limit, count));
        for (const store of stores) store.close();
      }
    }
  });
});
