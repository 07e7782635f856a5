import { Database } from '../../src/platform/database/database.js';
import { query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { until } from '../machine/service-process.js';
import { copyTemplate, expectApiError, type Gatehouse, gatehouse, withGatehouse } from '../support/index.js';

/** Runs `work` while other transactions use all connections of the pool. */
async function whileBusy(service: Gatehouse, connections: number, work: () => Promise<void>): Promise<void> {
  const database = service.app.get(Database);
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inside: Promise<void>[] = [];
  const transactions = Array.from({ length: database.isEmbedded ? 1 : connections }, () =>
    database.transaction(async (tx) => {
      const begun = tx.query('SELECT 1');
      inside.push(begun);
      await begun;
      await held;
    }),
  );
  while (inside.length < transactions.length) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(inside);
  try {
    await work();
  } finally {
    release();
    await Promise.all(transactions);
  }
}

describe('conventions.md 1 and 12: readiness does not wait', () => {
  test('it is green while requests use every connection, and responds before they finish', () =>
    withGatehouse({ env: { DATABASE_POOL_SIZE: '2' } }, (service) =>
      whileBusy(service, 2, async () => {
        for (let round = 0; round < 20; round++) {
          expect((await service.anonymous.get('/health/ready')).body).toEqual({ status: 'ok' });
        }
      }),
    ));
});

describeOnPostgres('conventions.md 1 and 12: readiness reports the last known state of the database', () => {
  let service: Gatehouse;
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = (await copyTemplate()) ?? '';
    service = await gatehouse({ env: { DATABASE_URL: databaseUrl } });
  });
  afterAll(() => service.close());

  const ready = async () => (await service.anonymous.get('/health/ready')).status;
  const server = process.env.TEST_DATABASE_URL ?? '';
  const name = () => new URL(databaseUrl).pathname.slice(1);

  /** Simulates a failover: existing connections are closed, and new ones are read-only. */
  async function setReadOnly(value: 'on' | 'off'): Promise<void> {
    await query(server, `ALTER DATABASE ${name()} SET default_transaction_read_only = ${value}`);
    await query(server, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name()]);
  }

  test('red while it is read-only, green when it accepts changes again', async () => {
    expect(await ready()).toBe(200);
    await setReadOnly('on');
    const input = { email: 'ada@example.com', password: 'a long enough password' };
    await until(async () => (await ready()) === 503);
    expectApiError(await service.anonymous.post('/v1/auth/register', input), 'SERVICE_UNAVAILABLE');
    expect((await service.anonymous.get('/health/live')).status).toBe(200);
    // Readiness keeps failing, so the cause is not only the closed connections.
    for (let round = 0; round < 20; round++) {
      expect(await ready()).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await setReadOnly('off');
    await until(async () => (await ready()) === 200);
    await until(async () => (await service.anonymous.post('/v1/auth/register', input)).status === 200);
  });

  test('red also if its connections stay open', async () => {
    await query(server, `ALTER DATABASE ${name()} SET default_transaction_read_only = on`);
    await until(async () => (await ready()) === 503);
    await setReadOnly('off');
    await until(async () => (await ready()) === 200);
  });

  test('red while its schema is of another version', async () => {
    const [{ timestamp, name: last } = {}] = await query(
      databaseUrl,
      'SELECT * FROM migration ORDER BY id DESC LIMIT 1',
    );
    await query(databaseUrl, 'DELETE FROM migration WHERE name = $1', [last]);
    await until(async () => (await ready()) === 503);
    await query(databaseUrl, 'INSERT INTO migration (timestamp, name) VALUES ($1, $2)', [timestamp, last]);
    await until(async () => (await ready()) === 200);
  });
});
