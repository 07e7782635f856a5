import { readFileSync } from 'node:fs';
import { cpuTime, minimumOf } from '../support/cpu-time.js';
import { type Attack, attacksOn, patternsOf } from '../support/patterns.js';

/**
 * Every pattern with the maximum length of its input. A new or changed pattern changes a line of that file, so a
 * reviewer must know where its input comes from. No maximum may exceed 16384, the size limit of the request headers.
 */
const LIST = 'test/patterns.snapshot.txt';
const MOST = 16_384;
const ENOUGH_MS = 10;
const BEYOND_DOUBT_MS = 80;
/** Superlinear growth already shows at these lengths. A text that takes no time here is not suspect. */
const SHORT = [
  { length: 1024, ms: 0.04 },
  { length: 4096, ms: 0.5 },
];

const bounds = new Map(
  readFileSync(LIST, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
);

function isSuspect(pattern: RegExp, attack: Attack, most: number): boolean {
  return SHORT.every(({ length, ms }) => {
    const text = attack(Math.min(length, most));
    const start = performance.now();
    text.replace(pattern, '');
    return performance.now() - start > ms;
  });
}

/** Parts of a pattern that contain no quantifier: escapes and classes. */
const NOT_QUANTIFIERS = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]/g;
/** Without a quantifier, an attempt ends after as many steps as the pattern is long, so the time is linear. */
const isLinear = ({ source }: RegExp): boolean => !/[*+{]/.test(source.replace(NOT_QUANTIFIERS, '.'));

/** The milliseconds of the slowest text, or of the first text that is slow beyond doubt. */
async function worstOf(pattern: RegExp, length: number): Promise<{ ms: number; text: string }> {
  const worst = { ms: 0, text: '' };
  if (isLinear(pattern)) return worst;
  for (const attack of attacksOn(pattern)) {
    if (!isSuspect(pattern, attack, length)) continue;
    const text = attack(length);
    const ms = await minimumOf({ enough: ENOUGH_MS, hopeless: BEYOND_DOUBT_MS }, () =>
      cpuTime(() => void text.replace(pattern, '')),
    );
    if (ms > worst.ms) Object.assign(worst, { ms, text: text.slice(0, 40) });
    if (ms > BEYOND_DOUBT_MS) break;
  }
  return worst;
}

describe('conventions.md 1: no pattern has catastrophic backtracking', () => {
  const patterns = patternsOf('src');

  test('every pattern of the sources is listed with its limit', () => {
    expect(patterns.map(({ name }) => name)).toEqual([...bounds.keys()]);
    for (const [name, bound] of bounds) expect([name, bound > 0 && bound <= MOST]).toEqual([name, true]);
  });

  test.each(patterns.map(({ name, pattern }) => [name, pattern] as const))('%s', async (name, pattern) => {
    const worst = await worstOf(pattern, bounds.get(name) ?? MOST);
    expect(worst.ms > ENOUGH_MS ? worst : null).toBeNull();
  });

  test.each([/=+$/, /^[ \t]*([^ \t]*)[ \t]*$/, /^[^:/?#]*:[^/?#]*\/*[^/?#]*@/, /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/])(
    'texts that cause it are found for %s',
    async (pattern) => expect((await worstOf(pattern, MOST)).ms).toBeGreaterThan(2 * ENOUGH_MS),
  );
});
