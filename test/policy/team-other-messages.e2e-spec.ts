import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import {
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Headers,
  Injectable,
  Module,
  type NestInterceptor,
  type PipeTransform,
  Sse,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { of } from 'rxjs';
import type { QueryRunner } from 'typeorm';
import typescript from 'typescript';
import { readRoutes } from '../../src/app.js';
import { execute } from '../../src/cli/execute.js';
import { loadExtension } from '../../src/cli/terminal/project.js';
import { CredentialFree, defineFeature, type Extension, loadConfig } from '../../src/index.js';
import { gatehouse, openTestDatabase, withGatehouse } from '../support/index.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mistakes-'));
mkdirSync(join(folder, 'node_modules/@gatehouse-auth'), { recursive: true });
symlinkSync(ROOT, join(folder, 'node_modules/@gatehouse-auth/server'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the files of a project and returns its folder. */
function projectOf(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(folder, name);
}

const routesOf = (extension: Extension) =>
  readRoutes(loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44) }), extension);

/** The messages of the compiler for a file of a project. */
function compilerMessages(file: string): string[] {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = typescript;
  const program = typescript.createProgram([file], {
    ...{ module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext, target: ScriptTarget.ES2023 },
    ...{ types: [], skipLibCheck: true, noEmit: true },
  });
  return typescript
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => typescript.flattenDiagnosticMessageText(messageText, '\n'));
}

class Unlisted {}

@Injectable()
class Lonely {
  constructor(readonly unlisted: Unlisted) {}
}

@Module({ providers: [Lonely] })
class LonelyModule {}

/** The value that an import has while two modules import each other. */
const NOT_YET = undefined as unknown as Type;

@Module({ imports: [NOT_YET] })
class CircularModule {}

@Injectable()
class Throttler implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

@Module({ providers: [{ provide: APP_GUARD, useClass: Throttler }] })
class ThrottlerModule {}

describe('messages of Nest', () => {
  test('name a class that no module provides, with its module', () =>
    expect(routesOf({ modules: [LonelyModule] })).rejects.toThrow(
      "Nest can't resolve dependencies of the Lonely (?). Please make sure that the argument Unlisted at index [0] is available in the LonelyModule module.",
    ));

  test('name the module whose import is undefined', () =>
    expect(routesOf({ modules: [CircularModule] })).rejects.toThrow(
      'The module at index [0] of the CircularModule "imports" array is undefined.',
    ));

  test('are replaced by one line for a guard of all routes', () =>
    expect(routesOf({ modules: [ThrottlerModule] })).rejects.toThrow(
      /^Route policy audit failed:\n {2}ThrottlerModule registers an APP_GUARD\. Remove it and declare a policy on each route$/,
    ));
});

test('a migration class without a timestamp is named', async () => {
  class CreateShelves {
    async up(): Promise<void> {}
    async down(): Promise<void> {}
  }
  const started = gatehouse({ features: [defineFeature('shelves', { migrations: [CreateShelves] })] });
  await expect(started).rejects.toThrow(
    'CreateShelves migration name is wrong. Migration class name should have a JavaScript timestamp appended.',
  );
});

test('a migration with an SQL error is named, with the message of PostgreSQL and the line of the statement', async () => {
  class CreateCards1800000000000 {
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('CREATE TABLE cards (id int)');
      await runner.query('SELECT 1 / 0');
    }
    async down(): Promise<void> {}
  }
  const own = await openTestDatabase();
  const lines: string[] = [];
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  const code = await execute(['migrate'], {
    env: { NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44), DATABASE_URL: own.databaseUrl },
    extension: { features: [defineFeature('cards', { migrations: [CreateCards1800000000000] })] },
    ...(own.embedded ? { embeddedDatabase: own.embedded } : {}),
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
  });
  expect(printed.mock.calls.flat()).toEqual(['Migration "CreateCards1800000000000" failed, error: division by zero']);
  printed.mockRestore();
  await own.release();
  expect([code, lines.join('\n')]).toEqual([
    1,
    expect.stringMatching(
      /division by zero\n.* CreateCards1800000000000\.up \(.*team-other-messages\.e2e-spec\.ts:\d+/s,
    ),
  ]);
});

describe('messages of Node.js and of the compiler', () => {
  test('name the class that two files need from each other', async () => {
    const project = projectOf('circular', {
      'package.json': '{ "type": "module" }',
      'dist/extension.js': "import { Page } from './page.js';\nexport class Book {}\nexport default { page: Page };",
      'dist/page.js': "import { Book } from './extension.js';\nexport class Page extends Book {}",
    });
    const loaded = loadExtension({ folder: project, extension: 'dist/extension.js' }, () => {});
    await expect(loaded).rejects.toThrow("Cannot access 'Book' before initialization");
  });

  test('name await in a package without type: module', () => {
    const project = projectOf('commonjs', { 'package.json': '{}', 'main.ts': 'await Promise.resolve();\nexport {};' });
    expect(compilerMessages(join(project, 'main.ts'))).toContainEqual(
      expect.stringContaining("The current file is a CommonJS module and cannot use 'await' at the top level."),
    );
  });

  test('name an import of a file inside the package', () => {
    const path = '@gatehouse-auth/server/dist/src/app.js';
    const project = projectOf('deep', {
      'package.json': '{ "type": "module" }',
      'main.ts': `import '${path}';\nexport { createApp } from '${path}';`,
    });
    expect(compilerMessages(join(project, 'main.ts'))).toContain(
      `Cannot find module '${path}' or its corresponding type declarations.`,
    );
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `import '${path}'`], {
      ...{ cwd: project, encoding: 'utf8' },
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`Package subpath './dist/src/app.js' is not defined by "exports" in `),
    ]);
  });

  test('are absent for require() of the package', () => {
    const script = "console.log(typeof require('@gatehouse-auth/server').defineFeature)";
    const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '-e', script], {
      ...{ cwd: folder, encoding: 'utf8' },
    });
    expect([stdout, stderr]).toEqual(['function\n', '']);
  });
});

@Injectable()
class Slow implements NestInterceptor {
  async intercept(_context: ExecutionContext, next: CallHandler) {
    await Promise.resolve();
    return next.handle();
  }
}

class Untouched implements PipeTransform {
  transform(value: unknown): unknown {
    return value;
  }
}

@Controller('v1/pages')
class PagesController {
  @Get()
  @CredentialFree()
  @UseInterceptors(Slow)
  language(@Headers('accept-language') language: string) {
    return { language };
  }

  @Sse('events')
  @CredentialFree()
  events() {
    return of({ data: { n: 1 } }, { data: { n: 2 } });
  }
}

@Module({ controllers: [PagesController], providers: [{ provide: APP_PIPE, useClass: Untouched }] })
class PagesModule {}

test('an asynchronous interceptor, a global pipe, headers and server-sent events work', () =>
  withGatehouse({ modules: [PagesModule] }, async ({ anonymous }) => {
    await anonymous.with({ 'accept-language': 'de' }).get('/v1/pages').expect(200, { language: 'de' });
    const { text } = await anonymous
      .get('/v1/pages/events')
      .expect(200)
      .expect('content-type', /^text\/event-stream/);
    expect(text).toMatch(/data: \{"n":1\}.*data: \{"n":2\}/s);
  }));
