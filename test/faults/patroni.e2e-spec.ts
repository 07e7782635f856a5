import { describeWithPatroni, PatroniCluster } from '../machine/patroni.js';
import { endProcesses, identify, ServiceProcess, until } from '../machine/service-process.js';
import { expectApiError, type Persona, person } from '../support/index.js';

afterAll(endProcesses);

/** Three times the target of 5 s, because other tests use the processors. On an idle machine it takes 1.2 to 3.2 s. */
const READY_WITHIN_MS = 15_000;

describeWithPatroni('conventions.md 12: failover of Patroni with etcd and HAProxy', () => {
  let cluster: PatroniCluster;
  let services: readonly ServiceProcess[];
  let user: Persona;
  /** The number in the name that the last acknowledged change gave the user. */
  let acknowledged = 0;
  let requested = 0;

  beforeAll(async () => {
    cluster = await PatroniCluster.start();
    const [a, b] = cluster.nodes;
    const hosts = [`127.0.0.1:${cluster.port}`, `127.0.0.1:${b.port},127.0.0.1:${a.port}`];
    // One service goes through HAProxy, and the other finds the primary among the hosts.
    services = await Promise.all(
      hosts.map((host) => ServiceProcess.ready({ DATABASE_URL: `postgres://gatehouse@${host}/postgres` })),
    );
    user = await person(services[0] as ServiceProcess);
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await cluster.close();
  });

  async function change(service: ServiceProcess): Promise<boolean> {
    requested++;
    const name = requested;
    const response = await service.as(user).patch('/v1/users/@me', { global_name: `Name ${name}` });
    if (response.status === 200) acknowledged = name;
    else expectApiError(response, 'SERVICE_UNAVAILABLE');
    return response.status === 200;
  }

  /** Both services change the account in turn, until `stop` is called. */
  function changes(): { stop(): Promise<void> } {
    let isOver = false;
    const work = (async () => {
      while (!isOver) for (const service of services) await change(service);
    })();
    return {
      stop() {
        isOver = true;
        return work;
      },
    };
  }

  const isReady = async (service: ServiceProcess): Promise<boolean> =>
    (await service.anonymous.get('/health/ready')).status === 200;

  /** Waits for the promotion and checks what clients see from then on. */
  async function expectTakenOver(next: PatroniCluster['nodes'][number]): Promise<void> {
    await until(() => next.is('primary'));
    const promoted = performance.now();
    for (const service of services) await until(() => isReady(service));
    expect(performance.now() - promoted).toBeLessThan(READY_WITHIN_MS);
  }

  async function expectNothingLost(): Promise<void> {
    for (const service of services) {
      const me = await service.as(user).get('/v1/users/@me');
      expect(me.status).toBe(200);
      // A change whose answer was lost may have been made.
      expect(Number(String(me.body.global_name).slice('Name '.length))).toBeGreaterThanOrEqual(acknowledged);
      await until(() => change(service));
    }
  }

  /** Opens a gateway session on each service and returns what waits until each has received a later change. */
  async function listeners(): Promise<() => Promise<void>> {
    const sessions = await Promise.all(services.map((service) => identify(service, user.authorization)));
    return async () => {
      for (const [index, { socket, closed }] of sessions.entries()) {
        const received = new Promise<void>((resolve) => {
          socket.on('message', (data) => {
            const { t, d } = JSON.parse(String(data));
            if (t === 'USER_UPDATE' && Number(String(d.global_name).slice('Name '.length)) >= acknowledged) resolve();
          });
        });
        // A session that may have missed events is closed, so that its client starts a new one.
        const [service] = [services[index] as ServiceProcess];
        await until(() => change(service));
        await Promise.race([received, closed]);
        socket.close();
      }
    };
  }

  const roles = async (): Promise<PatroniCluster['nodes']> => {
    const [a, b] = cluster.nodes;
    return (await a.is('primary')) ? [a, b] : [b, a];
  };

  test('the primary is killed', async () => {
    const [primary, standby] = await roles();
    const received = await listeners();
    const load = changes();
    await until(() => acknowledged > 20);
    primary.kill();
    await expectTakenOver(standby);
    await load.stop();
    await expectNothingLost();
    await received();
    primary.start();
    await until(() => primary.is('synchronous'));
  });

  test('the roles are switched', async () => {
    const [primary, standby] = await roles();
    const received = await listeners();
    const load = changes();
    await primary.switchover(standby);
    await expectTakenOver(standby);
    await load.stop();
    await expectNothingLost();
    await received();
    await until(() => primary.is('synchronous'));
  });

  test('the primary is cut off and comes back as a standby', async () => {
    const [primary, standby] = await roles();
    const load = changes();
    primary.cutOff();
    await expectTakenOver(standby);
    primary.resume();
    await until(() => primary.is('synchronous'));
    await load.stop();
    await expectNothingLost();
    expect(await primary.is('primary')).toBe(false);
  });
});
