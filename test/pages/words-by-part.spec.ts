import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sections that are loaded only with the pages of a part, by the configuration of the build. */
const [, later = ''] =
  /SECTIONS_BY_PART[^=]+= (\{[\s\S]+?\n\});/.exec(readFileSync('web/vite.config.ts', 'utf8')) ?? [];
const LATER = new Set([...later.matchAll(/'(\w+)'/g)].map(([, section]) => section));

/** The sections of all texts that the sources of a folder use. */
const usedIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/\b(?:t|rich)\([`'](\w+)\./g)])
    .map(([, section = '']) => section);

test('web.md 1: pages before sign-in and shared code use no lazily loaded text', () => {
  expect(LATER).toContain('events');
  expect(usedIn('web/account').some((section) => LATER.has(section))).toBe(true);
  const early = ['core', 'kit', 'pages', 'sign-in'].flatMap((folder) => usedIn(join('web', folder)));
  expect(early.length).toBeGreaterThan(50);
  expect(early.filter((section) => LATER.has(section))).toEqual([]);
});
