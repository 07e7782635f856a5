import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
/** Scripts have no types. */
const {
  auditVerdict,
  bundled,
  licenceProblems,
  listOf,
  listProblems,
  lockProblems,
  production,
  sbomProblems,
  scriptProblems,
} = await import(join(root, 'scripts/supply-chain.mjs'));
const { FOLDERS } = await import(join(root, 'scripts/packages.mjs'));
const { contentsOf, differences, strangeIn, textOf } = await import(join(root, 'scripts/image-contents.mjs'));

const integrity = `sha512-${'A'.repeat(86)}==`;
const fine = { version: '1.0.0', integrity, license: 'MIT' };
const lockWith = (entry: object, path = 'node_modules/one') => ({
  lockfileVersion: 3,
  packages: { '': { name: 'gatehouse' }, 'node_modules/fine': fine, [path]: { ...fine, ...entry } },
});

describe('the lock file', () => {
  test('is valid', () => {
    for (const folder of ['.', ...FOLDERS]) {
      expect([folder, lockProblems(json(join(folder, 'package-lock.json')))]).toEqual([folder, []]);
    }
    expect(lockProblems(lockWith({}))).toEqual([]);
  });

  test.each([
    ['no hash', { integrity: undefined }, 'node_modules/one has no SHA-512'],
    ['a weak hash', { integrity: 'sha1-AAAA' }, 'node_modules/one has no SHA-512'],
    ['a repository', { resolved: 'git+ssh://git@example.com/one.git#0123' }, 'which is no registry'],
    ['plain HTTP', { resolved: 'http://registry.example/one.tgz' }, 'which is no registry'],
    ['a folder', { link: true, resolved: '../one' }, 'node_modules/one is a link to a folder'],
    ['another name', { name: 'other' }, 'node_modules/one is other by another name'],
  ])('with %s is rejected', (_what, entry, problem) => {
    expect(lockProblems(lockWith(entry))).toEqual([expect.stringContaining(problem)]);
  });

  test('names at most one registry', () => {
    const one = lockWith({ resolved: 'https://registry.example/one.tgz' });
    expect(lockProblems(one)).toEqual([]);
    const { packages } = lockWith({ resolved: 'https://other.example/two.tgz' }, 'node_modules/two');
    expect(lockProblems({ ...one, packages: { ...one.packages, ...packages } })).toEqual([
      'the lock names 2 registries: https://registry.example, https://other.example',
    ]);
  });
});

describe('licenses', () => {
  test.each(['MIT', '(MIT OR GPL-3.0)', 'MIT AND Apache-2.0'])('%s may be distributed', (license) => {
    expect(licenceProblems(production(lockWith({ license })))).toEqual([]);
  });

  test.each(['AGPL-3.0-only', 'MIT AND GPL-3.0', 'MIT OR ISC AND GPL-3.0', 'LGPL-3.0-or-later', undefined])(
    '%s may not',
    (license) => {
      expect(licenceProblems(production(lockWith({ license })))).toEqual([
        `one@1.0.0 has the licence ${license ?? 'UNKNOWN'}, which is not allowed`,
      ]);
    },
  );

  test('one that is allowed for some packages is allowed for no other', () => {
    const lock = lockWith({ license: 'LGPL-3.0-or-later' }, 'node_modules/@img/sharp-libvips-linux-x64');
    expect(licenceProblems(production(lock))).toEqual([]);
  });

  test('development packages count only if their code goes to browsers', () => {
    const lock = lockWith({ dev: true, license: 'AGPL-3.0-only' });
    expect(licenceProblems(production(lock))).toEqual([]);
    const shown = bundled(lock, ['one']);
    expect(licenceProblems(shown)).toEqual([expect.stringContaining('one@1.0.0 has the licence AGPL-3.0-only')]);
  });

  test('new and removed packages must be accepted', () => {
    const list = listOf({ Installed: production(lockWith({})) });
    expect(listProblems(list, list)).toEqual([]);
    const changed = listOf({ Installed: production(lockWith({ license: 'ISC' })) });
    expect(listProblems(changed, list)).toEqual([
      'not accepted in licences.txt: one  ISC',
      'in licences.txt, and no longer delivered: one  MIT',
    ]);
  });
});

describe('install scripts', () => {
  const lock = lockWith({ hasInstallScript: true });

  test('those of the lock file are all named, and none runs', () => {
    const { allowScripts } = json('package.json');
    expect(scriptProblems(json('package-lock.json'), allowScripts)).toEqual([]);
    expect(new Set(Object.values(allowScripts))).toEqual(new Set([false]));
  });

  test.each([
    ['of which nothing is said', lock, {}, 'one@1.0.0 has an install script, of which allowScripts says nothing'],
    [
      'that production may run',
      lock,
      { 'one@1.0.0': true },
      'one@1.0.0 may run an install script, and is in production',
    ],
    [
      'that may change',
      lockWith({ hasInstallScript: true, dev: true }),
      { one: true },
      'allowScripts lets every version of one run its script',
    ],
    ['that nobody has', lockWith({}), { one: false }, 'allowScripts names one, which has no install script'],
  ])('one %s is rejected', (_what, given, allowed, problem) => {
    expect(scriptProblems(given, allowed)).toEqual([problem]);
  });

  test('one of a development package may run in the reviewed version', () => {
    expect(scriptProblems(lockWith({ hasInstallScript: true, dev: true }), { 'one@1.0.0': true })).toEqual([]);
  });
});

