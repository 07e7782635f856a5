import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { execute } from '../../src/cli/execute.js';
import { findProject, loadExtension } from '../../src/cli/terminal/project.js';
import { databaseSchema } from '../../src/features.js';
import {
  Accounts,
  AdminAcl,
  AuditActions,
  Cleanup,
  Clock,
  ColumnEncryption,
  Config,
  CurrentIdentity,
  createApp,
  Database,
  defineFeature,
  type Extension,
  ExtensionMailer,
  extension,
  GatewayEvents,
  type Identity,
  Jobs,
  Limiter,
  Log,
  loadConfig,
  Metrics,
  OneTimeSecrets,
  RateLimit,
  ReplicaBus,
  SecurityEvents,
  Snowflakes,
  settings,
  TargetProtection,
  Text,
  UserOnly,
  validationError,
} from '../../src/index.js';
import { settingsOf } from '../../src/policy/extension.js';
import { ADVISORY_LOCKS } from '../machine/postgres.js';
import {
  administrator,
  Client,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  openTestDatabase,
  person,
  rowFactory,
  type TestDatabase,
} from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

@Entity('notes')
class Note {
  @PrimaryColumn('bigint') id: string;
  @Column('bigint', { name: 'account_id' }) accountId: string;
  @Column('text') text: string;
}

class CreateNote1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE notes (id bigint PRIMARY KEY, account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE)',
    );
  }
  async down(): Promise<void> {}
}

class AddText1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE notes ADD COLUMN text text NOT NULL');
  }
  async down(): Promise<void> {}
}

class NotesSettings extends settings('Notes', (read) => ({
  longest: read.int('NOTES_LONGEST', 'Characters of a note', 20, [1, 10_000]),
})) {}

class NoteInput {
  @Text({ max: 10_000 }) text: string;
}

@Injectable()
class Notes {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly limits: NotesSettings,
  ) {}

  async take(accountId: string, text: string) {
    if (text.length > this.limits.longest) throw validationError('text', 'CONTENT_EXCEEDS_MAX_LENGTH');
    const note = { id: this.snowflakes.next(), accountId, text };
    await this.database.manager.insert(Note, note);
    return { id: note.id, text };
  }

  async list(accountId: string) {
    const notes = await this.database.manager.findBy(Note, { accountId });
    return { notes: notes.map(({ id, text }) => ({ id, text })) };
  }

  count(): Promise<number> {
    return this.database.manager.count(Note);
  }
}

@Controller('v1/notes')
class NotesController {
  constructor(private readonly notes: Notes) {}

  @Post()
  @UserOnly()
  @RateLimit('notes:use')
  take(@CurrentIdentity() me: Identity, @Body() { text }: NoteInput) {
    return this.notes.take(me.account.id, text);
  }

  @Get()
  @UserOnly()
  @RateLimit('notes:use')
  list(@CurrentIdentity() me: Identity) {
    return this.notes.list(me.account.id);
  }
}

@Controller('v1/admin/notes')
class AdminNotesController {
  constructor(private readonly notes: Notes) {}

  @Get('count')
  @AdminAcl('notes:list')
  @RateLimit('notes:use')
  async count() {
    return { count: await this.notes.count() };
  }
}

/** Every service that extensions inject without importing a module. */
const SERVICES = [
  ...[
    Accounts,
    AuditActions,
    Cleanup,
    Clock,
    ColumnEncryption,
    Config,
    Database,
    ExtensionMailer,
    GatewayEvents,
    Jobs,
    Limiter,
  ],
  ...[Log, Metrics, OneTimeSecrets, ReplicaBus, SecurityEvents, Snowflakes, TargetProtection],
];
const INJECTED = Symbol('injected services');

@Module({
  controllers: [NotesController, AdminNotesController],
  providers: [Notes, { provide: INJECTED, useFactory: (...services: object[]) => services, inject: SERVICES }],
})
class NotesModule {}

const notes = defineFeature('notes', {
  modules: [NotesModule],
  settings: [NotesSettings],
  entities: [Note],
  // Migrations run in the order of their timestamps, regardless of the order of this list.
  migrations: [AddText1700000000001, CreateNote1700000000000],
  erasure: { notes: { column: 'account_id' } },
  acls: { 'notes:list': { 'en-US': 'read the notes of everybody' } },
  buckets: { 'notes:use': [100, 60] },
});

declare module '../../src/core/merged.js' {
  interface Features {
    notesOfExtension: typeof notes;
  }
}

const team = extension({ compatibleWith: '>=1.0.0 <99', features: [notes] });

