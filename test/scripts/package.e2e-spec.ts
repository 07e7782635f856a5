import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { preparedDirectory } from '../machine/service-process.js';

const ROOT = join(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
const project = join(place, 'notes');
const packed = join(project, 'node_modules/@gatehouse-auth/server');
const client = join(project, 'node_modules/@gatehouse-auth/client');

const NOTES = `
import { Controller, Get, Module } from '@nestjs/common';
import { CurrentIdentity, defineFeature, type Identity, RateLimit, settings, UserOnly } from '@gatehouse-auth/server';
import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';

@Entity('notes')
export class Note {
  @PrimaryColumn('bigint') id!: string;
  @Column('text') text!: string;
}

export class CreateNote1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL)');
  }
  async down(): Promise<void> {}
}

export class NotesSettings extends settings('Notes', (read) => ({
  greeting: read.text('NOTES_GREETING', 'What is said first') ?? 'hello',
})) {}

@Controller('v1/notes')
class NotesController {
  constructor(private readonly settings: NotesSettings) {}

  @Get()
  @UserOnly()
  @RateLimit('notes:read')
  list(@CurrentIdentity() me: Identity): { notes_of: string; greeting: string } {
    return { notes_of: me.account.id, greeting: this.settings.greeting };
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

export const notes = defineFeature('notes', {
  modules: [NotesModule],
  settings: [NotesSettings],
  entities: [Note],
  migrations: [CreateNote1800000000000],
  erasure: { notes: { kept: 'belongs to no account' } },
  buckets: { 'notes:read': [10, 60] },
});

declare module '@gatehouse-auth/server' {
  interface Features {
    notes: typeof notes;
  }
}
`;

const EXTENSION = `
import { extension } from '@gatehouse-auth/server';
import { notes } from './notes.js';

export default extension({ compatibleWith: '^1.0.0', features: [notes] });
`;

const MAIN = `
import { start } from '@gatehouse-auth/server';
import extension from './extension.js';

await start(extension);
`;

const TEST = `
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ApiError } from '@gatehouse-auth/client';
import { expectApiError, type Gatehouse, gatehouse, person } from '@gatehouse-auth/server/testing';
import extension from './extension.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ ...extension });
});
afterAll(() => service.close());

test('notes are for those who are signed in', async () => {
  expectApiError(await service.anonymous.get('/v1/notes'), 'UNAUTHORIZED');
  const alice = await person(service, 'alice');
  await service.as(alice).get('/v1/notes').expect(200, { notes_of: alice.id, greeting: 'hello' });
  expect(await service.sql('SELECT name FROM team_migration')).toEqual([{ name: 'CreateNote1800000000000' }]);
  expect(ApiError).toBeDefined();
});
`;

/** Mistakes that the compiler must report with the declarations of the package. */
const MISTAKES = readFileSync(join(ROOT, 'test/fixtures/mistakes/mistakes.ts'), 'utf8').replaceAll(
  "'../../../src/index.js'",
  "'@gatehouse-auth/server'",
);

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Links the installed package of this name. Without network access, the project of a team can only link packages. */
function link(name: string): void {
  const target = join(project, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), target);
}

function run(args: string[], cwd = project): SpawnSyncReturns<string> {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env });
}

const succeeded = ({ status, stdout, stderr }: SpawnSyncReturns<string>): string => {
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  return stdout;
};

/** Packs a folder as `npm pack` does, and unpacks the result where `npm install` would. */
function unpack(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--silent', '--workspaces=false', '--pack-destination', place];
  const tarball = spawnSync('npm', pack, { cwd: from, encoding: 'utf8' }).stdout.trim();
  succeeded(spawnSync('tar', ['-xzf', join(place, tarball), '--strip-components=1', '-C', to], { encoding: 'utf8' }));
}

