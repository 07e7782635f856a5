import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../fixtures/team');
const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/extending.md'), 'utf8');

/** The modules that the tests of teams run, as a team would write them. */
const modules = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts') && name !== 'tables.ts')
  .map((name) =>
    readFileSync(join(FOLDER, name), 'utf8').replaceAll("'../../../src/index.js'", "'@gatehouse-auth/server'"),
  );

test('every snippet of docs/extending.md is a module that is compiled and run, and none is missing', () => {
  const snippets = [...GUIDE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  expect(snippets.toSorted()).toEqual(modules.toSorted());
});
