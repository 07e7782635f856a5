import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import type { MigrationInterface } from 'typeorm';
import { migrate } from '../../src/cli/database/migrate.js';
import { checkDatabase } from '../../src/cli/doctor/database-checks.js';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import type { MigrationNotes } from '../../src/platform/database/migrations.js';
import { emptyDatabase } from '../machine/databases.js';
import { type Release, releases } from '../machine/releases.js';
import { endProcesses, ServiceProcess } from '../machine/service-process.js';
import { openTestDatabase, type TestDatabase } from '../support/gatehouse.js';
import { schemaOf } from '../support/schema.js';

const root = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const kept = releases();
afterAll(endProcesses);

/**
 * What migrations changed in rows on purpose: removed tables, and columns whose content now has a different meaning.
 */
const CHANGED: Record<string, readonly string[]> = {
  '0.1.0-first': ['gateway_event', 'one_time_secret.subject'],
};

/** Names of migrations that declare that they cannot be rolled back. */
const BREAKING = new Set(
  (databaseSchema().migrations as readonly (new () => MigrationInterface & MigrationNotes)[])
    .filter((Migration) => new Migration().breaksRollback !== undefined)
    .map(({ name }) => name),
);

/** Columns are listed in the order in which they were added, which differs if some were added later. */
const sorted = (schema: string): string[][] =>
  schema.split('\n\n').map((block) =>
    block
      .split('\n')
      .map((line) => line.replace(/,$/, ''))
      .sort(),
  );

type Asked = Pick<Database, 'manager'>;
type Rows = Record<string, Record<string, unknown>[]>;

/** Creates a database as a release left it. Returns the settings of a service on it. */
async function restored({ sql, secret }: Release): Promise<Record<string, string>> {
  const settings = { NODE_ENV: 'test', GATEHOUSE_SECRET: secret };
  if (process.env.TEST_DATABASE_URL) {
    const DATABASE_URL = await emptyDatabase();
    const client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    await client.query(sql).finally(() => client.end());
    return { ...settings, DATABASE_URL };
  }
  const DATA_DIR = mkdtempSync(join(process.env.GATEHOUSE_TEST_DIR ?? tmpdir(), 'release-'));
  mkdirSync(join(DATA_DIR, 'database'));
  const engine = await PGlite.create(join(DATA_DIR, 'database'));
  await engine.exec(sql);
  await engine.close();
  return { ...settings, DATA_DIR };
}

const tablesOf = async ({ manager }: Database): Promise<string[]> =>
  (
    await manager.query<{ name: string }[]>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration' ORDER BY 1",
    )
  ).map(({ name }) => name);

async function rowsOf(database: Database): Promise<Rows> {
  const rows: Rows = {};
  for (const table of await tablesOf(database)) {
    const found = await database.manager.query<{ row: Record<string, unknown> }[]>(
      `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY to_jsonb(t)::text`,
    );
    rows[table] = found.map(({ row }) => row);
  }
  return rows;
}

/** The rows without the intentional changes, limited to the columns that both versions have. */
function common(rows: Rows, other: Rows, changed: readonly string[] = []): Record<string, string[]> {
  const pairs = Object.entries(rows).filter(([table]) => !changed.includes(table));
  return Object.fromEntries(
    pairs.map(([table, list]) => {
      const there = Object.keys(other[table]?.[0] ?? {});
      const columns = Object.keys(list[0] ?? {}).filter(
        (name) => there.includes(name) && !changed.includes(`${table}.${name}`),
      );
      return [table, list.map((row) => JSON.stringify(columns.map((name) => [name, row[name]]))).sort()];
    }),
  );
}

/**
 * Triggers that reject nothing. They set a column, write to a table that the previous version does not have, or add
 * entries to the journal that it ignores.
 */
const HARMLESS_TRIGGERS = [
  ...['account_profile_changed', 'session_ended', 'session_deleted', 'application_bot_tokens'],
  ...['account_decision', 'account_decision_deleted', 'session_decision_deleted', 'personal_token_decision'],
  ...['oauth_token_decision', 'oauth_token_decision_deleted', 'application_decision', 'application_decision_deleted'],
  ...['account_created_event', 'account_changed_event', 'account_deleted_event'],
  ...['session_ended_event', 'session_deleted_event'],
];

