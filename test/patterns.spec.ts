import { readFileSync } from 'node:fs';
import { attacksOn, patternsOf } from './support/patterns.js';
import { leastOf, processorTime, slowness } from './support/processor-time.js';

/**
 * Every pattern with the most characters that it is ever given. A pattern that is new or changed is a line of this file
 * in review: who gives it what is to be known, and 16384, what the headers of a request hold, is the most that any may
 * see.
 */
const LIST = 'test/patterns.snapshot.txt';
const MOST = 16_384;
const ENOUGH_MS = 10;
const BEYOND_DOUBT_MS = 80;
/** Whatever grows faster than the text shows at this length already. */
const SHORT = 4096;
const SUSPECT_MS = 0.5;

const bounds = new Map(
  readFileSync(LIST, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
);

/** Processor milliseconds that the worst text costs, or one that is bad enough. */
async function worstOf(pattern: RegExp, length: number): Promise<{ ms: number; text: string }> {
  const worst = { ms: 0, text: '' };
  for (const attack of attacksOn(pattern)) {
    const short = attack(Math.min(length, SHORT));
    const start = performance.now();
    short.replace(pattern, '');
    if (performance.now() - start < SUSPECT_MS) continue;
    const text = attack(length);
    const ms = await leastOf(ENOUGH_MS / 2, () => processorTime(() => void text.replace(pattern, '')));
    if (ms > worst.ms) Object.assign(worst, { ms, text: text.slice(0, 40) });
    if (ms > BEYOND_DOUBT_MS) break;
  }
  return worst;
}

describe('conventions.md 1: no pattern works itself to death', () => {
  const patterns = patternsOf('src');

  test('every pattern of the sources is listed with its bound', () => {
    expect(patterns.map(({ name }) => name)).toEqual([...bounds.keys()]);
    for (const [name, bound] of bounds) expect([name, bound > 0 && bound <= MOST]).toEqual([name, true]);
  });

  test.each(patterns.map(({ name, pattern }) => [name, pattern] as const))('%s', async (name, pattern) => {
    const worst = await worstOf(pattern, bounds.get(name) ?? MOST);
    const isSlow = worst.ms > ENOUGH_MS && worst.ms > ENOUGH_MS * slowness();
    expect(isSlow ? worst : null).toBeNull();
  });

  test.each([/=+$/, /^[ \t]*([^ \t]*)[ \t]*$/, /^[^:/?#]*:[^/?#]*\/*[^/?#]*@/, /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/])(
    'texts that make it so are found for %s',
    async (pattern) => expect((await worstOf(pattern, MOST)).ms).toBeGreaterThan(2 * ENOUGH_MS),
  );
});
