import { Client as PgClient } from 'pg';
import { describeOnPostgres } from '../machine/postgres.js';
import { until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import {
  copyTemplate,
  expectApiError,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  type TestResponse,
} from '../support/index.js';

describeOnPostgres('FLT-10 a database that is disconnected, silent or locked', () => {
  let service: Gatehouse;
  let proxy: CuttableProxy;
  let alice: Persona;
  let databaseUrl: string;

  beforeAll(async () => {
    databaseUrl = (await copyTemplate()) ?? '';
    const way = await CuttableProxy.to(databaseUrl, 5432);
    proxy = way.proxy;
    service = await gatehouse({ env: { DATABASE_URL: way.url, DATABASE_POOL_SIZE: '4', DATABASE_PATIENCE: '1' } });
    alice = await person(service, 'alice');
  });
  afterAll(async () => {
    await service.close();
    proxy.close();
  });

  const me = () => service.as(alice).get('/v1/users/@me');

  /** Returns the responses of callers that send requests without pause while `work` runs. */
  async function meanwhile(work: () => Promise<void>): Promise<TestResponse[]> {
    const responses: TestResponse[] = [];
    let running = true;
    const callers = Array.from({ length: 16 }, async () => {
      while (running) responses.push(await me());
    });
    await work();
    running = false;
    await Promise.all(callers);
    return responses;
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  function expectHonest(responses: TestResponse[]): void {
    for (const response of responses) {
      if (response.status === 200) expect(response.body.id).toBe(alice.id);
      else {
        expectApiError(response, 'SERVICE_UNAVAILABLE');
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
  }

  test('disconnected in the middle of requests: 503 with Retry-After, never a false rejection or a stale success', async () => {
    const responses = await meanwhile(async () => {
      await pause(200);
      proxy.cut();
      await until(async () => (await me()).status === 503);
      await pause(300);
      proxy.restore();
      await until(async () => (await me()).status === 200);
    });
    expectHonest(responses);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 503]));
  });

  test('while it is away, the process stays alive and not ready, and rejects requests that need no database as before', async () => {
    proxy.cut();
    await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
    expect((await service.anonymous.get('/health/live')).status).toBe(200);
    expectApiError(await service.as('Bearer  malformed').get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(`flx_${'A'.repeat(36)}`).get('/v1/users/@me'), 'SERVICE_UNAVAILABLE');
    const input = { email: 'new@example.com', password: 'a long enough password' };
    expectApiError(await service.anonymous.post('/v1/auth/register', input), 'SERVICE_UNAVAILABLE');
    expectApiError(await service.anonymous.post('/v1/auth/login', input), 'SERVICE_UNAVAILABLE');
    proxy.restore();
    await until(async () => (await service.anonymous.get('/health/ready')).status === 200);
    expect((await service.anonymous.post('/v1/auth/register', input)).status).toBe(200);
  });

  test('disconnected immediately after the accept: 503, and the process stays alive', async () => {
    proxy.sendShutdown();
    await until(async () => (await me()).status === 503);
    const input = { email: 'hasty@example.com', password: 'a long enough password' };
    const register = () => service.anonymous.post('/v1/auth/register', input);
    expectHonest(await Promise.all(Array.from({ length: 8 }, me)));
    for (const response of await Promise.all(Array.from({ length: 8 }, register))) {
      expectApiError(response, 'SERVICE_UNAVAILABLE');
    }
    proxy.restore();
    await until(async () => (await service.anonymous.get('/health/ready')).status === 200);
    expect((await me()).status).toBe(200);
    expect((await register()).status).toBe(200);
  });

  test('silent: pending statements time out, and the service recovers by itself', async () => {
    proxy.stopForwarding();
    const responses = await Promise.all(Array.from({ length: 8 }, me));
    expectHonest(responses);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
    proxy.restore();
    await until(async () => (await me()).status === 200);
  });

  test('FLT-09 slow by 300 ms each way: successful responses are correct, others are 503, and the service recovers', async () => {
    proxy.delay(300);
    const emails = Array.from({ length: 8 }, (_, index) => `slow.${index}@example.com`);
    const password = 'a long enough password';
    const [reads, made] = await Promise.all([
      Promise.all(Array.from({ length: 48 }, me)),
      Promise.all(emails.map((email) => service.anonymous.post('/v1/auth/register', { email, password }))),
    ]);
    proxy.restore();
    expectHonest(reads);
    expect(reads.some(({ status }) => status === 200)).toBe(true);
    for (const [index, response] of made.entries()) {
      const rows = await service.sql('SELECT 1 FROM account WHERE email = $1', [emails[index]]);
      expect([response.status, rows.length]).toEqual(response.status === 200 ? [200, 1] : [503, 0]);
    }
    expectHonest(await meanwhile(() => pause(100).then(() => {})));
    await until(async () => (await me()).status === 200);
  });

  test('locked: callers wait a limited time, and later requests succeed', async () => {
    const holder = new PgClient({ connectionString: databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE account IN ACCESS EXCLUSIVE MODE');
      expectHonest(await Promise.all(Array.from({ length: 12 }, me)));
      await holder.query('ROLLBACK');
    } finally {
      await holder.end();
    }
    await until(async () => (await me()).status === 200);
    expectHonest(await meanwhile(() => pause(100).then(() => {})));
  });
});
