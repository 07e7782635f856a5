import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { ADVISORY_LOCKS } from '../machine/postgres.js';
import { openTestDatabase, type TestDatabase, withGatehouse } from '../support/gatehouse.js';
import { person } from '../support/index.js';

/** Runs longer than any statement of a request may. */
class Slow1999999999991 implements MigrationInterface {
  name = 'Slow1999999999991';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE slow (times int)');
    await runner.query('SELECT pg_sleep(6)');
    await runner.query('INSERT INTO slow VALUES (1)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE slow');
  }
}

class Failing1999999999992 extends Slow1999999999991 {
  override name = 'Failing1999999999992';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO slow VALUES (2)');
    await runner.query('SELECT 1 / 0');
  }
}

let copy: TestDatabase;

function open(): Promise<Database> {
  const config = loadConfig({
    NODE_ENV: 'test',
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    DATA_DIR: join(process.env.GATEHOUSE_TEST_DIR ?? 'data/test', randomBytes(4).toString('hex')),
    DATABASE_URL: copy.databaseUrl,
    DATABASE_POOL_SIZE: '1',
  });
  return Database.open(config, databaseSchema(), copy.embedded);
}

const limits = async (database: Database): Promise<unknown[]> => {
  const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  return Promise.all(names.map((name) => database.manager.query(`SHOW ${name}`)));
};

describe('migrations on a pool of one connection', () => {
  let database: Database;
  let before: unknown[];
  beforeAll(async () => {
    copy = await openTestDatabase();
    database = await open();
    before = await limits(database);
  });
  afterAll(async () => {
    await database.close();
    await copy.release();
  });

  test('one of six seconds is applied once by two concurrent processes on a server', async () => {
    database.source.migrations.push(new Slow1999999999991());
    // The embedded database supports only one process.
    const other = copy.databaseUrl ? await open() : undefined;
    other?.source.migrations.push(new Slow1999999999991());
    const applied = await Promise.all([database, other].map((one) => one?.migrate() ?? []));
    expect(applied.flat()).toEqual(['Slow1999999999991']);
    await other?.close();
    expect(await database.manager.query('SELECT times FROM slow')).toEqual([{ times: 1 }]);
    expect(await database.hasPendingMigrations()).toBe(false);
  });

  test('one that fails leaves no changes and no lock, and reports the reason', async () => {
    database.source.migrations.push(new Failing1999999999992());
    await expect(database.migrate()).rejects.toThrow('division by zero');
    expect(await database.manager.query('SELECT times FROM slow')).toEqual([{ times: 1 }]);
    const locks = await database.manager.query(`${ADVISORY_LOCKS} AND classid = 26465`);
    expect(locks).toEqual([]);
    database.source.migrations.pop();
    expect(await database.migrate()).toEqual([]);
  });

  test('afterwards the limits of requests apply again', async () => {
    expect(await limits(database)).toEqual(before);
  });
});

test('a service with one connection starts and serves', async () => {
  await withGatehouse({ env: { DATABASE_POOL_SIZE: '1' } }, async (service) => {
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    const alice = await person(service);
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
  });
});