beforeAll(() => {
  // `npm pack` runs no scripts here, so that it does not build again.
  succeeded(run(['scripts/manual.mjs'], ROOT));
  unpack(ROOT, packed);
  unpack(join(ROOT, 'client'), client);
  const { dependencies, peerDependencies, peerDependenciesMeta } = read(join(packed, 'package.json'));
  const needed = Object.keys({ ...dependencies, ...peerDependencies });
  for (const name of needed.filter((name) => !peerDependenciesMeta[name]?.optional)) link(name);
  for (const name of ['typescript', '@types/node', '@jest/globals', 'jest']) link(name);
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: false, types: ['node'] },
    ...{ experimentalDecorators: true, emitDecoratorMetadata: true, strictPropertyInitialization: false },
    ...{ rootDir: 'src', outDir: 'dist' },
  };
  const files = {
    'package.json': JSON.stringify({ type: 'module', gatehouse: { extension: 'dist/extension.js' } }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src'] }),
    '.env': 'NOTES_GREETING=welcome\nLOG_LEVEL=error\n',
    'src/notes.ts': NOTES,
    'src/extension.ts': EXTENSION,
    'src/main.ts': MAIN,
    'src/notes.spec.ts': TEST,
    'src/mistakes.ts': MISTAKES,
  };
  mkdirSync(join(project, 'src'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the package', () => {
  test('imports only declared packages and its own files', () => {
    const { dependencies, peerDependencies } = read(join(packed, 'package.json'));
    // The compiler belongs to the project, and `gatehouse describe` requires it.
    const declared = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), 'typescript']);
    const files = readdirSync(packed, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[cm]?js$/.test(file));
    expect(files.length).toBeGreaterThan(400);
    const stray = files
      .filter((file) => !file.startsWith('dist/web/'))
      .flatMap((file) => {
        const { importedFiles } = ts.preProcessFile(readFileSync(join(packed, file), 'utf8'));
        return importedFiles
          .map(({ fileName }) => fileName)
          .filter((name) => {
            if (!name.startsWith('.')) {
              const [scope = '', rest] = name.split('/');
              return !isBuiltin(name) && !declared.has(scope.startsWith('@') ? `${scope}/${rest}` : scope);
            }
            const target = join(packed, dirname(file), name);
            return relative(join(packed, 'dist'), target).startsWith('..') || !existsSync(target);
          })
          .map((name) => `${file}: ${name}`);
      });
    expect(stray).toEqual([]);
  });

  test('has no second copy of a package shared with extensions, and no install script', () => {
    const { dependencies, peerDependencies, scripts, exports } = read(join(packed, 'package.json'));
    const shared = ['@nestjs/common', '@nestjs/core', '@nestjs/websockets', 'class-transformer', 'class-validator'];
    for (const name of [...shared, 'reflect-metadata', 'typeorm']) {
      expect(peerDependencies).toHaveProperty([name]);
      expect(dependencies).not.toHaveProperty([name]);
    }
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
    const targets = Object.values(exports as Record<string, string | Record<string, string>>)
      .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
      .filter((path) => !path.startsWith('./dist/') || !existsSync(join(packed, path)));
    expect(targets).toEqual([]);
    expect(readdirSync(packed).sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']);
    expect(existsSync(join(packed, 'dist/test/setup'))).toBe(false);
  });
});

