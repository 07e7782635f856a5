import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../machine/ports.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeUnless, missing } from '../machine/programs.js';
import { endProcesses, identify, ServiceProcess, until } from '../machine/service-process.js';
import { SHIPPED_PROXIES, startShipped } from '../machine/shipped-proxies.js';
import { openTestDatabase } from '../support/gatehouse.js';
import { type Persona, person } from '../support/index.js';

afterAll(endProcesses);

/** The report of the guide has 10,000. */
const REQUESTS = Number(process.env.ROLLING_REQUESTS ?? 1500);
const CLIENTS = 4;
/** The proxies ask for the health of a replica every second. */
const NOTICED_MS = 2500;

describeOnPostgres('docs/guides/operators/proxies.md: a rolling restart loses no request', () => {
  describe.each(SHIPPED_PROXIES)('%s', (name) => {
    describeUnless(missing(name))('with the shipped configuration', () => {
      test('two replicas restart one after the other under load', async () => {
        const database = await openTestDatabase();
        const ports = [await freePort(), await freePort()] as const;
        // The default of DRAIN_SECONDS.
        const start = (port: number) =>
          ServiceProcess.ready({ DATABASE_URL: database.databaseUrl, PORT: String(port), DRAIN_SECONDS: undefined });
        const replicas = await Promise.all(ports.map(start));
        const proxy = await startShipped(name, ports);
        const users: Persona[] = [];
        for (let index = 0; index < CLIENTS; index++) users.push(await person(replicas[0] as ServiceProcess));

        const lost: string[] = [];
        let answered = 0;
        let isOver = false;
        const work = users.map(async ({ authorization }, client) => {
          for (let index = 0; !isOver || answered < REQUESTS; index++) {
            const change = { method: 'PATCH', body: JSON.stringify({ global_name: `Name ${client} ${index}` }) };
            const headers = { authorization, 'content-type': 'application/json' };
            const request = { headers, ...(index % 4 === 0 ? change : {}) };
            const response = await fetch(`${proxy.url}/v1/users/@me`, request).catch(String);
            if (typeof response === 'string') lost.push(response);
            else if (response.status !== 200) lost.push(`${response.status} ${await response.text()}`);
            else {
              const { global_name } = (await response.json()) as { global_name: string };
              // Each change is there in the next response.
              const last = `Name ${client} ${index - (index % 4)}`;
              if (global_name !== last) lost.push(`${global_name} instead of ${last}`);
            }
            answered++;
          }
        });
        for (const [index, port] of ports.entries()) {
          expect(await replicas[index]?.stop()).toBe(0);
          replicas[index] = await start(port);
          await until(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200);
          await delay(NOTICED_MS);
        }
        isOver = true;
        await Promise.all(work);
        await proxy.close();
        await Promise.all(replicas.map((replica) => replica.stop('SIGINT')));
        await database.release();
        expect({ lost, answered }).toEqual({ lost: [], answered: expect.any(Number) });
        expect(answered).toBeGreaterThanOrEqual(REQUESTS);
      });
    });
  });
});

describeOnPostgres('docs/guides/operators/replicas.md: DRAIN_SECONDS', () => {
  test.each(['1', '2'])(
    'SIGTERM with WORKERS=%s: not ready, and requests are served until the time is over',
    async (workers) => {
      const database = await openTestDatabase();
      const service = await ServiceProcess.ready({
        DATABASE_URL: database.databaseUrl,
        DRAIN_SECONDS: '3',
        WORKERS: workers,
      });
      const user = await person(service);
      const { closed } = await identify(service, user.authorization);
      service.child.kill('SIGTERM');
      const started = performance.now();
      await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
      await closed;
      const me = await service.as(user).get('/v1/users/@me');
      expect(me.status).toBe(200);
      expect(me.headers.get('connection')).toBe('close');
      expect(await service.exited).toBe(0);
      expect(performance.now() - started).toBeGreaterThan(2900);
      await database.release();
    },
  );

  test('SIGINT ends the process without waiting', async () => {
    const database = await openTestDatabase();
    const service = await ServiceProcess.ready({ DATABASE_URL: database.databaseUrl, DRAIN_SECONDS: '600' });
    expect(await service.stop('SIGINT')).toBe(0);
    await database.release();
  });
});
