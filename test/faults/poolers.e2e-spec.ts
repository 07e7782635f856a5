import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../machine/databases.js';
import {
  DedicatedServer,
  describeWithPgbouncer,
  describeWithPgpool,
  startPooler,
} from '../machine/dedicated-server.js';
import type { Pooler } from '../machine/poolers.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { StalePooler } from '../machine/stale-pooler.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { expectInvalid, person, type ServiceEndpoint } from '../support/index.js';

afterAll(endProcesses);

/** Expects that a service with these settings exits with a one-line reason. Returns the line. */
async function refusedStart(env: Record<string, string>): Promise<string> {
  const service = ServiceProcess.start(env);
  expect(await service.exited).toBe(1);
  const lines = service.err.trim().split('\n');
  expect(lines).toHaveLength(1);
  expect(service.out).not.toContain('Database');
  return lines[0] ?? '';
}

/** Calls that use named statements, transactions with events, and many connections at the same time. */
async function expectService(service: ServiceEndpoint): Promise<void> {
  expect((await service.anonymous.get('/health/ready')).status).toBe(200);
  const users = await Promise.all(['one', 'two', 'three'].map(() => person(service)));
  const calls = Array.from({ length: 60 }, (_, index) => {
    const user = service.as(users[index % users.length] as (typeof users)[0]);
    if (index % 5 === 0) return user.patch('/v1/users/@me', { display_name: `Name ${index}` });
    return user.get(index % 2 === 0 ? '/v1/users/@me' : '/v1/auth/sessions');
  });
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
}

