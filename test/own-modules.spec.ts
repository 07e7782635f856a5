import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = import.meta.dirname;
const IMPORTS = /^import\s+(?:(?!\bfrom\b)[^;]){0,2000}\bfrom '([^']+)';/gm;
const REGISTERS = /\bregister[A-Z]\w*\b/;

/** Whether a file of tests, or one that it imports, brings something into the registries of the service. */
function registers(path: string, known = new Map<string, boolean>()): boolean {
  const said = known.get(path);
  if (said !== undefined) return said;
  known.set(path, false);
  const imports = [...readFileSync(path, 'utf8').matchAll(IMPORTS)].map(([words, from = '']) => ({ words, from }));
  const found = imports.some(({ words, from }) => {
    if (!from.startsWith('.')) return false;
    const file = join(dirname(path), from.replace(/\.js$/, '.ts'));
    // Some write sources of their own, which import from where they will stand.
    if (!existsSync(file)) return false;
    return file.startsWith(`${ROOT}/`) ? registers(file, known) : REGISTERS.test(words);
  });
  known.set(path, found);
  return found;
}

describe('files of tests that share the modules of their worker', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('spec.ts'));
  const isApart = (path: string) => readFileSync(join(ROOT, path), 'utf8').startsWith('/** @own-modules');
  const registering = files.filter((path) => registers(join(ROOT, path)));

  test('none registers anything: whichever file comes next would find it there', () => {
    expect(registering.filter((path) => !isApart(path))).toEqual([]);
  });

  test('who registers is found, by what it imports itself or through others', () => {
    expect(registering).toEqual(
      expect.arrayContaining(['team-registries.e2e-spec.ts', 'pages/consent-scopes.e2e-spec.ts']),
    );
  });
});

describe('files of tests that run at the same time', () => {
  test('whatever starts a service says that it is not to refuse what comes while the machine is busy', () => {
    const started = /\bcreateApp\(|\bPORT: '0'/;
    const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const starting = sources.filter((path) => started.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(starting).toEqual(expect.arrayContaining(['support/gatehouse.ts', 'team-accounts.e2e-spec.ts']));
    const patient = /\bUNHURRIED\b|\bMAX_LOOP_DELAY_MS\b/;
    expect(starting.filter((path) => !patient.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });

  test('each has a database of the Redis server of its own', () => {
    const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('spec.ts'));
    const taken = files.flatMap((path) => {
      const source = readFileSync(join(ROOT, path), 'utf8');
      const numbers = [...source.matchAll(/\bredisDatabase\(([^)]+)\)/g)].map(([, number = '']) => number);
      // By number alone, so that two of them can be told apart here.
      expect(numbers.filter((number) => !/^\d+$/.test(number))).toEqual([]);
      return [...new Set(numbers)];
    });
    expect(taken.length).toBeGreaterThan(5);
    expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
  });
});
