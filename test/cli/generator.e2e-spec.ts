import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { execute } from '../../src/cli/execute.js';
import { deriveNames, pluralOf } from '../../src/cli/new/names.js';
import { isReserved, isReservedFeatureName } from '../../src/cli/new/reserved.js';
import { createPrompt } from '../../src/cli/terminal/ask.js';
import { BUILT_IN_FEATURES, featureRegistry } from '../../src/features.js';

const ROOT = join(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'gatehouse-generator-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Runs a command in a folder. `answers` are the replies that a user types at its prompts. */
async function typed(folder: string, args: readonly string[], responses?: string[]) {
  const [out, err, requested]: [string[], string[], string[]] = [[], [], []];
  const ask = async (question: string) => {
    requested.push(question);
    const response = responses?.shift();
    if (response === undefined) throw new Error(`nobody expected to be asked ${question}`);
    return response;
  };
  const code = await execute([...args], {
    env: {},
    folder,
    ...(responses ? { ask } : {}),
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n'), asked: requested };
}

/** Runs a command that reports its result as JSON, and returns the result. */
async function made(folder: string, ...args: string[]) {
  const { code, out, err } = await typed(folder, [...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Every file with its text, to check that a failed command changes nothing. */
const contentOf = (folder: string) =>
  Object.fromEntries(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));

/** Runs a Node.js script. The options of Node.js come before the script. */
function ran(folder: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
}

const biome = (folder: string) =>
  ran(folder, join(ROOT, 'scripts/node_modules/@biomejs/biome/bin/biome'), 'check', '.');

/** Installs what `npm install` would, with the built version of this package. Each package has only one copy. */
function install(folder: string, packages = readdirSync(join(ROOT, 'node_modules'))): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of packages) {
    if (!/^(?:\.|@gatehouse-auth$)/.test(name)) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '@gatehouse-auth'));
  symlinkSync(ROOT, join(modules, '@gatehouse-auth/server'));
}

/** A project with only the compiler installed, which is enough for `new feature`. */
async function bare(name: string): Promise<string> {
  const { folder } = await made(place, 'new', 'project', name);
  install(folder, ['typescript']);
  return folder;
}

describe('an extension project', () => {
  let project: string;
  let created: string[];

  beforeAll(async () => {
    const response = await made(
      place,
      'new',
      'project',
      '@acme/wire',
      '--description',
      'News, "as they come".',
      '--noun',
      'note',
    );
    ({ folder: project, created } = response);
    expect(response).toMatchObject({ project: '@acme/wire', folder: join(place, 'wire') });
    install(project);
  });

  test('is created from the options, and each file says what to change', () => {
    expect(filesIn(project)).toEqual([...created].sort());
    const expected = ['package.json', 'tsconfig.json', 'nest-cli.json', 'biome.jsonc', 'jest.config.js', 'README.md'];
    const hidden = ['.gitignore', '.dockerignore', '.env.example', '.github/workflows/ci.yml'];
    const sources = ['src/main.ts', 'src/extension.ts', 'src/notes/notes.controller.ts', 'test/notes.e2e-spec.ts'];
    expect(created).toEqual(
      expect.arrayContaining([...expected, ...hidden, ...sources, 'Dockerfile', 'compose.yaml', 'tsconfig.build.json']),
    );
    for (const [path, text] of Object.entries(contentOf(project))) {
      expect([path, text.match(/To change: /g)?.length]).toEqual([path, 1]);
    }
  });

  test('uses the versions of this package, and states its compatible version', () => {
    const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const tools = JSON.parse(readFileSync(join(ROOT, 'scripts/package.json'), 'utf8')).devDependencies;
    const { name, description, dependencies, devDependencies } = JSON.parse(
      readFileSync(join(project, 'package.json'), 'utf8'),
    );
    expect({ name, description }).toEqual({ name: '@acme/wire', description: 'News, "as they come".' });
    const { '@gatehouse-auth/server': range, ...shared } = dependencies;
    expect(range).toBe(`file:vendor/gatehouse-auth-server-${own.version}.tgz`);
    expect({ ...tools, ...own.devDependencies, ...own.dependencies, ...own.peerDependencies }).toMatchObject({
      ...shared,
      ...devDependencies,
    });
    expect(readFileSync(join(project, 'src/extension.ts'), 'utf8')).toContain(`compatibleWith: '^${own.version}'`);
  });

  test('its image copies the vendored package before npm installs it, and every copied source exists', () => {
    const lines = readFileSync(join(project, 'Dockerfile'), 'utf8').split('\n');
    const vendored = `vendor/gatehouse-auth-server-${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}.tgz`;
    const before = lines.slice(0, lines.indexOf('RUN npm ci --ignore-scripts'));
    const copied = before.flatMap((line) => /^COPY (.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    expect(copied).toEqual(['package.json', 'package-lock.json', vendored]);
    expect(before).toContain(`COPY ${vendored} ./vendor/`);
    // The user commits these two: npm install and npm pack write them.
    const written = ['package-lock.json', vendored];
    const ignored = ['.dockerignore', '.gitignore'].flatMap((name) =>
      readFileSync(join(project, name), 'utf8').split('\n'),
    );
    for (const source of copied) {
      expect([source, written.includes(source) || filesIn(project).includes(source)]).toEqual([source, true]);
      expect(ignored.filter((pattern) => pattern !== '' && source.startsWith(pattern.replace(/\/$/, '')))).toEqual([]);
    }
  });

  test('its CI has PostgreSQL and Redis, time limits and pinned actions, and starts and scans the image', () => {
    interface Job {
      readonly 'timeout-minutes'?: number;
      readonly services?: Readonly<Record<string, { readonly image: string; readonly options: string }>>;
      readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
    }
    const workflow = load(readFileSync(join(project, '.github/workflows/ci.yml'), 'utf8')) as {
      readonly permissions: object;
      readonly jobs: Readonly<Record<string, Job>>;
    };
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const { check, image } = workflow.jobs;
    expect(Object.keys(workflow.jobs)).toEqual(['check', 'image']);
    expect(Object.keys(check?.services ?? {})).toEqual(['postgres', 'redis']);
    for (const service of Object.values(check?.services ?? {})) expect(service.options).toContain('--health-cmd');
    for (const job of [check, image]) {
      expect(job?.['timeout-minutes']).toBeLessThanOrEqual(20);
      const actions = job?.steps.flatMap(({ uses }) => uses ?? []) ?? [];
      expect(actions.filter((action) => !/^[\w./-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
    }
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const commands = [check, image].flatMap((job) => job?.steps.flatMap(({ run }) => run ?? []) ?? []);
    const npmScripts = commands.flatMap((command) => [...command.matchAll(/npm run (\w+)/g)].map(([, name]) => name));
    expect(npmScripts).toEqual(['check', 'build', 'cli', 'cli']);
    expect(npmScripts.filter((name) => !((name as string) in scripts))).toEqual([]);
    const steps = image?.steps.map(({ uses, run }) => uses?.replace(/@.*/, '') ?? run ?? '') ?? [];
    const places = [/^docker build/, /^docker compose up --wait/, /\/health\/ready$/, /^anchore\/scan-action$/].map(
      (step) => steps.findIndex((each) => step.test(each)),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  test('with another feature it passes its lint, its compiler and its tests unchanged', async () => {
    const feature = await made(join(project, 'src'), 'new', 'feature', 'NewsStory', '--check', '--job', '--page');
    expect(feature.created).toEqual(
      expect.arrayContaining(
        ['.check', '.job', '.page', '-page.controller'].map((part) => `src/news-stories/news-stories${part}.ts`),
      ),
    );
    expect(feature).toMatchObject({ feature: 'news-stories', folder: project, changed: ['src/extension.ts'] });
    expect(feature.created).toContain('src/news-stories/news-stories.service.ts');
    const declared = readFileSync(join(project, 'src/news-stories/news-stories.feature.ts'), 'utf8');
    expect(declared).toContain("export const newsStories = defineFeature('news_stories', {\n");
    expect(declared).toContain('    NEWS_STORIES_NOT_FOUND: [404, ');
    expect(declared.match(/^declare module /gm)).toHaveLength(1);
    for (const path of feature.created) {
      expect([path, readFileSync(join(project, path), 'utf8').match(/To change: /g)?.length]).toEqual([path, 1]);
    }
    biome(project);
    ran(project, 'node_modules/typescript/bin/tsc');
    const described = await typed(project, ['describe', '--project', 'tsconfig.build.json']);
    expect(described).toMatchObject({ code: 0, out: 'dist/description.json: 15 handlers of 5 controllers' });
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const [node, ...args] = scripts['test:run'].split(' ');
    expect(node).toBe('node');
    // A stack trace of the service names the source.
    expect(scripts.start).toContain('node --enable-source-maps ');
    const call = 'await new NewsStoryOwner().check({ identity: { account: {} }, input: {} });';
    const source = `import { NewsStoryOwner } from './src/news-stories/news-stories.check.js';\n${call}\n`;
    writeFileSync(join(project, 'dist/fails.mjs'), source);
    const failed = spawnSync(process.execPath, ['--enable-source-maps', 'dist/fails.mjs'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(failed.stderr).toMatch(/src\/news-stories\/news-stories\.check\.ts:\d+:\d+/);
    // The databases of this suite stay open for the next file.
    ran(project, ...args, '--runInBand', '--forceExit');
  });
});

test('npm test and npm run check pass their options to Jest, and Jest names the option that it lacks', async () => {
  const { folder } = await made(place, 'new', 'project', 'options');
  const tools = { '.bin/tsc': '', '.bin/gatehouse': '', '.bin/biome': '' };
  const jest = { 'jest/bin/jest.js': 'console.log(JSON.stringify(process.argv.slice(2)));' };
  for (const [path, script] of Object.entries({ ...tools, ...jest })) {
    mkdirSync(dirname(join(folder, 'node_modules', path)), { recursive: true });
    writeFileSync(join(folder, 'node_modules', path), script || '#!/bin/sh\n', { mode: 0o755 });
  }
  const run = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  for (const script of ['test', 'check']) {
    const { stdout } = run('npm', ['run', script, '--', '-t', 'a name']);
    expect([script, stdout.trim().split('\n').at(-1)]).toEqual([script, '["-t","a name"]']);
  }
  rmSync(join(folder, 'node_modules/jest'), { recursive: true });
  const { status, stderr } = run(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js')]);
  expect([status, stderr.split('\n')[0]]).toEqual([
    1,
    'Error: Jest needs the option --experimental-vm-modules of Node.js. Run npm test, or set NODE_OPTIONS=--experimental-vm-modules',
  ]);
});

describe('names derived from a noun', () => {
  test.each([
    ['note', 'notes', 'NOTES'],
    ['NewsStory', 'news-stories', 'NEWS_STORIES'],
    ['day', 'days', 'DAYS'],
    ['box', 'boxes', 'BOXES'],
    ['bus', 'buses', 'BUSES'],
    ['branch', 'branches', 'BRANCHES'],
    ['person', 'people', 'PEOPLE'],
    ['salesPerson', undefined, ''],
    ['sales-person', 'sales-people', 'SALES_PEOPLE'],
    ['quiz', 'quizzes', 'QUIZZES'],
    ['item2', 'item2s', 'ITEM2S'],
  ])('%s', (noun, many, prefix) => {
    if (many === undefined) expect(() => deriveNames(noun)).toThrow('Invalid noun');
    else expect(deriveNames(noun)).toMatchObject({ many, MANY: prefix, manySnake: many.replace('-', '_') });
  });

  test('are the same from either spelling, and never the noun itself', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{1,7}$/);
    const noun = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('-'));
    const free = noun.filter((each) => {
      const plural = pluralOf(each);
      return ![each, plural].some(isReserved) && !isReservedFeatureName(plural.replaceAll('-', '_'));
    });
    fc.assert(
      fc.property(free, (kebab) => {
        const names = deriveNames(kebab);
        expect(deriveNames(names.One)).toEqual(names);
        expect(names.many).not.toBe(names.one);
        for (const camel of [names.camel, names.manyCamel]) expect(camel).toMatch(/^[a-z][A-Za-z0-9]*$/);
        expect(names.manySnake).toBe(names.MANY.toLowerCase());
      }),
    );
  });

  test('a word without a plural gets a readable one', () => {
    expect(['news', 'breaking-news', 'series', 'equipment'].map((noun) => deriveNames(noun).many)).toEqual([
      ...['news-items', 'breaking-news-items', 'series-items', 'equipment-items'],
    ]);
  });

  test('names of the service are reserved: tables, paths', () => {
    const read = (name: string) => readFileSync(join(ROOT, 'test', name), 'utf8');
    const tables = [...read('schema.snapshot.sql').matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name as string);
    const paths = [...read('routes.snapshot.txt').matchAll(/ \/v1\/(?:admin\/)?([a-z0-9-]+)/g)].map(
      ([, name]) => name as string,
    );
    expect([tables.length > 30, paths.length > 100]).toEqual([true, true]);
    const taken = [...tables, ...paths].map((name) => name.replaceAll('_', '-'));
    expect([...new Set(taken)].filter((name) => !isReserved(name))).toEqual([]);
  });

  test('a feature cannot have a name that would stop the startup', () => {
    const { errors, scopes, acls, buckets } = featureRegistry();
    // The suffixes of the names that a generated feature declares.
    const ending = /(?:_not_found|\.read|:(?:lookup|remove|read|write))$/;
    const declared = [errors, scopes, acls, buckets].flatMap((names) => [...names.keys()]);
    const clashing = declared
      .map((name) => name.toLowerCase())
      .flatMap((name) => (ending.test(name) ? [name.replace(ending, '')] : []))
      .filter((name) => /^[a-z][a-z0-9_]*$/.test(name));
    expect(clashing.length).toBeGreaterThan(4);
    const taken = [...BUILT_IN_FEATURES.map(({ name }) => name), ...clashing];
    expect(taken.filter((name) => !isReservedFeatureName(name))).toEqual([]);
  });
});

describe('features of every kind of noun', () => {
  const LONGEST = 'abbreviationsofabbreviations';
  let project: string;
  beforeAll(async () => {
    project = await bare('many');
  });

  test('pass the lint unchanged, next to each other, and are listed in order', async () => {
    const nouns = ['ox', 'note-book', 'notebook', 'note2', 'note10', 'Person', 'quiz', 'a-b-c-d-e-f-g-h-i-j-k-l-m-n'];
    const parts = [['--check'], ['--job'], ['--page'], ['--check', '--job', '--page']];
    for (const [n, noun] of [...nouns, 'zeta', LONGEST, 'abbreviation-of-abbreviation'].entries()) {
      await made(
        project,
        'new',
        'feature',
        noun,
        ...(n < nouns.length ? (parts[n % 5] ?? []) : (parts[3] as string[])),
      );
    }
    const { created } = await made(project, 'new', 'feature', 'fish', '--plural', 'shoals');
    expect(created).toContain('src/shoals/shoals.module.ts');
    biome(project);
    const times = filesIn(join(project, 'src/migrations')).map((name) => name.slice(0, 13));
    expect([times.length, new Set(times).size]).toEqual([13, 13]);
    const extension = readFileSync(join(project, 'src/extension.ts'), 'utf8');
    const [, features = ''] = /features: \[\n([^\]]+)\]/.exec(extension) ?? [];
    const entered = [...features.matchAll(/^ {4}(\w+),$/gm)].map(([, name]) => name);
    const expected = ['note', ...nouns, 'zeta', LONGEST, 'abbreviation-of-abbreviation'];
    expect(entered).toEqual([...expected.map((noun) => deriveNames(noun).manyCamel), 'shoals']);
  });

  test('a class or constant of a feature never has the name of one of its imports', () => {
    const folder = join(project, 'src', deriveNames('zeta').many);
    const imported = filesIn(folder)
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .flatMap((text) => [...text.matchAll(/^import (?:type )?\{([^}]+)\} from '[^.]/gm)])
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().replace(/^type /, '')))
      .filter((name) => name !== '');
    expect(imported.length).toBeGreaterThan(20);
    const kebab = imported.map((name) => name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase());
    expect(kebab.filter((name) => !isReserved(name))).toEqual([]);
  });

  test.each([
    ['no noun', [], /Give one noun/],
    ['two nouns', ['cake', 'tart'], /Give one noun/],
    ['snake case', ['news_story'], /Invalid noun "news_story"/],
    ['a space', ['news story'], /Invalid noun/],
    ['camel case', ['newsStory'], /Invalid noun/],
    ['hyphens at an end', ['cake-'], /Invalid noun/],
    ['a path', ['../cake'], /Invalid noun/],
    ['letters of other alphabets', ['кекс'], /Invalid noun/],
    ['one letter', ['x'], /must be 2 to 28 characters long/],
    ['29 letters', ['x'.repeat(29)], /must be 2 to 28 characters long/],
    ['a word of the language', ['class'], /The name class is reserved/],
    ['the same as a class', ['Class'], /The name class is reserved/],
    ['a table of the service', ['session'], /The name session is reserved/],
    ['a path of the service', ['handset', '--plural', 'users'], /The name users is reserved/],
    ['what the feature imports', ['database'], /The name database is reserved/],
    [
      'the name of a feature of the service',
      ['ban'],
      /The feature name bans is reserved\. Use a noun that starts with/,
    ],
    ['a first word that is reserved', ['image-tag'], /The feature name image_tags is reserved/],
    ['a plural of 33 characters', ['abbreviation-of-information'], /items must be at most 32 characters long/],
    ['one and many at once', ['sheep', '--plural', 'sheep'], /The plural of sheep must differ/],
    ['an unknown option', ['cake', '--force'], /--force/],
  ])('rejected with the usage, and nothing is written: %s', async (_kind, args, reason) => {
    const before = contentOf(project);
    const { code, out, err } = await typed(project, ['new', 'feature', ...args]);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(reason) });
    expect(err).toContain('new feature <noun>');
    expect(contentOf(project)).toEqual(before);
  });

  test.each(['note', 'Note', 'quiz'])('an existing one is not created again: %s', async (noun) => {
    const before = contentOf(project);
    const { code, err } = await typed(project, ['new', 'feature', noun]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/already exist in .*\. Nothing was written\./),
    });
    expect(contentOf(project)).toEqual(before);
  });
});

describe('a command that cannot complete writes nothing', () => {
  let project: string;
  let source: string;
  const extension = () => join(project, 'src/extension.ts');
  beforeAll(async () => {
    project = await bare('careful');
    source = readFileSync(extension(), 'utf8');
  });
  afterEach(() => writeFileSync(extension(), source));

  const refused = async (reason: RegExp) => {
    const before = contentOf(project);
    const { code, out, err } = await typed(project, ['new', 'feature', 'cake']);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringMatching(reason) });
    expect(contentOf(project)).toEqual(before);
  };

  test.each<[string, (text: string) => string, RegExp]>([
    [
      'has no list of features',
      (text) => text.replace(/ {2}features.*\n/, ''),
      /must contain the list features: \[\.\.\.\] exactly once, but has none/,
    ],
    ['makes a list elsewhere', (text) => text.replace('[notes]', 'all()'), /must contain the list features/],
    [
      'has two of them',
      (text) => `${text}export const more = { features: [] };\n`,
      /must contain the list features: \[\.\.\.\] exactly once, but has 2\./,
    ],
    [
      'cannot be read',
      (text) => text.replace('export default extension(', 'export default extension('.slice(0, -1)),
      /has syntax errors/,
    ],
    ['has the name already', (text) => `${text}export const cakes = 1;\n`, /already contains cakes/],
  ])('if src/extension.ts %s', async (_kind, change, reason) => {
    writeFileSync(extension(), change(source));
    await refused(reason);
  });

  test('if a folder cannot be created, earlier files are removed again', async () => {
    rmSync(join(project, 'test'), { recursive: true });
    writeFileSync(join(project, 'test'), 'a file in the place of the folder');
    await refused(/Nothing was written: /);
  });

  test('without a compiler, or without a project', async () => {
    const { folder } = await made(place, 'new', 'project', 'uninstalled');
    const before = contentOf(folder);
    const without = await typed(folder, ['new', 'feature', 'cake']);
    expect(without).toMatchObject({
      code: 1,
      err: expect.stringMatching(/TypeScript is not installed in .*\. Run npm/),
    });
    expect(contentOf(folder)).toEqual(before);
    const outside = await typed(place, ['new', 'feature', 'cake']);
    expect(outside).toMatchObject({ code: 1, err: expect.stringMatching(/is not in an extension project/) });
  });

  test('lists keep their comments and formatting', async () => {
    rmSync(join(project, 'test'));
    const withFeature = async (noun: string, list: string) => {
      writeFileSync(extension(), source.replace('[notes]', list));
      await made(project, 'new', 'feature', noun);
      return readFileSync(extension(), 'utf8');
    };
    expect(await withFeature('tart', '[\n    // The first one.\n    notes,\n  ]')).toContain(
      'features: [\n    // The first one.\n    notes,\n    tarts,\n  ],\n',
    );
    expect(await withFeature('pie', '[\n    // None yet.\n  ]')).toContain(
      'features: [\n    // None yet.\n    pies,\n  ],\n',
    );
  });

  test('the list may be in a variable, and property names are available for features', async () => {
    writeFileSync(
      extension(),
      `${source.replace('[notes]', 'all')}\nconst features = [notes];\nconst all = features;\n`,
    );
    await made(project, 'new', 'feature', 'description');
    const text = readFileSync(extension(), 'utf8');
    expect(text).toContain('const features = [notes, descriptions];\n');
    expect(text).toContain("import { descriptions } from './descriptions/descriptions.feature.js';\n");
  });
});

describe('new project', () => {
  test.each([
    ['no name', [], /Give one project name/],
    ['two names', ['one', 'two'], /Give one project name/],
    ['capitals', ['Wire'], /Invalid package name "Wire"/],
    ['a space', ['my wire'], /Invalid package name/],
    ['a dot in front', ['.wire'], /Invalid package name/],
    ['a path', ['../wire'], /Invalid package name/],
    ['215 letters', ['x'.repeat(215)], /Invalid package name/],
    ['a module of Node', ['http'], /http is reserved/],
    ['the command', ['gatehouse'], /gatehouse is reserved/],
    ['the package itself', ['@gatehouse-auth/server'], /@gatehouse-auth\/server is reserved/],
    ['a description of two lines', ['refused', '--description', 'one\ntwo'], /one line of at most 200 characters/],
    ['a noun that is none', ['refused', '--noun', 'class'], /The name class is reserved/],
    ['an unknown option', ['refused', '--force'], /--force/],
    ...[
      '^1.0.0',
      '1.0.0',
      'latest',
      '*',
      'npm:gatehouse',
      'npm:gatehouse@1',
      'npm:@gatehouse-auth/server@1',
      'file:',
    ].map((source): [string, string[], RegExp] => [
      `the source ${source}`,
      ['refused', '--gatehouse', source],
      /@gatehouse-auth\/server is not published yet/,
    ]),
  ])('rejected with the usage, and nothing is written: %s', async (_kind, args, reason) => {
    const before = readdirSync(place);
    const { code, out, err } = await typed(place, ['new', 'project', ...args]);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(reason) });
    expect(readdirSync(place)).toEqual(before);
  });

  test('a folder with files is left unchanged, and so is a file', async () => {
    mkdirSync(join(place, 'taken'));
    writeFileSync(join(place, 'taken/mine.txt'), 'mine');
    for (const [directory, reason] of [
      ['taken', /taken is not empty\. Nothing was written\./],
      ['taken/mine.txt', /mine\.txt is a file\. Nothing was written\./],
    ] as const) {
      const { code, err } = await typed(place, ['new', 'project', 'other', '--directory', directory]);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(reason) });
    }
    expect(contentOf(join(place, 'taken'))).toEqual({ 'mine.txt': 'mine' });
    mkdirSync(join(place, 'empty'));
    expect((await made(place, 'new', 'project', 'other', '--directory', 'empty')).folder).toBe(join(place, 'empty'));
  });

  test('asks for missing options, again after an invalid answer, and prints the next steps', async () => {
    const responses = ['No Name', 'asked', '', 'class', 'Story'];
    const { code, out, err, asked: requested } = await typed(place, ['new', 'project'], responses);
    expect({ code, answers: responses, asked: requested }).toEqual({
      code: 0,
      answers: [],
      asked: [
        ...['Name of the project (my-service) ', 'Name of the project (my-service) '],
        'What it is for (A service on Gatehouse.) ',
        ...['Noun of the example feature (note) ', 'Noun of the example feature (note) '],
      ],
    });
    expect(err.split('\n')).toEqual([
      expect.stringContaining('Invalid package name "No Name"'),
      expect.stringContaining('The name class is reserved'),
    ]);
    expect(out).toContain(`next  cd ${join(place, 'asked')}`);
    expect(readFileSync(join(place, 'asked/src/stories/stories.module.ts'), 'utf8')).toContain('class StoriesModule');
  });

  test('typed-ahead input answers the next question, and the end of the input answers none', async () => {
    const input = new PassThrough();
    const requested = new PassThrough();
    const ask = createPrompt(input, requested);
    input.end('first\nsecond\n');
    expect([await ask('One? '), await ask('Two? ')]).toEqual(['first', 'second']);
    await expect(ask('Three? ')).rejects.toThrow('No input. Nothing was written.');
    expect(String(requested.read())).toContain('One? ');
  });

  test('asks nothing with --yes, with --json, and without a terminal', async () => {
    for (const [name, ...options] of [['first', '--yes'], ['second', '--json'], ['third']]) {
      const { code, asked: requested } = await typed(
        place,
        ['new', 'project', name as string, ...options],
        name === 'third' ? undefined : [],
      );
      expect({ name, code, asked: requested }).toEqual({ name, code: 0, asked: [] });
    }
  });

  test('installs Gatehouse from a packed file, and the next steps show how to create it', async () => {
    const { folder, next } = await made(place, 'new', 'project', 'self-made');
    expect(next.slice(0, 3)).toEqual([
      `cd ${folder}`,
      `npm pack --ignore-scripts --pack-destination vendor ${ROOT}`,
      'npm install',
    ]);
    const packed = spawnSync('sh', ['-c', next[1]], { cwd: folder, encoding: 'utf8' });
    const file = `vendor/${packed.stdout.trim()}`;
    expect({ status: packed.status, files: filesIn(folder) }).toEqual({
      status: 0,
      files: expect.arrayContaining([file]),
    });
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(dependencies['@gatehouse-auth/server']).toBe(`file:${file}`);

    // The command of the packed package creates the same project, and its next step packs the installed package.
    const modules = join(folder, 'node_modules/@gatehouse-auth');
    mkdirSync(modules, { recursive: true });
    expect(spawnSync('tar', ['-xzf', join(folder, file), '-C', modules]).status).toBe(0);
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (!/^(?:\.|@gatehouse-auth$)/.test(name))
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const installed = join(modules, 'server');
    renameSync(join(modules, 'package'), installed);
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const cli = join(installed, typeof bin === 'string' ? bin : bin.gatehouse);
    const again = spawnSync(process.execPath, [cli, 'new', 'project', 'from-tarball', '--yes', '--json'], {
      cwd: place,
      encoding: 'utf8',
    });
    expect({ status: again.status, err: again.stderr }).toEqual({ status: 0, err: '' });
    const copy = JSON.parse(again.stdout);
    expect(copy.next[1]).toBe(`npm pack --ignore-scripts --pack-destination vendor ${installed}`);
    expect(spawnSync('sh', ['-c', copy.next[1]], { cwd: copy.folder, encoding: 'utf8' }).status).toBe(0);
    expect(filesIn(copy.folder)).toContain(file);
  });

  test('a file in any folder of the project is copied into the image, and other sources are not', async () => {
    const { folder } = await made(place, 'new', 'project', 'own-folder', '--gatehouse', 'file:libs/deep/gatehouse.tgz');
    expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toContain(
      'COPY libs/deep/gatehouse.tgz ./libs/deep/\nRUN npm ci',
    );
  });

  test.each(['file:../gatehouse.tgz', 'https://npm.example/gatehouse.tgz', 'npm:@acme/gatehouse@^1.0.0'])(
    'installs Gatehouse from another source: %s',
    async (source) => {
      const name = `from-${source.replace(/\W+/g, '-').toLowerCase()}`;
      const { folder, next } = await made(place, 'new', 'project', name, '--gatehouse', source);
      const { dependencies, overrides } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      expect([dependencies['@gatehouse-auth/server'], next[1]]).toEqual([source, 'npm install']);
      expect(overrides).toMatchObject({
        'file-type': expect.any(String),
        'light-my-request': { cookie: expect.any(String) },
      });
      expect(JSON.stringify(overrides)).not.toContain('$');
      expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toContain(
        'COPY package.json package-lock.json ./\nRUN npm ci',
      );
    },
  );
});