/** Stops the server behind a pooler and starts it again. */
async function expectRecovery(service: ServiceProcess, postgres: DedicatedServer): Promise<void> {
  const user = await person(service);
  const me = () => service.as(user).get('/v1/users/@me');
  await postgres.stop('SIGINT');
  const responses = await Promise.all(Array.from({ length: 10 }, me));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
  await postgres.start();
  for (;;) {
    const { status } = await me();
    if (status === 200) break;
    expect(status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describeWithPgbouncer('conventions.md 12: PgBouncer in transaction mode', () => {
  let postgres: DedicatedServer;
  let pooler: Pooler;
  beforeAll(async () => {
    postgres = await DedicatedServer.postgres();
    pooler = await startPooler(postgres.url, 'transaction');
  });
  afterAll(async () => {
    await pooler.close();
    await postgres.close();
  });

  /** A setting of the role applies to new sessions of the pooler only. */
  const endSessions = () =>
    query(
      postgres.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );

  const pooled = () => ({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: postgres.url });

  test('without DATABASE_DIRECT_URL the service does not start, and names it', async () => {
    expect(await refusedStart({ DATABASE_URL: pooler.url })).toMatch(
      /PgBouncer with pool_mode = transaction.+Set DATABASE_DIRECT_URL to the database server/,
    );
  });

  test('with a DATABASE_DIRECT_URL that is pooled itself, it does not start', async () => {
    const url = new URL(pooler.url);
    url.searchParams.set('application_name', 'other');
    expect(await refusedStart({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url.href })).toContain(
      'DATABASE_DIRECT_URL leads to a connection pooler',
    );
  });

  test('with a DATABASE_DIRECT_URL of another database, it does not start', async () => {
    await query(postgres.url, 'CREATE DATABASE other');
    const other = Object.assign(new URL(postgres.url), { pathname: '/other' }).href;
    expect(await refusedStart({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: other })).toContain(
      'lead to different databases',
    );
  });

  test('without timeouts it does not start, and prints the statements that set them for the role', async () => {
    await query(postgres.url, "ALTER ROLE gatehouse SET bytea_output = 'escape'");
    await endSessions();
    const line = await refusedStart(pooled());
    const statements = line.match(/ALTER ROLE [^;]+;/g) ?? [];
    expect(statements).toEqual(
      ['bytea_output', 'idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'].map((name) =>
        expect.stringMatching(`^ALTER ROLE "gatehouse" IN DATABASE "postgres" SET ${name} = '\\w+';$`),
      ),
    );
    for (const statement of statements) await query(postgres.url, statement);
    await endSessions();
    const service = await ServiceProcess.ready(pooled());
    expect(await service.stop()).toBe(0);
  });

  test('two processes serve, with different worker IDs, and leave nothing in the sessions of others', async () => {
    const replicas = [await ServiceProcess.ready(pooled()), await ServiceProcess.ready(pooled())];
    await Promise.all(replicas.map(expectService));
    const leases = await query(postgres.url, "SELECT objid FROM pg_locks WHERE locktype = 'advisory'");
    expect(new Set(leases.map(({ objid }) => objid)).size).toBe(2);
    for (let session = 0; session < 20; session++) {
      const [state] = await query(
        pooler.url,
        `SELECT current_setting('synchronous_commit') AS sync, current_setting('statement_timeout') AS timeout,
          (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
          (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`,
      );
      expect(state).toEqual({ sync: 'on', timeout: '5s', prepared: 0, locks: 0 });
    }
    const listening = await query(
      postgres.url,
      "SELECT application_name AS name FROM pg_stat_activity WHERE query ILIKE 'LISTEN%' OR query ILIKE '%pg_notify%'",
    );
    for (const { name } of listening) expect(['gatehouse notices', '']).toContain(name);
    for (const replica of replicas) expect(replica.err).toBe('');
    for (const replica of replicas) await replica.stop();
  });

  test('while the server behind the pooler is down, requests get 503, and the service recovers', async () => {
    const service = await ServiceProcess.ready(pooled());
    await expectRecovery(service, postgres);
    await service.stop();
  });
});

describeWithPgbouncer('conventions.md 12: PgBouncer in session mode', () => {
  test('needs no other setting', async () => {
    const postgres = await DedicatedServer.postgres();
    const pooler = await startPooler(postgres.url, 'session');
    const service = await ServiceProcess.ready({ DATABASE_URL: pooler.url });
    await expectService(service);
    expect(service.err).toBe('');
    await service.stop();
    await pooler.close();
    await postgres.close();
  });
});

describeWithPgpool('conventions.md 12: pgpool-II', () => {
  test('needs no other setting', async () => {
    const postgres = await DedicatedServer.postgres();
    const pooler = await startPooler(postgres.url, 'pgpool');
    const service = await ServiceProcess.ready({ DATABASE_URL: pooler.url });
    await expectService(service);
    expect(service.err).toBe('');
    await service.stop();
    await pooler.close();
    await postgres.close();
  });

  test('while the server behind it is down, requests get 503, and the service recovers', async () => {
    const postgres = await DedicatedServer.postgres();
    const pooler = await startPooler(postgres.url, 'pgpool');
    const service = await ServiceProcess.ready({ DATABASE_URL: pooler.url });
    await expectRecovery(service, postgres);
    await service.stop();
    await pooler.close();
    await postgres.close();
  });

  test('after transactions that fail, the next ones and single statements work', async () => {
    const postgres = await DedicatedServer.postgres();
    const pooler = await startPooler(postgres.url, 'pgpool');
    const service = await ServiceProcess.ready({ DATABASE_URL: pooler.url, DATABASE_POOL_SIZE: '1' });
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const { username, discriminator } = (await service.as(bob).get('/v1/users/@me')).body;
    for (let attempt = 0; attempt < 100; attempt++) {
      const taken = { username, discriminator, password: alice.password };
      expectInvalid(await service.as(alice).patch('/v1/users/@me', taken), 'discriminator: TAG_ALREADY_TAKEN');
      expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    }
    await service.stop();
    await pooler.close();
    await postgres.close();
  });

  test('connections that get the result of another statement are replaced, and requests do not notice it', async () => {
    const postgres = await DedicatedServer.postgres();
    const { pooler, url } = await StalePooler.to(postgres.url, (connection) => connection % 2 === 0);
    const service = await ServiceProcess.ready({ DATABASE_URL: url });
    await expectService(service);
    expect(pooler.stale).toBeGreaterThan(5);
    await service.stop();
    pooler.close();
    await postgres.close();
  });

  test('if each new connection gets it, the service does not start, and names the pooler', async () => {
    const postgres = await DedicatedServer.postgres();
    const { pooler, url } = await StalePooler.to(postgres.url, () => true);
    expect(await refusedStart({ DATABASE_URL: url, DATABASE_WAIT_SECONDS: '1' })).toMatch(
      /The pooler returned the result of another statement \(DISCARD\) on a new connection/,
    );
    pooler.close();
    await postgres.close();
  });

  test('connections that are accepted and then stay silent are given up, and the service recovers', async () => {
    const postgres = await DedicatedServer.postgres();
    const { pooler, url } = await StalePooler.to(postgres.url, () => false);
    const service = await ServiceProcess.ready({ DATABASE_URL: url });
    const isReady = async () => (await service.anonymous.get('/health/ready')).status === 200;
    pooler.silence();
    await until(async () => !(await isReady()));
    // Every attempt of the bus and of the tests has begun on a connection that stays silent.
    await delay(3000);
    // Those connections stay open. Only new ones get responses.
    pooler.answerNewConnections();
    await until(isReady);
    await expectService(service);
    await service.stop();
    pooler.close();
    await postgres.close();
  });

  test('in raw mode it commits nothing: the service does not start, and is not ready if it finds it later', async () => {
    const postgres = await DedicatedServer.postgres();
    const raw = await startPooler(postgres.url, 'pgpool-raw');
    expect(await refusedStart({ DATABASE_URL: raw.url })).toMatch(
      /does not end it\. Use .+ backend_clustering_mode = 'streaming_replication' of pgpool-II$/,
    );
    const { proxy, url } = await CuttableProxy.to(postgres.url, 5432);
    const service = await ServiceProcess.ready({ DATABASE_URL: url });
    const isReady = async () => (await service.anonymous.get('/health/ready')).status === 200;
    proxy.redirect(raw.url);
    await until(async () => !(await isReady()) && service.out.includes('database-commits'));
    expect(service.out).toMatch(
      /begins a transaction for a statement and does not end it.+dependency database-commits fails/,
    );
    proxy.redirect(postgres.url);
    await until(isReady);
    await expectService(service);
    await service.stop();
    proxy.close();
    await raw.close();
    await postgres.close();
  });
});
