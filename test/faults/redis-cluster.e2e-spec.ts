import { jest } from '@jest/globals';
import { migratedDatabase } from '../machine/databases.js';
import { RedisCluster } from '../machine/redis-groups.js';
import {
  describeWithStoreGroup,
  expectNoSilentLoss,
  NumberedEvents,
  numbersOf,
  sharesLimits,
} from '../machine/redis-load.js';
import { ResumingClient } from '../machine/resuming-client.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { type Persona, person, signIn } from '../support/index.js';

jest.setTimeout(150_000);

const ACCOUNTS = 6;
/** A third of the slots that the first of three nodes has. */
const MOVED_SLOTS = 1800;

describeWithStoreGroup('conventions.md 12 and gateway 13: Redis Cluster', () => {
  let cluster: RedisCluster;
  let replicas: [ServiceProcess, ServiceProcess];

  beforeAll(async () => {
    cluster = await RedisCluster.start(true);
    const env = {
      ...(await migratedDatabase()),
      REDIS_URL: cluster.url,
      RATE_LIMITS: 'on',
      RATE_LIMIT_OVERRIDES: NumberedEvents.LIMITS,
      GATEWAY_NUMBERS: NumberedEvents.GATEWAY_NUMBERS,
    };
    const first = await ServiceProcess.ready(env);
    replicas = [first, await ServiceProcess.ready(env)];
  });
  afterAll(async () => {
    await endProcesses();
    await cluster.close();
  });

  interface Load {
    readonly who: Persona;
    readonly events: NumberedEvents;
    readonly clients: ResumingClient[];
  }

  /** Starts sessions of some accounts and events for each. */
  function startLoad(): Promise<Load[]> {
    const [first] = replicas;
    return Promise.all(
      Array.from({ length: ACCOUNTS }, async () => {
        const who = await person(first);
        const events = await NumberedEvents.start(first, who);
        const clients = [0, 1].map(
          (n) => new ResumingClient(who.authorization, () => replicas[n] as ServiceProcess, ['SESSIONS_REPLACE']),
        );
        await Promise.all(clients.map((client) => client.start()));
        await events.pass(3);
        return { who, events, clients };
      }),
    );
  }

  /** Ends the load when all clients have received the last event. Returns the number of events and of lost sessions. */
  async function endLoad(loads: readonly Load[]): Promise<{ events: number; lost: number }> {
    let [total, lost] = [0, 0];
    for (const { events, clients } of loads) {
      const last = await events.stop();
      total += last;
      for (const client of clients) {
        await until(() => client.isOpen && client.isAttached && numbersOf(client).at(-1) === last);
        expectNoSilentLoss(client);
        lost += client.invalidations;
        client.close();
      }
    }
    return { events: total, lost };
  }

  test('processes share limits, sessions resume on the other process, and keys are on every node', async () => {
    const [first, second] = replicas;
    await until(() => sharesLimits(first, second));
    const loads = await startLoad();
    for (const { clients } of loads) for (const client of clients) client.drop();
    const { lost } = await endLoad(loads);
    expect(lost).toBe(0);
    const sizes = await Promise.all((await cluster.primaries()).map(({ client }) => client.dbsize()));
    expect(sizes).toHaveLength(3);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  test('a revocation removes the sessions of all processes', async () => {
    const [first, second] = replicas;
    const who = await person(first);
    const token = await signIn(first, who);
    const client = new ResumingClient(token, () => second);
    await client.start();
    expect((await first.as(token).post('/v1/auth/logout')).status).toBe(204);
    await until(() => (client.ends.get(4004) ?? 0) > 0);
    client.close();
  });

  test('resharding under load loses no session, no event and no counter', async () => {
    const [first, second] = replicas;
    const loads = await startLoad();
    const startedAt = performance.now();
    let isOver = false;
    const dropping = (async () => {
      for (let n = 0; !isOver; n++) {
        const client = loads[n % ACCOUNTS]?.clients[n % 2];
        if (client?.isAttached) client.drop();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    await cluster.reshard(MOVED_SLOTS);
    isOver = true;
    await dropping;
    expect(await sharesLimits(first, second)).toBe(true);
    const { events, lost } = await endLoad(loads);
    const ms = (performance.now() - startedAt).toFixed(0);
    process.stdout.write(
      `${MOVED_SLOTS} slots moved in ${ms} ms under load: ${events} events, ${lost} sessions lost\n`,
    );
    expect(lost).toBe(0);
    for (const { child, err } of replicas) expect([child.exitCode, err]).toEqual([null, '']);
  });

  test.each([
    ['killed', (node: RedisCluster['nodes'][number]) => node.kill()],
    ['unresponsive', async (node: RedisCluster['nodes'][number]) => node.pause()],
  ])('a primary that is %s: no restart, and no event is lost without op 9', async (how, fail) => {
    const [first, second] = replicas;
    await cluster.whenOk();
    const loads = await startLoad();
    const [former] = await cluster.primaries();
    if (!former) throw new Error('no primary');
    const failedAt = performance.now();
    await fail(former);
    await cluster.whenPromoted(former);
    const promotedAt = performance.now();
    for (const { clients } of loads) clients[0]?.drop();
    await until(() => sharesLimits(first, second));
    const sharedAt = performance.now();
    for (const { events } of loads) await events.pass(5);
    const { events, lost } = await endLoad(loads);
    const ms = (from: number, to: number) => `${(to - from).toFixed(0)} ms`;
    process.stdout.write(
      `node ${how}: promoted after ${ms(failedAt, promotedAt)}, limits shared ${ms(promotedAt, sharedAt)} later; ` +
        `${events} events, ${lost} of ${2 * ACCOUNTS} sessions started again\n`,
    );
    await former.revive();
    for (const { child, err } of replicas) expect([child.exitCode, err]).toEqual([null, '']);
  });
});
