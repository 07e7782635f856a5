import { query } from '../machine/databases.js';
import { DedicatedServer, describeWithDedicatedPostgres } from '../machine/dedicated-server.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { expectApiError, type Persona, person } from '../support/index.js';

afterAll(endProcesses);

const READY_WITHIN_MS = 5000;

describeWithDedicatedPostgres('conventions.md 12: several hosts in DATABASE_URL', () => {
  let primary: DedicatedServer;
  let standby: DedicatedServer;
  let service: ServiceProcess;
  let user: Persona;
  const acknowledged: string[] = [];

  beforeAll(async () => {
    primary = await DedicatedServer.postgres();
    standby = await DedicatedServer.standbyOf(primary);
    await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await query(primary.url, 'SELECT pg_reload_conf()');
    await until(async () => {
      const [row] = await query(primary.url, 'SELECT sync_state AS state FROM pg_stat_replication');
      return row?.state === 'sync';
    });
    // The standby comes first, so that the writable host must be found.
    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',');
    service = await ServiceProcess.ready({ DATABASE_URL: `postgres://gatehouse@${hosts}/postgres` });
    user = await person(service);
  });
  afterAll(async () => {
    await service.stop();
    await primary.close();
    await standby.close();
  });

  /** Changes the account and remembers the change if it was acknowledged. */
  async function change(index: number): Promise<number> {
    const name = `Name ${index}`;
    const response = await service.as(user).patch('/v1/users/@me', { global_name: name });
    if (response.status === 200) acknowledged.push(name);
    else expectApiError(response, 'SERVICE_UNAVAILABLE');
    return response.status;
  }

  test('a change that no standby has received is not acknowledged', async () => {
    expect(await change(0)).toBe(200);
    standby.pause();
    expect(await change(1)).toBe(503);
    standby.resume();
    await until(async () => (await change(2)) === 200);
  });

  test('primary killed, standby promoted: ready within 5 s of the promotion, and nothing acknowledged is lost', async () => {
    for (let index = 10; index < 30; index++) expect(await change(index)).toBe(200);
    await primary.stop('SIGKILL');
    expect(await change(30)).toBe(503);
    await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
    await query(standby.url, "ALTER SYSTEM SET synchronous_standby_names = ''");
    await query(standby.url, 'SELECT pg_promote()');
    const promoted = performance.now();
    await until(async () => (await service.anonymous.get('/health/ready')).status === 200);
    await until(async () => (await service.as(user).get('/v1/users/@me')).status === 200);
    expect(performance.now() - promoted).toBeLessThan(READY_WITHIN_MS);
    const me = await service.as(user).get('/v1/users/@me');
    expect(me.body.global_name).toBe(acknowledged.at(-1));
    expect(await change(31)).toBe(200);
  });
});
