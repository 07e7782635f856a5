import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiReferenceOf } from '../support/api-reference.js';
import { publicApiOf } from '../support/public-api.js';

const ROOT = join(import.meta.dirname, '../..');

const ADVICE = `The public types are others than those of test/public-api.snapshot.txt.
What a team's code may no longer compile with is breaking: a major version, and a line in the table of docs/public.md.
What only adds is a minor version. Then: npm run -s public-api > test/public-api.snapshot.txt`;

/** The lines of one text that the other text lacks. */
const beyond = (text: string, other: string): string[] => {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
};

test('the package exports exactly the documented API', () => {
  const promised = readFileSync(join(import.meta.dirname, '../public-api.snapshot.txt'), 'utf8');
  const found = publicApiOf(ROOT);
  if (found === promised) return;
  const [gone, come] = [beyond(promised, found), beyond(found, promised)];
  const lines = [...gone.map((line) => `- ${line}`), ...come.map((line) => `+ ${line}`)];
  throw new Error(`${ADVICE}\n\n${lines.join('\n') || 'the order differs'}`);
});

describe('for a change', () => {
  const build = mkdtempSync(join(tmpdir(), 'gatehouse-public-'));
  let before: string;
  beforeAll(() => {
    const isDeclared = (path: string) => !/\.(?:[cm]?js|json|br|gz)$/.test(path);
    for (const folder of ['dist/src', 'dist/test', 'client/dist', 'verify/dist']) {
      cpSync(join(ROOT, folder), join(build, folder), { recursive: true, filter: isDeclared });
    }
    before = publicApiOf(build);
  });
  afterAll(() => rmSync(build, { recursive: true }));

  test.each([
    ['a parameter that is demanded shows', 'dist/src/run.d.ts', '(app: ', '(why: string, app: ', true],
    ['a member that is gone shows', 'dist/src/core/clock.d.ts', /^ +now\(\).*$/m, '', true],
    [
      'another order of a union does not',
      'dist/src/policy/extension.d.ts',
      'Type | DynamicModule',
      'DynamicModule | Type',
      false,
    ],
    [
      'a private member does not',
      'dist/src/core/clock.d.ts',
      'export declare class Clock {',
      '$& private hand;',
      false,
    ],
  ])('%s', (_what, file, from, to, isShown) => {
    const path = join(build, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    writeFileSync(path, changed);
    const after = publicApiOf(build);
    writeFileSync(path, text);
    expect(after !== before).toBe(isShown);
  });

  test('an export without a docstring, or with an incomplete one, fails the build of the package', () => {
    const path = join(build, 'dist/src/core/clock.d.ts');
    const text = readFileSync(path, 'utf8');
    const silent = text.replace(/\/\*\*(?:(?!\*\/).)*\*\/\s*(?=export declare class Clock )/s, '');
    expect(silent).not.toBe(text);
    writeFileSync(path, silent);
    expect(() => apiReferenceOf(build, ROOT)).toThrow(
      new Error('Write a docstring for each export:\n@gatehouse-auth/server: Clock'),
    );
    const incomplete = text.replace(
      /\/\*\*(?=(?:(?!\*\/).)*\*\/\s*export declare class Clock )/s,
      '/** Load it with @clock. ',
    );
    expect(incomplete).not.toBe(text);
    writeFileSync(path, incomplete);
    expect(() => apiReferenceOf(build, ROOT)).toThrow(
      new Error('End the docstring with a sentence, without @:\n@gatehouse-auth/server: Clock'),
    );
    writeFileSync(path, text);
    const { page, declarations } = apiReferenceOf(build, ROOT);
    for (const [, name] of before.matchAll(
      /^export (?:declare |abstract )*(?:class|const|function|interface|type) (\w+)/gm,
    ))
      expect(page).toContain(`### ${name}\n`);
    expect(declarations.get(join(build, 'dist/src/policy/feature.d.ts'))).toContain(
      ' * @see dist/manual/docs/extending.md#declare-a-feature\n */\nexport declare const defineFeature',
    );
  });
});

test('the tables that a foreign key may refer to have the documented key', () => {
  const written = readFileSync(join(ROOT, 'docs/public.md'), 'utf8');
  const schema = readFileSync(join(import.meta.dirname, '../schema.snapshot.sql'), 'utf8');
  const tables = [...written.matchAll(/^\| `(\w+)` \| `(\w+) (\w+)` \|/gm)].map(([, ...row]) => row);
  expect(tables.map(([name]) => name)).toEqual(['account', 'application', 'webhook']);
  for (const [name, key, type] of tables) {
    expect(schema).toContain(`CREATE TABLE ${name} (\n  ${key} ${type} NOT NULL`);
    expect(schema).toContain(`ALTER TABLE ${name} ADD CONSTRAINT ${name}_pkey PRIMARY KEY (${key});`);
  }
});
