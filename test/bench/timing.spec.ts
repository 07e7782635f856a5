import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const bench = join(import.meta.dirname, '../../bench');
const results = join(bench, 'results');
/** The scripts of the benchmarks have no types. */
const load = (name: string) => import(join(bench, 'timing', name));

/**
 * Pseudorandom numbers between 0 and 1, the same on every run (a linear congruential generator of Numerical Recipes).
 */
function* noise(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Durations around `centre`. One in a hundred takes a hundred times as long. */
function durations(count: number, centre: number, seed: number): number[] {
  const random = noise(seed);
  return Array.from({ length: count }, () => {
    const value = centre + 40 * random.next().value;
    return random.next().value < 0.01 ? value * 100 : value;
  });
}

describe('the result of a timing run', () => {
  test("is Welch's t-test", async () => {
    const { welch } = await load('statistics.mjs');
    // Means 2 and 4, variances 1 and 4, so the standard error is the root of 5/3.
    expect(welch([1, 2, 3], [2, 4, 6])).toBeCloseTo(-2 / Math.sqrt(5 / 3), 10);
    expect(welch([2, 4, 6], [1, 2, 3])).toBeCloseTo(2 / Math.sqrt(5 / 3), 10);
    expect([welch([1, 1], [1, 1]), welch([2, 2], [1, 1])]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  test('two samples of one kind are equal', async () => {
    const { compare } = await load('statistics.mjs');
    for (const seed of [1, 2, 3, 4]) {
      const { worst, differs } = compare(durations(2000, 300, seed), durations(2000, 300, seed + 100));
      expect({ seed, t: worst.t, differs }).toEqual({ seed, t: worst.t, differs: false });
    }
  });

  test('a difference hidden by slow requests is found among the fast ones', async () => {
    const { compare, welch, THRESHOLD } = await load('statistics.mjs');
    const [first, second] = [durations(2000, 305, 1), durations(2000, 300, 101)];
    expect(Math.abs(welch(first, second))).toBeLessThan(THRESHOLD);
    const { worst, differs } = compare(first, second);
    expect(differs).toBe(true);
    expect(worst.share).toBeLessThan(1);
    expect(worst.t).toBeGreaterThan(THRESHOLD);
  });

  test('a run passes if the planted leak is found and there is no other unknown difference', async () => {
    const { isPassed, verdictOf } = await load('report.mjs');
    const [alike, differing] = [{ worst: { t: 4.4, share: 1 } }, { worst: { t: -4.6, share: 1 } }];
    const known = { ...differing, known: 'why' };
    const [found, missed] = [
      { ...differing, isLeak: true },
      { ...alike, isLeak: true },
    ];
    const verdicts = [alike, differing, known, { ...alike, known: 'why' }, found, missed].map(verdictOf);
    expect(verdicts).toEqual(['alike', 'DIFFERS', 'differs: why', 'alike', 'found', 'NOT FOUND']);
    expect(isPassed({ runs: [{ pairs: [found, alike, known] }] })).toBe(true);
    expect(isPassed({ runs: [{ pairs: [found, alike] }, { pairs: [differing] }] })).toBe(false);
    expect(isPassed({ runs: [{ pairs: [missed, alike] }] })).toBe(false);
  });

  test('a guess has the form of the secret, and differs from it', async () => {
    const { astray, nearly, unknownId } = await load('likeness.mjs');
    const secret = 'fa_123_abcDEF0189';
    for (let round = 0; round < 50; round++) {
      const [close, far] = [nearly(secret), astray(secret, 7)];
      expect([close.slice(0, -2), close.at(-1)]).toEqual([secret.slice(0, -2), '9']);
      expect(close).not.toBe(secret);
      expect(far).toMatch(/^fa_123_[A-Za-z0-9]{10}$/);
      expect([...far.slice(7, -1)].filter((character, place) => character === secret[place + 7])).toEqual([]);
      // With another last character, it may not be valid base64url.
      expect(far.at(-1)).toBe(secret.at(-1));
      expect(BigInt(unknownId('1459999999999999999'))).toBeLessThan(1459999999999999999n);
    }
  });
});

test('bench/README.md links the only committed report', () => {
  const names = readdirSync(results).filter((name) => /^timing-.*\.md$/.test(name));
  expect(names).toHaveLength(1);
  expect(readFileSync(join(bench, 'README.md'), 'utf8')).toContain(`(results/${names[0]})`);
});