describe('an extension over HTTP', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ ...team, env: { NOTES_LONGEST: '5' } });
  });
  afterAll(() => service.close());

  test('its routes are guarded, its entities stored, its settings injected', async () => {
    expectApiError(await service.anonymous.get('/v1/notes'), 'UNAUTHORIZED');
    const alice = await person(service, 'alice');
    const bob = await person(service, 'bob');
    expectInvalid(await service.as(alice).post('/v1/notes', { text: 'longer' }), 'text: CONTENT_EXCEEDS_MAX_LENGTH');
    const { body: note } = await service.as(alice).post('/v1/notes', { text: 'short' }).expect(201);
    await service
      .as(alice)
      .get('/v1/notes')
      .expect(200, { notes: [{ id: note.id, text: 'short' }] });
    await service.as(bob).get('/v1/notes').expect(200, { notes: [] });
  });

  test('a factory of the kit inserts rows with defaults and the values of the test, and reports those that are wrong', async () => {
    const carol = await person(service, 'carol');
    const newNote = rowFactory(Note, ({ n, id }) => ({ id, text: `${n}`, accountId: carol.id }));
    const notes = [await newNote(service), await newNote(service, { text: 'own' })];
    expect(notes.map(({ text, accountId }) => [text, accountId])).toEqual([
      ['1', carol.id],
      ['own', carol.id],
    ]);
    await service
      .as(carol)
      .get('/v1/notes')
      .expect(200, { notes: notes.map(({ id, text }) => ({ id, text })) });
    await expect(newNote(service, { id: notes[0]?.id })).rejects.toThrow('duplicate key');
    await expect(newNote(service, { accountId: '1' })).rejects.toThrow('foreign key');
    expect(await service.sql('SELECT 1 FROM notes WHERE account_id = $1', [carol.id])).toHaveLength(2);
  });

  test('all services of the public API are injected without an import of their module', () => {
    expect(service.app.get<object[]>(INJECTED)).toEqual(SERVICES.map(() => expect.anything()));
  });

  test('only the infrastructure and the services for extensions are in global modules', () => {
    const modules = [...service.app.get(ModulesContainer).values()];
    const names = modules.filter(({ isGlobal }) => isGlobal).map(({ name }) => name);
    expect(names).toEqual(['InternalCoreModule', 'PlatformModule', 'ExtensionServicesModule']);
  });

  test('its ACLs allow only administrators who have them', async () => {
    const [clerk, other] = [await administrator(service, 'notes:list'), await administrator(service, 'user:lookup')];
    expect((await service.as(clerk).get('/v1/admin/notes/count')).status).toBe(200);
    expectApiError(await service.as(other).get('/v1/admin/notes/count'), 'MISSING_ACL');
  });

  test('its migrations have their own table, and the service is ready after they are applied', async () => {
    const names = ['CreateNote1700000000000', 'AddText1700000000001'];
    expect(await service.sql('SELECT name FROM team_migration ORDER BY id')).toEqual(names.map((name) => ({ name })));
    expect(await service.sql('SELECT name FROM migration WHERE name = ANY($1)', [names])).toEqual([]);
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
  });
});

