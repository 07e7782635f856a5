import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Log } from '../../src/core/log.js';
import { RedisStore, SharedStore } from '../../src/platform/store/shared-store.js';
import { describeWithRedis, redisDatabase } from '../machine/redis.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse } from '../support/index.js';

const REDIS_URL = redisDatabase(9);

/** Longer than the service waits for a response from the store. */
const STANDS_STILL_MS = 600;

const wrong = { email: 'nobody@example.com', password: 'not a password of anybody' };
const attempt = (service: Gatehouse) => service.anonymous.post('/v1/auth/login', wrong);
const REFUSED = ['email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD'];

/** Waits for the connection to the store. A process opens it in the background and uses local counters until then. */
async function reached(store: SharedStore): Promise<void> {
  const client = new Redis(REDIS_URL);
  for (let n = 0; ; n++) {
    const key = `probe/${randomUUID()}`;
    await store.take(key, 1, 60);
    if ((await client.exists(`gatehouse:bucket:${key}`)) === 1) break;
    if (n === 1000) throw new Error('the service does not reach its store');
    await delay(20);
  }
  client.disconnect();
}

describeWithRedis('conventions 7.1 limits that replicas share', () => {
  let proxy: Server;
  const sockets = new Set<Socket>();
  let first: Gatehouse;
  let second: Gatehouse;

  beforeAll(async () => {
    const { hostname, port, pathname } = new URL(REDIS_URL);
    proxy = createServer((near) => {
      const far = connect(Number(port || 6379), hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const url = `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${pathname}`;
    const client = new Redis(REDIS_URL);
    await client.flushdb();
    client.disconnect();
    // The rate is so low that no capacity is restored while a test runs.
    const overrides = JSON.stringify({ 'auth:login': '10/86400' });
    const env = { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: overrides, REDIS_URL: url };
    first = await gatehouse({ env });
    second = await gatehouse({ env });
    for (const service of [first, second]) await reached(service.app.get(SharedStore));
  });
  afterAll(async () => {
    await first.close();
    await second.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  test('one bucket serves both processes, with the ordinary error', async () => {
    for (let i = 0; i < 6; i++) expectInvalid(await attempt(first), ...REFUSED);
    for (const remaining of [3, 2, 1, 0]) {
      const response = await attempt(second);
      expectInvalid(response, ...REFUSED);
      expect(response.headers.get('x-ratelimit-remaining')).toBe(String(remaining));
    }
    expectApiError(await attempt(second), 'RATE_LIMITED', { global: false });
    expectApiError(await attempt(first), 'RATE_LIMITED', { global: false });
  });

  test('an allowance that one process refunds is available to the other, and no bucket falls below empty', async () => {
    const [here, there] = [first.app.get(SharedStore), second.app.get(SharedStore)];
    const [key, empty] = [randomUUID(), randomUUID()];
    const take = async (store: SharedStore, name: string) => (await store.take(name, 1, 86_400)).admitted;
    expect([await take(here, key), await take(there, key)]).toEqual([true, false]);
    expect(await here.take(key, 1, 86_400, -1)).toMatchObject({ admitted: true, remaining: 1 });
    expect([await take(there, key), await take(here, key)]).toEqual([true, false]);
    await here.take(empty, 1, 86_400, -1);
    expect([await take(here, empty), await take(there, empty)]).toEqual([true, false]);
  });

  test('a process that was paused reads the pending responses of the store', async () => {
    const said: string[] = [];
    const log = { warn: (line: string) => said.push(line), info: () => {} } as unknown as Log;
    const [standing, other] = [await RedisStore.open(REDIS_URL, log), await RedisStore.open(REDIS_URL, log)];
    try {
      for (const store of [standing, other]) await reached(store);
      said.length = 0;
      for (let round = 0; round < 5; round++) {
        const key = randomUUID();
        await other.add(key, 1, 60);
        const requested = standing.add(key, 1, 60);
        for (let turns = 0; turns < round; turns++) await turn();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS);
        expect(await requested).toBe(2);
      }
      expect(said).toEqual([]);
    } finally {
      await Promise.all([standing.close(), other.close()]);
    }
  });

  test('while the store is unavailable, each process applies its own limits, without errors', async () => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) statuses.push((await attempt(first)).status);
    expect(statuses).toEqual([...Array(10).fill(400), ...Array(4).fill(429)]);
  });
});
