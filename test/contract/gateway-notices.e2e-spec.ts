import { Module } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Config } from '../../src/config.js';
import { LiveSessions } from '../../src/gateway/live-sessions.service.js';
import { Replica } from '../../src/platform/replica.js';
import { Detour } from '../machine/detour.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { until } from '../machine/service-process.js';
import { administrator } from '../support/admin.js';
import { GatewayClient } from '../support/gateway-client.js';
import { expectRefusal, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

/** Of this file alone: connections are counted. */
const DATABASE = 14;
const REDIS_URL = redisDatabase(DATABASE);
const PROXY = '127.0.70.1';
const ENTRIES = '/v1/admin/blocklists/ip/entries';
// So seldom that no socket is closed because its credential was looked up again.
const NUMBERS = { recheck_ms: 3_600_000, unchecked_ms: 3_600_000 };

describeWithSharedStore('gateway 13: notices travel by PostgreSQL and by Redis', () => {
  let env: Record<string, string>;
  let first: Gatehouse;
  let second: Gatehouse;
  let toDatabase: Detour;
  let toRedis: Detour;
  let store: Redis;
  let root: Persona;
  let addresses = 0;

  beforeAll(async () => {
    store = new Redis(REDIS_URL);
    const redisWay = await Detour.to(REDIS_URL, 6379);
    toRedis = redisWay.detour;
    env = { REDIS_URL: redisWay.url, TRUSTED_PROXIES: PROXY, GATEWAY_NUMBERS: JSON.stringify(NUMBERS) };
    first = await gatehouse({ env });
    const databaseWay = await Detour.to(first.app.get(Config).databaseUrl ?? '', 5432);
    toDatabase = databaseWay.detour;
    env.DATABASE_URL = databaseWay.url;
    second = await gatehouse({ env });
    root = await administrator(first, '*');
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    toDatabase.close();
    toRedis.close();
    store.disconnect();
  });
  beforeEach(async () => {
    await listening(2);
    await until(() => [first, second].every((service) => wayOf(service).sender.status === 'ready'));
  });
  afterEach(async () => {
    toDatabase.mend();
    toRedis.cut();
    await listening(0);
    toRedis.mend();
    await until(() => isConnected());
  });

  const isConnected = () => second.app.get(Replica).isConnected;
  const clients = async () =>
    String(await store.client('LIST'))
      .split('\n')
      .filter((line) => line.includes(` db=${DATABASE} `));
  /** So many replicas hear by Redis. */
  const listening = (count: number) =>
    until(async () => (await clients()).filter((line) => line.includes(' sub=1 ')).length === count);

  interface Way {
    readonly channel: string;
    readonly sender: Redis;
  }
  const wayOf = ({ app }: Gatehouse) => (app.get(Replica) as unknown as { secondWay: Way }).secondWay;
  const channel = () => wayOf(first).channel;

  async function withoutNotify(): Promise<void> {
    toDatabase.cutThose('gatehouse notices');
    await until(() => !isConnected());
  }

  async function ban(): Promise<string> {
    const ip = `203.0.113.${++addresses}`;
    expect((await first.as(root).post(ENTRIES, { ip })).status).toBe(204);
    return ip;
  }
  const visit = (address: string) =>
    second.anonymous.from(PROXY).with({ 'x-forwarded-for': address }).get('/.well-known/service');

  /** A ban, its end, a setting and a revocation at the first replica reach the second. */
  async function expectHeard({ client, who }: { client: GatewayClient; who: Persona }): Promise<void> {
    const address = await ban();
    await until(async () => (await visit(address)).status !== 200);
    expectRefusal(await visit(address), 'GLOBAL_IP_BANNED');
    expect((await first.as(root).delete(`${ENTRIES}/${address}`)).status).toBe(204);
    await until(async () => (await visit(address)).status === 200);

    for (const mode of ['closed', 'open']) {
      const { status } = await first.as(root).patch('/v1/admin/instance/config', { registration: { mode } });
      expect(status).toBe(200);
      const told = async () => (await second.anonymous.get('/.well-known/service')).body.registration.mode;
      await until(async () => (await told()) === mode);
    }

    await client.beat();
    expect((await first.as(who).post('/v1/auth/logout')).status).toBe(204);
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
  }

  /** No session starts until the store, which was out with Redis, answers again. */
  async function connected() {
    const who = await person(first);
    for (;;) {
      const socket = await GatewayClient.identified(second, who.authorization).catch(() => null);
      if (socket) return { who, ...socket };
    }
  }

  test('a replica whose connection for notices does not come back hears of them by Redis', async () => {
    const socket = await connected();
    const session = second.app.get(LiveSessions).find(socket.ready.session_id);
    const before = second.clock.monotonic();
    await withoutNotify();
    // The look-up that every loss causes is over; the next one is an hour away.
    await until(() => (session?.checkedAt ?? 0) > before);
    await expectHeard(socket);
    expect(isConnected()).toBe(false);
  });

  test('a replica that has no Redis hears of them by PostgreSQL', async () => {
    const socket = await connected();
    toRedis.cut();
    await listening(0);
    await expectHeard(socket);
  });

  test('a Redis that swallows everything fails no operation and keeps no notice back', async () => {
    const socket = await connected();
    toRedis.swallow();
    await expectHeard(socket);
  });

  test('a notice that arrives both ways is handled once; who takes no part in Redis hears it from PostgreSQL', async () => {
    const early: string[] = [];
    const plain: string[] = [];
    const addTo = (list: string[]) => (data: Record<string, unknown>) => void list.push(...(data.values as string[]));
    second.app.get(Replica).on('ip-ban', addTo(early), { early: true });
    second.app.get(Replica).on('ip-ban', addTo(plain));
    const both: string[] = [];
    for (let n = 0; n < 10; n++) both.push(await ban());
    await until(() => plain.length === both.length);
    // What Redis delivers comes in the order in which it was sent.
    await withoutNotify();
    const last = await ban();
    await until(() => early.includes(last));
    expect(early.sort()).toEqual([...both, last].sort());
    expect(plain).toEqual(both);
  });

  test('what somebody else writes to the channel changes nothing', async () => {
    const heard: unknown[] = [];
    let resyncs = 0;
    second.app.get(Replica).on('ip-ban', ({ values }) => void heard.push(values), { early: true });
    second.app.get(Replica).on('resync', () => void resyncs++);
    const { client, ready, who } = await connected();
    await client.event('SESSIONS_REPLACE');
    const banned = await ban();
    const free = `203.0.113.${++addresses}`;
    await until(async () => (await visit(banned)).status === 403);
    const forged = (topic: string, data: unknown, id: unknown = `${topic}${Math.random()}`) =>
      JSON.stringify({ origin: 'somebody', id, topic, data });
    const event = { type: 'WEBHOOKS_UPDATE', account_id: who.id, d: { webhook_id: '1', action: 'update' } };
    const messages = [
      ...['', 'x', '{', 'null', '[]', '{}', '7', JSON.stringify({ topic: 'ip-ban', data: { values: [banned] } })],
      ...[forged('ip-ban', null), forged('ip-ban', 'x'), forged('ip-ban', { values: [banned] }, 7)],
      ...[forged('ip-ban', {}), forged('ip-ban', { values: 7 }), forged('ip-ban', { values: [{}, null, 7] })],
      ...[forged('revoked', {}), forged('revoked', { sessions: 7 }), forged('revoked', { sessions: [null, {}, 'x'] })],
      ...[forged('session-moved', {}), forged('session-moved', { id: ready.session_id, fence: 'x' })],
      ...[forged('resync', {}), forged('event', event), forged('nothing', {}), forged('__proto__', {})],
      forged('ip-ban', { values: [banned, free] }),
    ];
    for (const message of messages) expect(await store.publish(channel(), message)).toBe(2);
    await until(() => heard.some((values) => String(values) === String([banned, free])));
    await second.idle();
    expectRefusal(await visit(banned), 'GLOBAL_IP_BANNED');
    expect((await visit(free)).status).toBe(200);
    expect(resyncs).toBe(0);
    await client.beat();
    expect(client.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE')).toEqual([]);
  });

  test('no event and nothing sealed goes by Redis', async () => {
    const sent: string[] = [];
    const ear = store.duplicate();
    await ear.subscribe(channel());
    ear.on('message', (_channel, message) => void sent.push(message));
    const { client, who } = await connected();
    const words = { password: who.password, new_password: 'entirely new words' };
    expect((await first.as(who).patch('/v1/users/@me', { bio: 'a bio' })).status).toBe(200);
    await client.event('USER_UPDATE');
    expect((await first.as(who).patch('/v1/users/@me', words)).status).toBe(200);
    await client.event('AUTH_SESSION_CHANGE');
    const last = await ban();
    await until(() => sent.some((message) => message.includes(last)));
    ear.disconnect();
    expect(sent.filter((message) => message.includes(who.id) || message.includes('sealed'))).toEqual([]);
  });

  test('an end, and a start that fails, leave no connection behind', async () => {
    @Module({})
    class Broken {
      constructor() {
        throw new Error('broken');
      }
    }
    const before = (await clients()).length;
    const third = await gatehouse({ env });
    await listening(3);
    await third.close();
    await until(async () => (await clients()).length === before);
    await expect(gatehouse({ env, modules: [Broken] })).rejects.toThrow('broken');
    await until(async () => (await clients()).length === before);
  });
});
