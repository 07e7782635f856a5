import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { Log } from '../../src/core/log.js';
import { NoticeConnection } from '../../src/platform/replicas/notice-connection.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, identified, ServiceProcess } from '../machine/service-process.js';
import { type Answer, copyOfTemplate, person } from '../support/index.js';

/** Longer than each of the service's timeouts for database responses. */
const STANDS_STILL_MS = 5500;
/** Which requests are in progress at a pause is random, so the test repeats it. All of them must succeed. */
const TIMES = 2;

afterAll(endProcesses);

describeOnPostgres('a process that stood still', () => {
  test('reads what came meanwhile before it gives a connection up', async () => {
    const log = { warn: jest.fn() };
    const url = (await copyOfTemplate()) as string;
    const connection = new NoticeConnection(url, undefined, log as unknown as Log, {
      onNotification() {},
      onReconnect() {},
    });
    await connection.open();
    try {
      const worker = connection.workerId;
      const asked = connection.query('pause', 'SELECT 1 AS one', []);
      await turn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS);
      expect(await asked).toEqual([{ one: 1 }]);
      expect([connection.workerId, log.warn.mock.calls]).toEqual([worker, []]);
    } finally {
      await connection.close();
    }
  });

  test('as on a machine that was suspended refuses nobody afterwards: what it waited for has come meanwhile', async () => {
    const service = await ServiceProcess.ready({ DATABASE_URL: await copyOfTemplate(), LOG_LEVEL: 'warn' });
    // Each caller has its own account. Requests for one account would wait for the lock of a suspended transaction and
    // time out.
    const people = await Promise.all(['ada', 'ben', 'cem', 'dee'].map((name) => person(service, name)));
    const { socket, closed } = await identified(service, (await person(service, 'bob')).authorization);
    const answers: Answer[] = [];
    let running = true;
    const callers = people.map(async (one) => {
      const client = service.as(one);
      for (let n = 0; running; n++) {
        answers.push(await client.patch('/v1/users/@me/settings', { theme: n % 2 ? 'dark' : 'light' }));
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
    expect(answers.filter(({ status }) => status !== 200).map(({ status, text }) => [status, text])).toEqual([]);
    expect((await person(service, 'carol')).id).toMatch(/^\d+$/);
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    expect(service.out + service.err).not.toContain('was lost');
    expect(await Promise.race([closed, pause(100, 'open')])).toBe('open');
    socket.close();
  });
});
