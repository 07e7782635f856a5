import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * What the suite on the other platform and database need not run again, and why it says the same there. Whatever no line
 * names runs twice; so do the pages in Chromium that are named by none, one of each kind: a way in, a decision for an
 * application, what is open for long, and files that are served.
 */
export const ONCE = [
  [/(?<!e2e-)spec\.ts$/, 'no service is started'],
  [/^test\/cli\.e2e-spec/, 'it is on the embedded database and Express, whatever the suite is on'],
  [/^test\/bench\.e2e-spec/, 'the bench has a service of its own, on the embedded database'],
  [/^test\/history\/.+e2e-spec/, 'its replicas have a PostgreSQL and a Redis of their own, whatever the suite is on'],
  [/^test\/(?:docs|generator|package)\.e2e-spec/, 'texts, compilers and packages, with a service to try them on'],
  [
    /^test\/pages\/(?!(?:consent|guides|login|shell)\.).+e2e-spec/,
    'what a page does with an answer; the contract asks every operation itself, on both',
  ],
];

function* testsIn(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* testsIn(path);
    else if (path.endsWith('spec.ts')) yield path;
  }
}

/** The files of each line. @throws Error where a line names none any more */
export function runOnce() {
  const all = ['src', 'test'].flatMap((folder) => [...testsIn(folder)]);
  return ONCE.map(([pattern, reason]) => {
    const files = all.filter((path) => pattern.test(path));
    if (files.length === 0) throw new Error(`${pattern} of test/setup/once.js names no file`);
    return { files, reason };
  });
}
