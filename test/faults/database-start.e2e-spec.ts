import { DedicatedServer, describeWithDedicatedPostgres } from '../machine/dedicated-server.js';
import { freePort } from '../machine/ports.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { Client, expectApiError, person } from '../support/index.js';

afterAll(endProcesses);

const responds = (client: Client): Promise<boolean> =>
  client.get('/health/live').then(
    ({ status }) => status === 200,
    () => false,
  );

describeWithDedicatedPostgres('conventions.md 12: a start while the database is away', () => {
  let postgres: DedicatedServer;
  beforeAll(async () => {
    postgres = await DedicatedServer.postgres();
  });
  afterAll(() => postgres.close());

  test('waits, alive and not ready, and serves when the database is back', async () => {
    await postgres.stop('SIGINT');
    const port = await freePort();
    const service = ServiceProcess.start({ DATABASE_URL: postgres.url, PORT: String(port), LOG_LEVEL: 'info' });
    const client = new Client(`http://127.0.0.1:${port}`, undefined, []);
    await until(() => responds(client));
    const ready = await client.get('/health/ready');
    expectApiError(ready, 'SERVICE_UNAVAILABLE');
    expect(ready.headers.get('retry-after')).toBe('5');
    expectApiError(
      await client.post('/v1/auth/login', { email: 'a@example.com', password: 'x' }),
      'SERVICE_UNAVAILABLE',
    );
    expect(service.out).toContain('the database is unavailable: waiting for it');
    await postgres.start();
    await service.waitForBanner();
    expect(service.out).toContain('the database is available');
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    const user = await person(service);
    expect((await service.as(user).get('/v1/users/@me')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  test('stops with the reason when DATABASE_WAIT_SECONDS are over', async () => {
    const url = `postgres://gatehouse@127.0.0.1:${await freePort()}/postgres`;
    const service = ServiceProcess.start({ DATABASE_URL: url, DATABASE_WAIT_SECONDS: '2' });
    const begun = performance.now();
    expect(await service.exited).toBe(1);
    expect(performance.now() - begun).toBeGreaterThan(2000);
    expect(service.err).toMatch(/^Connecting to the database failed: connect ECONNREFUSED/);
  });

  test('SIGTERM ends the wait', async () => {
    const [port, closed] = [await freePort(), await freePort()];
    const service = ServiceProcess.start({
      DATABASE_URL: `postgres://gatehouse@127.0.0.1:${closed}/postgres`,
      PORT: String(port),
    });
    await until(() => responds(new Client(`http://127.0.0.1:${port}`, undefined, [])));
    expect(await service.stop()).toBe(0);
  });

  test('a database that does not exist stops the start immediately', async () => {
    const url = Object.assign(new URL(postgres.url), { pathname: '/missing' }).href;
    const service = ServiceProcess.start({ DATABASE_URL: url });
    expect(await service.exited).toBe(1);
    expect(service.err).toContain('Connecting to the database failed: database "missing" does not exist');
  });
});