/** The parts of a schema that affect a program: columns with their types, and everything that can reject a row. */
async function shapeOf({ manager }: Asked): Promise<{ needs: Map<string, string>; bound: Set<string> }> {
  const columns = await manager.query<{ name: string; type: string }[]>(
    `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
  );
  const bound = await manager.query<{ line: string }[]>(
    `SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) AS line FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
     UNION ALL SELECT i.indrelid::regclass || ' ' || pg_get_indexdef(i.indexrelid) FROM pg_index i
       JOIN pg_class c ON c.oid = i.indrelid WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace
     UNION ALL SELECT t.tgrelid::regclass || ' ' || pg_get_triggerdef(t.oid) FROM pg_trigger t
       JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
         AND t.tgname <> ALL ($1)
     UNION ALL SELECT c.relname || ' asks for ' || a.attname FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
         AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''`,
    [HARMLESS_TRIGGERS],
  );
  return {
    needs: new Map(columns.map(({ name, type }) => [name, type])),
    bound: new Set(bound.map(({ line }) => line)),
  };
}

type Shape = Awaited<ReturnType<typeof shapeOf>>;

/**
 * Changes that break the previous version: columns that are gone or have another type, and new rules that reject its
 * rows.
 */
function breaches(before: Shape, after: Shape): string[] {
  const tables = new Set([...before.needs.keys()].map((name) => name.split('.')[0]));
  const changed = [...before.needs].flatMap(([name, type]) => {
    const now = after.needs.get(name);
    return now === type ? [] : [now === undefined ? `${name} is gone` : `${name} was ${type} and is ${now}`];
  });
  const tighter = [...after.bound].filter((line) => !before.bound.has(line) && tables.has(line.split(' ')[0] ?? ''));
  return [...changed, ...tighter];
}

const totp = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate();

/** Applies the pending migrations one by one. Returns what each one breaks for the version before it. */
async function migrateOneByOne(database: Database): Promise<Record<string, string[]>> {
  const { migrations } = database.source;
  const [ours] = database.migrations;
  const { pending = [] } = (await ours?.state()) ?? {};
  const all = [...migrations];
  const found: Record<string, string[]> = {};
  const nameOf = (one: (typeof all)[number]): string => one.name ?? one.constructor.name;
  let before = await shapeOf(database);
  for (const name of pending) {
    const isDue = (one: (typeof all)[number]) =>
      nameOf(one) === name || !pending.includes(nameOf(one)) || nameOf(one) in found;
    migrations.splice(0, migrations.length, ...all.filter(isDue));
    expect(await database.migrate()).toEqual([name]);
    const after = await shapeOf(database);
    found[name] = breaches(before, after);
    before = after;
  }
  migrations.splice(0, migrations.length, ...all);
  return found;
}

/** The statements of a release that a database no longer understands. */
async function misunderstood({ manager }: Asked, { statements }: Release): Promise<string[]> {
  const found: string[] = [];
  for (const statement of statements) {
    const error = await manager.query(`PREPARE kept AS ${statement}`).catch((reason: Error) => reason);
    if (error instanceof Error) found.push(`${error.message}: ${statement}`);
    else await manager.query('DEALLOCATE kept');
  }
  return found;
}

describe.each(kept.map((release) => [release.version, release] as const))('a database of %s', (version, release) => {
  let settings: Record<string, string>;
  let database: Database | undefined;
  let before: Rows;
  let broken: Record<string, string[]>;
  beforeAll(async () => {
    settings = await restored(release);
    database = await Database.open(loadConfig({ ...settings, DATABASE_POOL_SIZE: '1' }), databaseSchema());
    before = await rowsOf(database);
    broken = await migrateOneByOne(database);
  });
  afterAll(() => database?.close());
  const opened = (): Database => database as Database;

  test('has rows in every table, created by that version', () => {
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(release.statements.length).toBeGreaterThan(50);
  });

  test('has the newest schema after it is migrated', async () => {
    const schema = await schemaOf(async (sql) => opened().manager.query<{ line: string }[]>(sql));
    expect(sorted(schema)).toEqual(sorted(text('test/schema.snapshot.sql')));
  });

  test('keeps every row, except for intended changes of a migration', async () => {
    const after = await rowsOf(opened());
    const changed = CHANGED[version];
    expect(
      common(
        after,
        before,
        Object.keys(after)
          .filter((table) => !(table in before))
          .concat(changed ?? []),
      ),
    ).toEqual(common(before, after, changed));
  });

  test('serves two versions in parallel, and one version back, unless a migration prevents it', async () => {
    const saying = Object.keys(broken).filter((name) => BREAKING.has(name));
    expect(Object.entries(broken).filter(([name, lines]) => lines.length > 0 !== saying.includes(name))).toEqual([]);
    const lost = await misunderstood(opened(), release);
    if (saying.length === 0) expect(lost).toEqual([]);
  });

  test('allows its users to sign in, and keeps their sessions', async () => {
    // As if the database had been in use until now.
    await opened().manager.query('UPDATE session SET created_at = now(), last_used_at = now()');
    await opened().manager.query('UPDATE authorized_ip SET created_at = now()');
    await database?.close();
    database = undefined;
    const service = await ServiceProcess.ready({ ...settings, MIGRATE_ON_START: 'false' });
    for (const { id, email, password, totp: secret, session } of release.people) {
      expect((await service.as(session).get('/v1/users/@me').expect(200)).body).toMatchObject({ id, email });
      const { body } = await service.anonymous.post('/v1/auth/login', { email, password }).expect(200);
      const { token } = secret
        ? (
            await service.anonymous
              .post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code: totp(secret) })
              .expect(200)
          ).body
        : body;
      expect((await service.as(token).get('/v1/users/@me').expect(200)).body).toMatchObject({ id, email });
    }
    expect(await service.stop()).toBe(0);
  });
});

test('doctor reports pending migrations without a way back, and migrate repeats it', async () => {
  const [oldest] = kept as [Release];
  const env = { ...(await restored(oldest)), DATABASE_POOL_SIZE: '1' };
  const findings = await checkDatabase(loadConfig(env), {});
  const gone = 'after Journal1796800001000, the previous version cannot run: gateway_event is gone';
  expect(findings).toContainEqual(expect.objectContaining({ detail: gone }));
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  const run = () => migrate([], { env, out, err: out, isJson: false, reason: null });
  expect(await run()).toBe(0);
  expect(lines).toContainEqual(
    'The previous version cannot run on this schema: gateway_event is gone (Journal1796800001000)',
  );
  lines.length = 0;
  expect(await run()).toBe(0);
  expect(lines).toEqual(['The database schema is up to date.']);
});

describe('changes that break the previous version', () => {
  let own: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    own = await openTestDatabase();
    const settings = { NODE_ENV: 'test', GATEHOUSE_SECRET: Buffer.alloc(32, 1).toString('base64') };
    const env = { ...settings, DATABASE_URL: own.databaseUrl, DATABASE_POOL_SIZE: '1' };
    database = await Database.open(loadConfig(env), databaseSchema(), own.embedded);
  });
  afterAll(async () => {
    await database.close();
    await own.release();
  });

  /** Returns what a change breaks, and rolls the change back. */
  const brokenBy = async (change: string) => {
    const runner = database.source.createQueryRunner();
    const view = { manager: runner.manager };
    await runner.startTransaction();
    const before = await shapeOf(view);
    await runner.query(change);
    const lines = breaches(before, await shapeOf(view));
    await runner.rollbackTransaction();
    await runner.release();
    return lines;
  };

  test.each([
    ['a table that goes', 'DROP TABLE inbox_message', 'inbox_message.text is gone'],
    ['a column that goes', 'ALTER TABLE webhook DROP COLUMN name', 'webhook.name is gone'],
    ['another name', 'ALTER TABLE account RENAME COLUMN bio TO about', 'account.bio is gone'],
    ['another type', 'ALTER TABLE webhook ALTER COLUMN name TYPE varchar(9)', 'webhook.name was text and is'],
    ['a column without a default', 'ALTER TABLE instance ADD COLUMN a int NOT NULL', 'instance asks for a'],
    ['a default that goes', 'ALTER TABLE account ALTER COLUMN flags DROP DEFAULT', 'account asks for flags'],
    [
      'a column that must be set now',
      'ALTER TABLE webhook ALTER COLUMN avatar SET NOT NULL',
      'webhook asks for avatar',
    ],
    ['a rule', 'ALTER TABLE account ADD CHECK (flags < 9)', 'account CHECK ((flags < 9))'],
    ['a unique index', 'CREATE UNIQUE INDEX one ON account (bio)', 'account CREATE UNIQUE INDEX one'],
    [
      'a foreign key',
      'ALTER TABLE journal ADD FOREIGN KEY (account_id) REFERENCES account (id)',
      'journal FOREIGN KEY (account_id)',
    ],
  ])('%s', async (_what, change, line) => {
    expect(await brokenBy(change)).toContainEqual(expect.stringContaining(line));
  });

  test.each([
    ['a table', 'CREATE TABLE shoe (id bigint PRIMARY KEY, size int NOT NULL REFERENCES account (id))'],
    ['a column that may be empty', 'ALTER TABLE account ADD COLUMN shoe_size int'],
    ['a column with a default', 'ALTER TABLE account ADD COLUMN shoe_size int NOT NULL DEFAULT 42'],
    ['an index', 'CREATE INDEX by_bio ON account (bio)'],
    ['a rule that goes', 'ALTER TABLE ip_ban DROP CONSTRAINT ip_ban_kind_check'],
  ])('not: %s', async (_what, change) => {
    expect(await brokenBy(change)).toEqual([]);
  });

  test('a statement that the previous version cannot parse', async () => {
    const [newest] = kept.slice(-1) as [Release];
    expect(await misunderstood(database, newest)).toEqual([]);
    const statements = ['SELECT bio FROM account WHERE id = $1', 'SELECT shoe_size FROM account WHERE id = $1'];
    expect(await misunderstood(database, { ...newest, statements })).toEqual([
      expect.stringContaining('column "shoe_size" does not exist'),
    ]);
  });
});

describe('migrations of releases', () => {
  const source = readdirSync(join(root, 'src/migrations')).flatMap(
    (file) => /export class (\w+\d{13})\b/.exec(text(`src/migrations/${file}`))?.[1] ?? [],
  );
  const applied = ({ sql }: Release): string[] =>
    [...sql.matchAll(/^INSERT INTO public\.migration VALUES \(\d+, \d+, '(\w+)'\);$/gm)].map(([, name = '']) => name);
  const inOrder = (names: string[]): string[] => names.sort((a, b) => Number(a.slice(-13)) - Number(b.slice(-13)));

  test.each(kept.map((release) => [release.version, release] as const))(
    'the migrations of %s stay first: none is inserted, renamed or removed',
    (_version, release) => {
      const names = applied(release);
      expect(names.length).toBeGreaterThan(0);
      expect(inOrder(source).slice(0, names.length)).toEqual(names);
    },
  );

  test('every version of the changelog has its database (docs/maintaining/releasing.md)', () => {
    const versions = [...text('CHANGELOG.md').matchAll(/^## \[?(\d[^\]\s]*)/gm)].map(([, version]) => version);
    expect(versions.filter((version) => !kept.some((release) => release.version === version))).toEqual([]);
  });

  test('the guide lists each step, and whether there is a way back', () => {
    const steps = kept.map((release, n) => {
      const [from, next] = [applied(release), kept[n + 1]];
      const names = (next ? applied(next) : inOrder(source)).slice(from.length);
      return { from: release.version, to: next?.version ?? JSON.parse(text('package.json')).version, names };
    });
    const rows = [...text('docs/guides/operators/upgrade.md').matchAll(/^\| `(\S+)` \| `(\S+)` \| (yes|no): .+ \|$/gm)];
    expect(rows.map(([, from, to, response]) => [from, to, response])).toEqual(
      steps.map(({ from, to, names }) => [from, to, names.some((name) => BREAKING.has(name)) ? 'no' : 'yes']),
    );
  });
});