describe('advisories', () => {
  const report = (severity: string) => ({
    vulnerabilities: { one: { name: 'one', severity, via: [{ title: 'Bad', url: 'https://advisories.example/1' }] } },
  });

  test.each(['moderate', 'high', 'critical'])('a %s one stops a release', (severity) => {
    expect(auditVerdict(report(severity))).toEqual({
      isAnswered: true,
      stopping: [`${severity}: one; Bad (https://advisories.example/1)`],
      lesser: [],
    });
  });

  test('a low one is reported', () => {
    expect(auditVerdict(report('low'))).toMatchObject({ stopping: [], lesser: [expect.stringContaining('low: one')] });
  });

  test('a registry that does not respond is distinguished from one without advisories', () => {
    expect(auditVerdict({ statusCode: 405, error: {} })).toMatchObject({ isAnswered: false, stopping: [] });
    expect(auditVerdict(undefined)).toMatchObject({ isAnswered: false });
    expect(auditVerdict({ vulnerabilities: {} })).toEqual({ isAnswered: true, stopping: [], lesser: [] });
  });
});

describe('the bill of materials', () => {
  const component = {
    'bom-ref': 'one@1.0.0',
    name: 'one',
    version: '1.0.0',
    purl: 'pkg:npm/one@1.0.0',
    hashes: [{ alg: 'SHA-512', content: '00' }],
    licenses: [{ license: { id: 'MIT' } }],
  };
  const bill = (...components: object[]) => ({ bomFormat: 'CycloneDX', specVersion: '1.5', components });
  const there = [{ name: 'one', version: '1.0.0' }];

  test('names the delivered packages', () => {
    expect(sbomProblems(bill(component), there)).toEqual([]);
  });

  test.each([
    ['of another form', { ...bill(component), bomFormat: 'SPDX' }, 'it is not a CycloneDX document'],
    ['without a package', bill(), 'it lacks one@1.0.0'],
    ['with a package too many', bill(component, { ...component, name: 'two', 'bom-ref': 'two' }), 'it names two@1.0.0'],
    ['with a package twice', bill(component, component), 'it names a package twice'],
    ['without a hash', bill({ ...component, hashes: [] }), 'it lacks address, hash or licence of one'],
    ['without a licence', bill({ ...component, licenses: [] }), 'it lacks address, hash or licence of one'],
  ])('%s is rejected', (_what, given, problem) => {
    expect(sbomProblems(given, there)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('the contents of the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-contents-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, content = '') => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  beforeAll(() => {
    const lock = lockWith({ os: ['linux'] }, 'node_modules/@img/sharp-linux-x64');
    put('package-lock.json', JSON.stringify(lock));
    put('package.json', '{}');
    put('dist/src/core/config/config.js', '12345');
    put('dist/src/core/config/deep/er.js', '12345');
    put('node_modules/fine/index.js');
    put('node_modules/fine/node_modules/inner/index.js');
    put('node_modules/@img/sharp-linux-x64/binary');
  });

  test('are only our folders and packages, on any machine', () => {
    expect(Object.fromEntries(contentsOf(folder))).toEqual({
      'package.json': 2,
      'dist/src/core/': 10,
      'node_modules/fine': 0,
      'node_modules/fine/node_modules/inner': 0,
      'node_modules/@img/sharp-<platform>': 0,
    });
  });

  test('an added or removed package or folder is reported', () => {
    const accepted = textOf(contentsOf(folder));
    expect(differences(contentsOf(folder), accepted)).toEqual([]);
    put('node_modules/jest/index.js');
    rmSync(join(folder, 'dist'), { recursive: true });
    expect(differences(contentsOf(folder), accepted)).toEqual([
      'not accepted: node_modules/jest',
      'gone: dist/src/core/',
    ]);
  });

  test('tests, sources and keys are reported anywhere except in packages', () => {
    const strange = [
      'dist/test/support/a.js',
      'dist/src/a.spec.js',
      'dist/src/a.ts',
      'dist/.tsbuildinfo',
      'compose.env',
    ];
    const usual = [
      'dist/src/a.d.ts',
      'dist/src/latest.js',
      'dist/guides/files/examples/a.ts.txt',
      'dist/src/e2e-spec.ts.eta',
      'node_modules/a/test/a.js',
      'dist/web/assets/a.js',
    ];
    expect(strangeIn([...strange, ...usual])).toEqual(strange);
  });
});

test('the script reports every check that needs no registry', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/supply-chain.mjs', '--offline'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/packages are held to their hashes.+were not asked for/s);
});