describe('commands with an extension', () => {
  let own: TestDatabase;
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-extension-'));
  const env: Record<string, string | undefined> = {
    DATA_DIR: directory,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'silent',
    ...GENEROUS_TIMEOUTS,
  };
  const lent = () => (own.embedded ? { embeddedDatabase: own.embedded } : {});

  beforeAll(async () => {
    own = await openTestDatabase();
    env.DATABASE_URL = own.databaseUrl;
  });
  afterAll(async () => {
    await own.release();
    rmSync(directory, { recursive: true, force: true });
  });

  async function cli(brought: Extension | undefined, ...args: string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await execute(args, {
      env,
      ...lent(),
      ...(brought ? { extension: brought } : {}),
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  }

  /** Runs the service on the database of the commands, until `work` is done. */
  async function serving<T>(work: (as: (authorization?: string) => Client) => PromiseLike<T>): Promise<T> {
    const more = { RATE_LIMITS: 'off', HTTP_PLATFORM: process.env.HTTP_PLATFORM };
    const app = await createApp(loadConfig({ ...env, ...more }, settingsOf(team)), { ...team, ...lent() });
    try {
      await app.listen(0, '127.0.0.1');
      const { port } = app.getHttpServer().address() as AddressInfo;
      return await work((authorization) => new Client(`http://127.0.0.1:${port}`, authorization, []));
    } finally {
      await app.close();
    }
  }

  const open = () => Database.open(loadConfig(env, settingsOf(team)), databaseSchema(team), own.embedded);

  async function tables(): Promise<string[]> {
    const database = await open();
    const rows = await database.manager.query<{ name: string }[]>(
      "SELECT tablename AS name FROM pg_tables WHERE tablename IN ('notes', 'team_migration') ORDER BY 1",
    );
    await database.close();
    return rows.map(({ name }) => name);
  }

  test('an extension for another version is rejected with a sentence, everywhere, and leaves nothing', async () => {
    const foreign = extension({ ...team, compatibleWith: '^99.0.0' });
    const sentence = /^The extension requires Gatehouse \^99\.0\.0, but this is \d+\.\d+\.\d+\S*$/;
    const refused = { code: 1, out: '', err: expect.stringMatching(sentence) };
    expect(await cli(foreign, 'migrate')).toEqual(refused);
    expect(await cli(foreign, 'routes')).toEqual(refused);
    await expect(createApp(loadConfig(env, settingsOf(foreign)), { ...foreign, ...lent() })).rejects.toThrow(sentence);
    await expect(gatehouse({ ...foreign })).rejects.toThrow(sentence);
    expect((await cli({ compatibleWith: 'the newest' }, 'routes')).err).toBe(
      'Invalid compatibleWith "the newest" in the extension. Use a version range such as ^1.0.0',
    );
    expect(await tables()).toEqual([]);
  });

  test('settings that were not read with the configuration are an error of the caller', async () => {
    await expect(createApp(loadConfig(env), { ...team, ...lent() })).rejects.toThrow('were not read: NotesSettings');
    expect(await tables()).toEqual([]);
  });

  test('doctor names pending migrations, migrate applies them once, and doctor without the extension names unknown ones', async () => {
    const before = await cli(team, 'doctor');
    expect(before.out).toContain('migrations: pending: CreateNote1700000000000, AddText1700000000001');
    expect(await tables()).toEqual([]);
    expect(await cli(team, 'migrate')).toEqual({
      code: 0,
      out: 'Applied migrations: CreateNote1700000000000, AddText1700000000001',
      err: '',
    });
    expect((await cli(team, 'migrate')).out).toBe('The database schema is up to date.');
    expect((await cli(team, 'doctor')).out).toMatch(
      /ok +migrations: the schema is up to date\n(?!.*unknown to this version)/,
    );
    const without = await cli(undefined, 'doctor');
    expect(without.out).toContain('ok       migrations: the schema is up to date');
    expect(without.out).toContain('warning  migrations: AddText1700000000001 is applied, but unknown to this version');
  });

  test('routes and explain know its routes, settings its settings', async () => {
    const ours = await cli(undefined, 'routes');
    const all = await cli(team, 'routes');
    const more = all.out.split('\n').filter((line) => !ours.out.split('\n').includes(line));
    expect(more).toEqual([
      expect.stringMatching(/^GET +\/v1\/admin\/notes\/count .*notes:list/),
      expect.stringMatching(/^GET +\/v1\/notes /),
      expect.stringMatching(/^POST +\/v1\/notes /),
    ]);
    expect((await cli(team, 'explain', 'POST', '/v1/notes')).out).toContain('NotesController.take');
    expect((await cli(undefined, 'explain', 'POST', '/v1/notes')).err).toContain('No route has this method and path');
    expect((await cli(team, 'settings')).out).toContain('\n## Notes\n\n# Characters of a note\n#NOTES_LONGEST=20');
    expect((await cli(undefined, 'settings')).out).not.toContain('NOTES_LONGEST');
  });

  test('required settings of the extension are read by the commands that need no other setting', async () => {
    class Region extends settings('Region', (read) => ({
      region: read.text('REGIONS_HOME', 'Where notes are kept') ?? read.fault('REGIONS_HOME', 'must be set'),
    })) {}
    const brought = { ...team, features: [notes, defineFeature('regions', { settings: [Region] })] };
    expect((await cli(brought, 'routes')).err).toContain('REGIONS_HOME must be set');
    env.REGIONS_HOME = 'north';
    expect(await cli(brought, 'routes')).toMatchObject({ code: 0, err: '' });
  });

  test('user grant-acl grants an ACL of the extension, and the service with its module applies it', async () => {
    const email = 'ada@example.com';
    const session = await serving(async (as) => {
      const { body } = await as().post('/v1/auth/register', { email, password: 'a long enough password' }).expect(200);
      expectApiError(await as(body.token).get('/v1/admin/notes/count'), 'MISSING_PERMISSIONS');
      return body.token as string;
    });
    expect((await cli(team, 'user', 'grant-acl', email, 'notes:lose')).err).toContain('Unknown ACL: notes:lose');
    const granted = await cli(team, 'user', 'grant-acl', email, 'admin:authenticate', 'notes:list');
    expect(granted).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ACLs of .*: admin:authenticate, notes:list$/),
    });
    await serving((as) => as(session).get('/v1/admin/notes/count').expect(200, { count: 0 }));
  });

  test('a table that a migration creates and `erasure` does not list stops the start', async () => {
    class Drafts1800000000000 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE drafts_page (id bigint PRIMARY KEY, owner_id bigint NOT NULL)');
      }
      async down(): Promise<void> {}
    }
    const drafts = defineFeature('drafts', { migrations: [Drafts1800000000000] });
    await expect(gatehouse({ features: [drafts] })).rejects.toThrow('the table drafts_page is not in `erasure`');
  });

  test('a failing migration of an extension leaves those of the service applied, no changes of its own, and no lock', async () => {
    class Ours1999999999990 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE ours (times int)');
      }
      async down(): Promise<void> {}
    }
    // Its name has an older timestamp, but it runs after the built-in migrations.
    class Failing1600000000000 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('INSERT INTO ours VALUES (1)');
        await runner.query('SELECT 1 / 0');
      }
      async down(): Promise<void> {}
    }
    const failing = defineFeature('failing', { migrations: [Failing1600000000000] });
    const schema = databaseSchema({ features: [notes, failing] });
    const database = await Database.open(loadConfig(env, settingsOf(team)), schema, own.embedded);
    database.source.migrations.push(new Ours1999999999990());
    try {
      await expect(database.migrate()).rejects.toThrow('division by zero');
      expect(await database.manager.query('SELECT count(*)::int AS count FROM ours')).toEqual([{ count: 0 }]);
      const [ours, theirs] = await Promise.all(database.migrations.map((list) => list.state()));
      expect([ours?.pending, theirs?.pending]).toEqual([[], ['Failing1600000000000']]);
      const locks = `${ADVISORY_LOCKS} AND classid = 26465`;
      expect(await database.manager.query(locks)).toEqual([]);
    } finally {
      await database.close();
    }
  });
});

