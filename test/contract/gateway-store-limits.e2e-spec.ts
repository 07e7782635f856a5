import { Redis } from 'ioredis';
import { Config } from '../../src/core/config/config.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { GatewayClient } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, person } from '../support/index.js';

const REDIS_URL = redisDatabase(13);

const LIMITS = {
  sockets_per_address: 4,
  payloads_per_session: 8,
  payloads_per_address: 24,
  attempts_per_address: 5,
  renew_ms: 250,
};

describeWithSharedStore('gateway 10 and 13: limits span replicas', () => {
  let first: Gatehouse;
  let second: Gatehouse;
  let store: Redis;

  beforeAll(async () => {
    store = new Redis(REDIS_URL);
    const env = { REDIS_URL, RATE_LIMITS: 'on', GATEWAY_NUMBERS: JSON.stringify(LIMITS) };
    first = await gatehouse({ env });
    second = await gatehouse({ env: { ...env, DATABASE_URL: first.app.get(Config).databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    store.disconnect();
  });
  // Resets the limits that the previous test used. The store has its own clock, which tests cannot advance.
  beforeEach(() => store.flushdb());

  /**
   * Repeats a test if the store took longer than its timeout in the meantime. From then on, each process uses its own
   * counts, which is not what these tests are about.
   */
  const whileStoreResponds = (work: () => Promise<void>) => async () => {
    for (let attempt = 1; ; attempt++) {
      const starts = [first, second].map(({ log }) => log.length);
      try {
        return await work();
      } catch (error) {
        const lines = [first, second].flatMap(({ log }, n) => log.slice(starts[n]));
        if (attempt === 5 || !lines.some((line) => line.includes('Redis does not respond'))) throw error;
      }
      await store.flushdb();
    }
  };

  /** Sends `count` heartbeats and returns how many were acknowledged before the connection closed. */
  async function beats(client: GatewayClient, count: number): Promise<number> {
    const acknowledged = () => client.received.filter(({ op }) => op === 11).length;
    const before = acknowledged();
    for (let sent = 0; sent < count; sent++) client.send({ op: 1 });
    while (client.socket.readyState === 1 && acknowledged() < before + count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return acknowledged() - before;
  }

  test(
    'sockets per IP address, until one ends; nothing is sent before',
    whileStoreResponds(async () => {
      const clients = [];
      for (const service of [first, second, first, second]) clients.push(await GatewayClient.connect(service));
      for (const service of [first, second]) {
        const extra = await GatewayClient.open(service);
        expect(await extra.closed()).toEqual([4008, 'Too many connections']);
        expect(extra.received).toEqual([]);
      }
      await clients.pop()?.terminate();
      let next = await GatewayClient.open(first);
      while ((await next.next().catch(() => null)) === null) next = await GatewayClient.open(first);
      for (const client of [...clients, next]) await client.terminate();
    }),
  );

  test(
    'payloads per session, on any replica',
    whileStoreResponds(async () => {
      const who = await person(first);
      const { client, ready } = await GatewayClient.identify(first, who.authorization);
      expect(await beats(client, 5)).toBe(5);
      await client.terminate();
      const other = await GatewayClient.connect(second);
      other.resume(who.authorization, ready.session_id, 1);
      await other.event('RESUMED');
      expect(await beats(other, 10)).toBe(3);
      expect(await other.closed()).toEqual([4008, 'Rate limited']);
    }),
  );

  test(
    'payloads per IP address; a burst beyond the queue limit is only counted',
    whileStoreResponds(async () => {
      const [one, two] = [await GatewayClient.connect(first), await GatewayClient.connect(second)];
      expect(await beats(one, 10)).toBe(10);
      expect(await beats(two, 60)).toBe(14);
      expect(await two.closed()).toEqual([4008, 'Rate limited']);
      expect(await beats(one, 1)).toBe(0);
      expect(await one.closed()).toEqual([4008, 'Rate limited']);
    }),
  );

  test(
    'Identify and Resume attempts beyond the budget of the IP address are dropped on every replica',
    whileStoreResponds(async () => {
      for (let sent = 0; sent < LIMITS.attempts_per_address; sent++) {
        const client = await GatewayClient.connect(sent % 2 ? first : second);
        client.send({ op: 2, d: null });
        expect(await client.closed()).toEqual([4002, 'Invalid identify payload']);
      }
      for (const service of [first, second]) {
        const client = await GatewayClient.connect(service);
        client.send({ op: 2, d: null });
        await client.sendHeartbeat();
        await client.terminate();
      }
    }),
  );
});
