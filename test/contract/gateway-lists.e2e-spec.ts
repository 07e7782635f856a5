import { Redis } from 'ioredis';
import { Config } from '../../src/core/config/config.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { until } from '../machine/service-process.js';
import { advanceGateway, checkGatewayClock, GatewayClient, type Payload } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, person } from '../support/index.js';

const SESSIONS = 8;
const TRIM_SECONDS = 5;

type Identified = Awaited<ReturnType<typeof GatewayClient.identify>>;

/**
 * Creates an account whose sessions start one after another. Each start sends a list of sessions to all of them, with
 * no other event in between. Each client acknowledges every list. The first client does not acknowledge the last list.
 */
async function listed(services: readonly Gatehouse[]) {
  const who = await person(services[0] as Gatehouse);
  const clients: Identified[] = [];
  const lists: Payload[] = [];
  while (clients.length < SESSIONS) {
    clients.push(
      await GatewayClient.identify(services[clients.length % services.length] as Gatehouse, who.authorization),
    );
    for (const [index, { client }] of clients.entries()) {
      const list = await client.event('SESSIONS_REPLACE');
      expect(list.d).toHaveLength(clients.length + 1);
      if (index === 0) lists.push(list);
      await client.sendHeartbeat(index === 0 ? (lists.at(-2)?.s ?? null) : list.s);
    }
  }
  const [first] = clients as [Identified];
  return { who, first, clients, before: lists.at(-2) as Payload, last: lists.at(-1) as Payload };
}

/** Checks that a Resume of the first client replays the last list, which is the only unacknowledged one. */
async function expectLastList(service: Gatehouse, { who, first, before, last }: Awaited<ReturnType<typeof listed>>) {
  await first.client.terminate();
  const client = await GatewayClient.connect(service);
  client.resume(who.authorization, first.ready.session_id, before.s as number);
  expect(await client.next()).toMatchObject({ t: 'SESSIONS_REPLACE', s: last.s, d: last.d });
  expect((await client.next()).t).toBe('RESUMED');
}

describe('gateway 6: lists of sessions that no Resume can request', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('are not stored if no event is between them', async () => {
    const reported = await listed([service]);
    advanceGateway(service, TRIM_SECONDS);
    const metrics: string = (await service.anonymous.get('/metrics')).text;
    const kept = /^gatehouse_gateway_replay_bytes (\d+)$/m.exec(metrics)?.[1];
    expect(Number(kept)).toBe(JSON.stringify(reported.last.d).length);
    await expectLastList(service, reported);
  });
});

describeWithSharedStore('gateway 13: lists of sessions that no Resume can request', () => {
  const REDIS_URL = redisDatabase(3);
  let first: Gatehouse;
  let second: Gatehouse;
  let store: Redis;

  beforeAll(async () => {
    store = new Redis(REDIS_URL);
    await store.flushdb();
    const env = { REDIS_URL, GATEWAY_NUMBERS: JSON.stringify({ renew_ms: 100 }) };
    first = await gatehouse({ env });
    second = await gatehouse({ env: { ...env, DATABASE_URL: first.app.get(Config).databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    store.disconnect();
  });

  /** Returns the data that the store has for the account, and the total size that counts against the budget. */
  async function stored(accountId: string) {
    const [order, events] = await Promise.all([
      store.lrange(`gatehouse:gateway:{${accountId}}:order`, 0, -1),
      store.hgetall(`gatehouse:gateway:{${accountId}}:log`),
    ]);
    const { '#': bytes, '@': changes, ...payloads } = events;
    return { order, bytes: Number(bytes), payloads };
  }

  test('are not kept in the store, from any replica', async () => {
    const reported = await listed([first, second]);
    const text = `SESSIONS_REPLACE\n${JSON.stringify(reported.last.d)}`;
    await until(async () => {
      for (const service of [first, second]) {
        service.clock.advance({ seconds: 1 });
        checkGatewayClock(service);
      }
      return (await stored(reported.who.id)).order.length === 1;
    });
    const { order, bytes, payloads } = await stored(reported.who.id);
    expect(payloads).toEqual({ [order[0] as string]: text });
    expect(bytes).toBe(text.length);
    await expectLastList(second, reported);
  });
});
