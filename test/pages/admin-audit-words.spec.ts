import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const WORDS = JSON.parse(readFileSync(join(ROOT, 'web/words/en-US.json'), 'utf8')).adminAudit as Record<
  string,
  unknown
>;
/** Where entries of the audit log are written. */
const WRITERS = ['admin', 'cli', 'protection'];
/** An entry is named where it is recorded, or where what records it is told its name. */
const NAMED =
  /(?:\baction: |\bauditAction\(|\bthis\.sendEmail\(by, id, |\bthis\.recordTest\(by, |\brecordRead\(by, id, )([^;,]*)/g;

function written(): string[] {
  const files = WRITERS.map((folder) => join(ROOT, 'src', folder)).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = files.filter((path) => path.endsWith('.ts')).map((path) => readFileSync(path, 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, name = '']) => name));
  return named.flatMap((name) => [...name.matchAll(/'([a-z_]+)'/g)].map(([, action = '']) => action));
}

describe('web.md 4: the words of the audit log', () => {
  test('there are words for everything that the service writes into it, and for nothing else', () => {
    const said = Object.keys(WORDS)
      .filter((key) => key.startsWith('did_'))
      .map((key) => key.slice('did_'.length));
    const actions = new Set(written());
    // A comparison is no name of an entry.
    for (const none of ['approved', 'string']) actions.delete(none);
    expect(said.sort()).toEqual([...actions].sort());
  });
});