test('contains its manual, whose links and those of the declarations lead to files and headings of the package', () => {
  const manual = join(packed, 'dist/manual');
  const pages = readdirSync(manual, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  for (const page of ['api.md', 'CHANGELOG.md', 'docs/extending.md', 'docs/guides/quick-start.md'])
    expect(pages).toContain(page);
  expect(existsSync(join(manual, 'examples/notes/src/notes/notes.feature.ts'))).toBe(true);
  const texts = pages.map((page) => [page, readFileSync(join(manual, page), 'utf8').replace(/^```.*?^```$/gms, '')]);
  const links = texts.flatMap(([page = '', text = '']) =>
    [...text.matchAll(/\]\(([^)\s#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(?:[a-z]+:|\/)/.test(target))
      .map((target) => ({ page, target, isThere: existsSync(join(manual, dirname(page), target)) })),
  );
  expect(links.length).toBeGreaterThan(500);
  expect(links.filter(({ isThere }) => !isThere)).toEqual([]);
  const feature = readFileSync(join(packed, 'dist/src/policy/feature.d.ts'), 'utf8');
  const [, path = '', anchor = ''] = /@see (\S+)#(\S+)\n \*\/\nexport declare const defineFeature/.exec(feature) ?? [];
  expect(readFileSync(join(packed, path), 'utf8').toLowerCase()).toContain(`## ${anchor.replaceAll('-', ' ')}`);
});

test('the package of the client has its own files and declares no dependency', () => {
  const manifest = read(join(client, 'package.json'));
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(manifest.version).toBe(read(join(packed, 'package.json')).version);
  const files = readdirSync(client, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => !name.startsWith('dist')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  for (const name of files.filter((file) => file.endsWith('.js'))) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(client, name), 'utf8'));
    expect([name, importedFiles.filter(({ fileName }) => !fileName.startsWith('./'))]).toEqual([name, []]);
  }
  expect(existsSync(join(client, manifest.exports['.'].types))).toBe(true);
});

describe('an extension project with only the package and its dependencies', () => {
  test('gets an error with the missing packages of the test kit, or with the missing build', () => {
    const kit = run(['--input-type=module', '-e', "import '@gatehouse-auth/server/testing'"]);
    expect(kit.status).toBe(1);
    expect(kit.stderr).toContain(
      'Error: @gatehouse-auth/server/testing needs supertest: npm install --save-dev supertest',
    );
    for (const name of ['supertest', '@types/supertest', 'ajv']) link(name);
    const routes = run(['node_modules/@gatehouse-auth/server/dist/src/cli.js', 'routes']);
    expect([routes.status, routes.stderr.trim()]).toEqual([
      1,
      `The extension ${project}/dist/extension.js, named in package.json, does not exist. Run npm run build first.`,
    ]);
  });

  test('compiles, with the types of every library in our types, and an error at each mistake', () => {
    expect(succeeded(run(['node_modules/typescript/bin/tsc', '-p', '.']))).toBe('');
  });

  test('has the commands, in every subfolder', () => {
    const out = succeeded(
      run(['../node_modules/@gatehouse-auth/server/dist/src/cli.js', 'routes'], join(project, 'src')),
    );
    expect(out).toMatch(/^GET +\/v1\/notes +/m);
  });

  test('serves with node dist/main.js and its .env, and exits with 0', async () => {
    preparedDirectory(join(project, 'data'));
    const { PATH, GATEHOUSE_TEST_SECRET: GATEHOUSE_SECRET } = process.env;
    const service = spawn(process.execPath, ['-r', '@gatehouse-auth/server/threads', 'dist/main.js'], {
      cwd: project,
      env: { PATH, GATEHOUSE_SECRET, PORT: '0', MAX_LOOP_DELAY_MS: '0', RATE_LIMITS: 'off' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(service, 'exit');
    let out = '';
    service.stdout.on('data', (piece) => (out += piece));
    while (!/^Database .+\n/m.test(out))
      await Promise.race([once(service.stdout, 'data'), exited.then(() => Promise.reject(out))]);
    const [, url] = /^Listening +(http:\S+)$/m.exec(out) as unknown as [string, string];
    const registration = { email: 'ada@example.com', password: 'a long enough password' };
    const response = await fetch(`${url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registration),
    });
    const { token, user_id } = (await response.json()) as { token: string; user_id: string };
    expect((await fetch(`${url}/v1/notes`)).status).toBe(401);
    const notes = await fetch(`${url}/v1/notes`, { headers: { authorization: token } });
    expect(await notes.json()).toEqual({ notes_of: user_id, greeting: 'welcome' });
    service.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
  });

  test('passes its tests with the kit', () => {
    const config = JSON.stringify({
      rootDir: project,
      testMatch: ['<rootDir>/dist/*.spec.js'],
      transform: {},
      testTimeout: 120000,
    });
    const jest = run([
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '-i',
      '--config',
      config,
    ]);
    succeeded(jest);
    expect(jest.stderr).toContain('1 passed, 1 total');
  });
});
