import { randomBytes } from 'node:crypto';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { Log } from '../../src/core/log.js';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { NoticeConnection } from '../../src/platform/replicas/notice-connection.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, identify, ServiceProcess } from '../machine/service-process.js';
import { copyTemplate, person, type TestResponse } from '../support/index.js';

/** Longer than each of the service's timeouts for database responses. */
const STANDS_STILL_MS = 5500;
/** Which requests are in progress at a pause is random, so the test repeats it. All of them must succeed. */
const TIMES = 2;

afterAll(endProcesses);

describeOnPostgres('a process that was paused', () => {
  test('reads pending responses before it closes a connection', async () => {
    const log = { warn: jest.fn() };
    const url = (await copyTemplate()) as string;
    const connection = new NoticeConnection(url, undefined, log as unknown as Log, {
      onNotification() {},
      onReconnect() {},
    });
    await connection.open();
    try {
      const worker = connection.workerId;
      const requested = connection.query('pause', 'SELECT 1 AS one', []);
      await turn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS);
      expect(await requested).toEqual([{ one: 1 }]);
      expect([connection.workerId, log.warn.mock.calls]).toEqual([worker, []]);
    } finally {
      await connection.close();
    }
  });

  test.each([
    ['a new connection', '2', 'SELECT 1'],
    ['a connection that others use', '1', 'SELECT pg_sleep(0.2)'],
  ])('waits for %s again', async (_, DATABASE_POOL_SIZE, first) => {
    const url = (await copyTemplate()) as string;
    const database = await Database.open(
      loadConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE, GATEHOUSE_SECRET: randomBytes(32).toString('base64') }),
      databaseSchema(),
    );
    try {
      const both = Promise.all([database.manager.query(first), database.manager.query('SELECT 2 AS two')]);
      await turn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS);
      expect((await both)[1]).toEqual([{ two: 2 }]);
    } finally {
      await database.close();
    }
  });

  test('like a suspended machine rejects no user afterwards, because the responses have arrived', async () => {
    const service = await ServiceProcess.ready({ DATABASE_URL: await copyTemplate(), LOG_LEVEL: 'warn' });
    // Each caller has its own account. Requests for one account would wait for the lock of a suspended transaction and
    // time out.
    const people = await Promise.all(['ada', 'ben', 'cem', 'dee'].map((name) => person(service, name)));
    const { socket, closed } = await identify(service, (await person(service, 'bob')).authorization);
    const responses: TestResponse[] = [];
    let running = true;
    const callers = people.map(async (one) => {
      const client = service.as(one);
      for (let n = 0; running; n++) {
        responses.push(await client.patch('/v1/users/@me/settings', { theme: n % 2 ? 'dark' : 'light' }));
      }
    });
    for (let n = 0; n < TIMES; n++) {
      await pause(500 + n);
      service.child.kill('SIGSTOP');
      await pause(STANDS_STILL_MS);
      service.child.kill('SIGCONT');
    }
    await pause(1000);
    running = false;
    await Promise.all(callers);
    const failed = responses.filter(({ status }) => status !== 200);
    expect(failed.map(({ body }) => service.out.split('\n').filter((line) => line.includes(body.request_id)))).toEqual(
      [],
    );
    expect((await person(service, 'carol')).id).toMatch(/^\d+$/);
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    expect(service.out + service.err).not.toContain('was lost');
    expect(await Promise.race([closed, pause(100, 'open')])).toBe('open');
    socket.close();
  });
});