describe('an extension project, as the gatehouse command finds it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-project-'));
  const inner = join(folder, 'packages/notes/src/deep');
  beforeAll(() => {
    mkdirSync(inner, { recursive: true });
    const named = { type: 'module', gatehouse: { extension: 'dist/extension.js' } };
    writeFileSync(join(folder, 'packages/notes/package.json'), JSON.stringify(named));
    // A package.json that names no extension is skipped.
    writeFileSync(join(inner, 'package.json'), '{}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const project = join(folder, 'packages/notes');

  test('is the nearest parent folder whose package.json names an extension', () => {
    expect(findProject(inner)).toEqual({ folder: project, extension: 'dist/extension.js' });
    expect(findProject(project)?.folder).toBe(project);
    expect(findProject(folder)).toBeNull();
  });

  test('with a missing file must be built first, unless the command does not need it', async () => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      env: {},
      folder: inner,
      findExtension: () => loadExtension({ folder: project, extension: 'dist/extension.js' }, terminal.err),
      out: (line: string) => void out.push(line),
      err: (line: string) => void err.push(line),
    };
    expect(await execute(['routes'], terminal)).toBe(1);
    expect([out, err]).toEqual([
      [],
      [`The extension ${project}/dist/extension.js, named in package.json, does not exist. Run npm run build first.`],
    ]);
    expect(await execute(['describe'], terminal)).toBe(1);
    expect(err[1]).not.toContain('extension');
  });

  test('whose build is older than a source file is loaded with a warning', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-project-'));
    for (const name of ['src/notes', 'dist']) mkdirSync(join(folder, name), { recursive: true });
    const [source, built] = [join(folder, 'src/notes/notes.ts'), join(folder, 'dist/extension.js')];
    writeFileSync(built, 'export default {};');
    writeFileSync(source, '');
    const warnings: string[] = [];
    const load = () => loadExtension({ folder, extension: './dist/extension.js' }, (line) => void warnings.push(line));
    utimesSync(source, 1, 2);
    await load();
    expect(warnings).toEqual([]);
    utimesSync(built, 1, 1);
    await load();
    expect(warnings).toEqual(['The build is older than src/notes/notes.ts. Run npm run build.']);
    rmSync(folder, { recursive: true });
  });

  test('whose file has another export is an error', async () => {
    mkdirSync(join(project, 'dist'));
    writeFileSync(join(project, 'dist/extension.js'), 'export const extension = {};');
    const found = loadExtension({ folder: project, extension: 'dist/extension.js' }, () => {});
    await expect(found).rejects.toThrow(
      'has no default export that is an extension. Use: export default extension({ ... })',
    );
  });
});