describe('new feature in this repository', () => {
  const declared = (folder: string, from: string) => {
    const keep = (path: string) => !path.includes('.') || path.endsWith('.d.ts');
    cpSync(join(ROOT, 'dist', from), join(folder, from), {
      recursive: true,
      filter: (path) => keep(path.slice(ROOT.length)),
    });
  };

  test('with --page is rejected, and nothing is written', async () => {
    const folder = join(place, 'without-pages');
    for (const path of ['src/features.ts', 'src/index.ts', 'scripts/structure.mjs']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    install(folder, ['typescript']);
    const { code, err } = await typed(folder, ['new', 'feature', 'cake', '--page']);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^--page works only in an extension project\..* Nothing was written\.$/),
    ]);
    expect(filesIn(folder)).toHaveLength(3);
  });

  test('is listed with the built-in modules, uses the exports of the package, and passes lint and types', async () => {
    // Unchanged files are present as built declarations, which the compiler reads faster.
    const folder = join(place, 'repository');
    for (const from of ['src', 'test/support']) declared(folder, from);
    const entry = readFileSync(join(ROOT, 'src/index.ts'), 'utf8');
    const whole = [...entry.matchAll(/^export \* from '\.\/(.+)\.js';$/gm)].map(([, path]) => `src/${path}.ts`);
    const edited = ['src/features.ts', 'src/index.ts', 'scripts/structure.mjs'];
    const settings = [
      'biome.json',
      'scripts/typed-rows.grit',
      'scripts/one-parameter.grit',
      'scripts/checked-casts.grit',
      'tsconfig.build.json',
      'package.json',
    ];
    for (const path of ['src/index.ts', ...whole, ...edited, ...settings]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { created, changed } = await made(folder, 'new', 'feature', 'news-story', '--check', '--job');
    expect(changed).toEqual(edited);
    expect(created).toContain('test/contract/news-stories.e2e-spec.ts');
    const text = (path: string) => readFileSync(join(folder, path), 'utf8');
    expect(text('src/features.ts')).toContain('  web,\n  newsStories,\n];\n');
    expect(text('scripts/structure.mjs')).toContain("'web', 'news-stories'],");
    expect(text('src/news-stories/news-stories.service.ts')).toContain("import { ApiError } from '../core/errors.js';");
    for (const path of created) expect([path, text(path).includes("'@gatehouse-auth/")]).toEqual([path, false]);
    ran(folder, join(ROOT, 'scripts/node_modules/@biomejs/biome/bin/biome'), 'check', ...changed, ...created);
    const compilerOptions = { noEmit: true, incremental: false, types: ['node', 'jest'] };
    const options = {
      extends: './tsconfig.build.json',
      compilerOptions,
      include: [...changed, ...created],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
    ran(folder, 'node_modules/typescript/bin/tsc');
  });
});
