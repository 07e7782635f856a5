import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { packSnapshot, snapshotKey, unpackSnapshot } from '../../src/platform/database/snapshot.js';
import { endProcesses, preparedDirectory, ServiceProcess } from '../machine/service-process.js';
import { emptyDatabase } from '../support/embedded.js';
import { schemaOf } from '../support/schema.js';

const BUILT = join(import.meta.dirname, '../../dist/database.snapshot');
const KEY = snapshotKey(databaseSchema().migrations.map(({ name }) => name));
const place = mkdtempSync(join(tmpdir(), 'gatehouse-snapshot-'));
afterAll(async () => {
  await endProcesses();
  rmSync(place, { recursive: true, force: true });
});

/** A data directory with a database from the snapshot of the build. */
function unpacked(name: string): string {
  const directory = join(place, name);
  mkdirSync(directory);
  expect(unpackSnapshot(join(directory, 'database'), KEY, BUILT)).toBe(true);
  return directory;
}

const env = { NODE_ENV: 'test', GATEHOUSE_SECRET: Buffer.alloc(32, 1).toString('base64') };

async function withDatabase<T>(DATA_DIR: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open(loadConfig({ ...env, DATA_DIR }), databaseSchema());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Every row of every table. */
async function rowsOf(database: Database): Promise<Record<string, unknown>> {
  const tables: { name: string }[] = await database.manager.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const entries = tables.map(async ({ name }) => [
    name,
    await database.manager.query(`SELECT * FROM ${name} ORDER BY 1`),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

test('a first start from the snapshot of the build has exactly the schema and the rows of the migrations', async () => {
  const found = await withDatabase(unpacked('whole'), async (database) => {
    expect(await database.hasPendingMigrations()).toBe(false);
    const ask = (text: string): Promise<{ line: string }[]> => database.manager.query(text);
    const passwords = await ask(`SELECT rolname AS line FROM pg_authid WHERE rolpassword IS NOT NULL`);
    return { schema: await schemaOf(ask), rows: await rowsOf(database), passwords };
  });
  expect(found.schema).toBe(readFileSync(join(import.meta.dirname, '../schema.snapshot.sql'), 'utf8'));
  expect(found.passwords).toEqual([]);

  // Random or instance-specific values would differ between two databases that were created separately.
  const engine = await emptyDatabase();
  const migrated = await Database.open(loadConfig({ ...env, DATA_DIR: place }), databaseSchema(), engine);
  await migrated.migrate();
  expect(found.rows).toEqual(await rowsOf(migrated));
  await migrated.close();
  await engine.close();
});

test('two databases from one snapshot have no common identifiers', async () => {
  const identities = [];
  for (const name of ['one', 'other']) {
    const directory = unpacked(name);
    const nonce = readFileSync(join(directory, 'database/global/pg_control')).subarray(257, 257 + 32);
    const [row] = await withDatabase(directory, ({ manager }) =>
      manager.query('SELECT system_identifier FROM pg_control_system()'),
    );
    identities.push({ nonce: nonce.toString('hex'), system: row.system_identifier });
  }
  const [one, other] = identities;
  expect(one?.system).not.toBe(other?.system);
  expect(one?.nonce).not.toBe(other?.nonce);
  expect(readFileSync(BUILT).includes(Buffer.from(one?.nonce ?? '', 'hex'))).toBe(false);
});

test('two services that start on empty databases have their own secrets and setup tokens', async () => {
  const tokens: (string | undefined)[] = [];
  const secrets: string[] = [];
  for (const name of ['first-service', 'second-service']) {
    const DATA_DIR = join(place, name);
    const service = await ServiceProcess.ready({ DATA_DIR, GATEHOUSE_SECRET: undefined });
    tokens.push(/"token": "([^"]+)"/.exec(service.out)?.[1]);
    const account = { email: 'ada@example.com', password: 'a long enough password', username: 'ada' };
    expect((await service.anonymous.post('/v1/auth/register', account)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    secrets.push(readFileSync(join(DATA_DIR, 'secret'), 'utf8'));
    expect(readdirSync(DATA_DIR)).not.toContain('database.unfinished');
  }
  expect(new Set(tokens).size).toBe(2);
  expect(tokens).not.toContain(undefined);
  expect(new Set(secrets).size).toBe(2);
});

const others: [what: string, key: typeof KEY][] = [
  ['another engine', { ...KEY, engine: '0.4.0' }],
  ['a migration more', { ...KEY, migrations: [...KEY.migrations, 'Next1800000000000'] }],
  ['a migration less', { ...KEY, migrations: KEY.migrations.slice(0, -1) }],
];

test.each(others)('a snapshot of %s is not used', (what, key) => {
  const directory = join(place, what);
  expect(unpackSnapshot(directory, key, BUILT)).toBe(false);
  expect(existsSync(directory)).toBe(false);
});

test('an incomplete snapshot is not used, and the files of an interrupted unpacking are removed', () => {
  const directory = join(place, 'pieces');
  const file = join(place, 'pieces.snapshot');
  const whole = readFileSync(BUILT);
  for (const bytes of [whole.subarray(0, whole.length >> 1), whole.subarray(0, 100), Buffer.alloc(0)]) {
    writeFileSync(file, bytes);
    mkdirSync(join(directory, '..', 'pieces.unfinished'), { recursive: true });
    expect(unpackSnapshot(directory, KEY, file)).toBe(false);
    expect(readdirSync(place).filter((name) => name.startsWith('pieces'))).toEqual(['pieces.snapshot']);
  }
  expect(unpackSnapshot(directory, KEY, join(place, 'none'))).toBe(false);
});

test('a control file of an unknown form gives no snapshot', () => {
  const directory = preparedDirectory(join(place, 'unknown'));
  const path = join(directory, 'database/global/pg_control');
  const control = readFileSync(path);
  control[40] = (control[40] ?? 0) ^ 1;
  writeFileSync(path, control);
  expect(() => packSnapshot(join(directory, 'database'), KEY)).toThrow('has an unknown format');
});
