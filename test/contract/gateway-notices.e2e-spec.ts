import { Module } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Client as PgClient } from 'pg';
import { Config } from '../../src/core/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { ADVISORY_LOCKS } from '../machine/postgres.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { until } from '../machine/service-process.js';
import { administrator } from '../support/admin.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { GatewayClient } from '../support/gateway-client.js';
import { expectApiError, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

/** Used only by this file, because its tests count connections. */
const REDIS_URL = redisDatabase(14);
const DATABASE = new URL(REDIS_URL).pathname.slice(1);
const PROXY = '127.0.70.1';
const ENTRIES = '/v1/admin/blocklists/ip/entries';
// Credentials are rechecked so rarely that no socket is closed because of a recheck.
const NUMBERS = { recheck_ms: 3_600_000, unchecked_ms: 3_600_000 };

describeWithSharedStore('gateway 13: the journal contains the events; PostgreSQL and Redis only notify', () => {
  let env: Record<string, string>;
  let first: Gatehouse;
  let second: Gatehouse;
  let toDatabase: CuttableProxy;
  let toRedis: CuttableProxy;
  let store: Redis;
  let root: Persona;
  let addresses = 0;
  /** Functions that close the additional connections of a test. */
  const listeners: (() => unknown)[] = [];

  beforeAll(async () => {
    store = new Redis(REDIS_URL);
    const redisProxy = await CuttableProxy.to(REDIS_URL, 6379);
    toRedis = redisProxy.proxy;
    env = {
      DATABASE_PATIENCE: '1',
      REDIS_URL: redisProxy.url,
      TRUSTED_PROXIES: PROXY,
      GATEWAY_NUMBERS: JSON.stringify(NUMBERS),
    };
    first = await gatehouse({ env });
    const { databaseUrl = '', databaseDirectUrl = databaseUrl } = first.app.get(Config);
    const databaseProxy = await CuttableProxy.to(databaseDirectUrl, 5432);
    toDatabase = databaseProxy.proxy;
    env.DATABASE_URL = databaseProxy.url;
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
    for (const end of listeners.splice(0)) await end();
    toDatabase.restore();
    toRedis.cut();
    await listening(0);
    toRedis.restore();
    await until(() => second.app.get(ReplicaBus).isConnected && isListening());
  });

  const connectionOf = ({ app }: Gatehouse) =>
    (app.get(ReplicaBus) as unknown as { connection: { client?: object } }).connection;
  const isListening = () => connectionOf(second).client !== undefined;
  const clients = async () =>
    String(await store.client('LIST'))
      .split('\n')
      .filter((line) => line.includes(` db=${DATABASE} `));
  /** Waits until this number of replicas is subscribed in Redis. */
  const listening = (count: number) =>
    until(async () => (await clients()).filter((line) => line.includes(' sub=1 ')).length === count);

  interface Way {
    readonly channel: string;
    readonly sender: Redis;
  }
  const wayOf = ({ app }: Gatehouse) => (app.get(ReplicaBus) as unknown as { hints: Way }).hints;
  const channel = () => wayOf(first).channel;

  async function withoutNotify(): Promise<void> {
    toDatabase.cutMatching('gatehouse notices');
    await until(() => !isListening());
  }

  async function ban(): Promise<string> {
    const ip = `203.0.113.${++addresses}`;
    expect((await first.as(root).post(ENTRIES, { ip })).status).toBe(204);
    return ip;
  }
  const visit = (address: string) =>
    second.anonymous.from(PROXY).with({ 'x-forwarded-for': address }).get('/.well-known/service');

  /** Checks that a ban, its removal, a changed setting and a revocation on the first replica reach the second one. */
  async function expectHeard({ client, who }: { client: GatewayClient; who: Persona }): Promise<void> {
    const address = await ban();
    await until(async () => (await visit(address)).status !== 200);
    expectApiError(await visit(address), 'GLOBAL_IP_BANNED');
    expect((await first.as(root).delete(`${ENTRIES}/${address}`)).status).toBe(204);
    await until(async () => (await visit(address)).status === 200);

    for (const mode of ['closed', 'open']) {
      const { status } = await first.as(root).patch('/v1/admin/instance/config', { registration: { mode } });
      expect(status).toBe(200);
      const reported = async () => (await second.anonymous.get('/.well-known/service')).body.registration.mode;
      await until(async () => (await reported()) === mode);
    }

    await client.sendHeartbeat();
    expect((await first.as(who).post('/v1/auth/logout')).status).toBe(204);
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
  }

  /** Starts a session. It retries, because no session can start until the store in Redis responds again. */
  async function connected() {
    const who = await person(first);
    for (;;) {
      const socket = await GatewayClient.identify(second, who.authorization).catch(() => null);
      if (socket) return { who, ...socket };
    }
  }

  test('a replica that cannot restore its notification connection is notified by Redis', async () => {
    const socket = await connected();
    await withoutNotify();
    await expectHeard(socket);
    expect(isListening()).toBe(false);
    expect(second.app.get(ReplicaBus).isConnected).toBe(true);
  });

  test('a replica without Redis is notified by PostgreSQL', async () => {
    const socket = await connected();
    toRedis.cut();
    await listening(0);
    await expectHeard(socket);
  });

  test('a Redis that does not respond fails no operation and delays no notification', async () => {
    const socket = await connected();
    toRedis.stopForwarding();
    await expectHeard(socket);
  });

  test('a replica without notifications polls the journal, and receives what it missed', async () => {
    const socket = await connected();
    toRedis.cut();
    await listening(0);
    await withoutNotify();
    await expectHeard(socket);
    expect(isListening()).toBe(false);
  });

  test('a replica that loses the database for some time receives everything afterwards, once and in order', async () => {
    const { client, who } = await connected();
    await client.event('SESSIONS_REPLACE');
    toDatabase.cut();
    await until(() => !isListening());
    const { app } = first;
    for (let n = 0; n < 50; n++) {
      const data = { type: 'WEBHOOKS_UPDATE', account_id: who.id, d: { webhook_id: String(n), action: 'update' } };
      await app.get(Database).transaction((tx) => app.get(ReplicaBus).announce(tx, { topic: 'event', data }));
    }
    toDatabase.restore();
    const seen: unknown[] = [];
    while (seen.length < 50) seen.push((await client.event('WEBHOOKS_UPDATE')).d.webhook_id);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
    await client.sendHeartbeat();
    expect(client.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE')).toHaveLength(50);
  });

  test('a transaction that commits after a later one is received also', async () => {
    const received: unknown[] = [];
    second.app.get(ReplicaBus).on('probe', ({ n }) => void received.push(n));
    // A pooler in front of the database would share the session that holds the gate.
    const { databaseUrl, databaseDirectUrl } = first.app.get(Config);
    const gate = new PgClient({ connectionString: databaseDirectUrl ?? databaseUrl });
    listeners.push(() => gate.end());
    await gate.connect();
    await gate.query('SELECT pg_advisory_lock(7)');
    const announce = (n: number, isHeld = false) =>
      first.app.get(Database).transaction(async (tx) => {
        await first.app.get(ReplicaBus).announce(tx, { topic: 'probe', data: { n } });
        // The gate blocks the transaction after the row is written and before the commit.
        if (!isHeld) return;
        const gate = { name: 'probe_gate', text: 'SELECT pg_advisory_xact_lock($1::bigint)', values: ['7'] };
        first.app.get(Database).withCommit(tx, () => ({ ...gate, onFailure: () => {} }));
      });
    const late = announce(1, true);
    await until(async () => {
      const { rows } = await gate.query(`${ADVISORY_LOCKS} AND objid = 7 AND NOT granted`);
      return rows.length > 0;
    });
    await announce(2);
    await until(() => received.includes(2));
    expect(received).toEqual([2]);
    await gate.query('SELECT pg_advisory_unlock(7)');
    await late;
    await until(() => received.includes(1));
    await announce(3);
    await until(() => received.includes(3));
    expect(received).toEqual([2, 1, 3]);
  });

  test('a commit whose response was lost is also received by its own replica', async () => {
    const received: unknown[] = [];
    second.app.get(ReplicaBus).on('probe', ({ n }) => void received.push(n));
    // A pooler in front of the database would share the session that holds the gate.
    const { databaseUrl, databaseDirectUrl } = first.app.get(Config);
    const gate = new PgClient({ connectionString: databaseDirectUrl ?? databaseUrl });
    listeners.push(() => gate.end());
    await gate.connect();
    await gate.query('SELECT pg_advisory_lock(8)');
    const statement = { name: 'probe_loss', text: 'SELECT pg_advisory_xact_lock($1::bigint)', values: ['8'] };
    const outcome = second.app
      .get(Database)
      .transaction(async (tx) => {
        await second.app.get(ReplicaBus).announce(tx, { topic: 'probe', data: { n: 1 } });
        second.app.get(Database).withCommit(tx, () => ({ ...statement, onFailure: () => {} }));
      })
      .catch((error) => error);
    const waiting = `${ADVISORY_LOCKS} AND objid = 8 AND NOT granted`;
    await until(async () => (await gate.query(waiting)).rows.length > 0);
    toDatabase.cut();
    expect(await outcome).toBeInstanceOf(Error);
    await gate.query('SELECT pg_advisory_unlock(8)');
    toDatabase.restore();
    await until(() => received.length > 0);
    expect(received).toEqual([1]);
  });

  test('messages of other programs on the Redis channel change nothing', async () => {
    const received: unknown[] = [];
    for (const topic of ['ip-ban', 'revoked', 'resync', 'gap', 'event', 'instance']) {
      second.app.get(ReplicaBus).on(topic, (data) => void received.push(data));
    }
    const { client, ready, who } = await connected();
    await client.event('SESSIONS_REPLACE');
    const banned = await ban();
    await until(async () => (await visit(banned)).status === 403);
    received.length = 0;
    const forged = (topic: unknown, data: unknown) => JSON.stringify({ origin: 'somebody', topic, data });
    const event = { type: 'WEBHOOKS_UPDATE', account_id: who.id, d: { webhook_id: '1', action: 'update' } };
    const messages = [
      ...['', 'x', '{', 'null', '[]', '{}', '7', JSON.stringify({ topic: 'ip-ban', data: { values: [banned] } })],
      ...[forged('ip-ban', { values: [banned] }), forged('revoked', { account: who.id }), forged('event', event)],
      ...[{}, { moves: 'x' }, { moves: [null, {}, [], [ready.session_id, 'x']] }].map((data) =>
        forged('sessions-moved', data),
      ),
      ...[forged('presence', {}), forged('presence', { account: 7 }), forged('wake', {}), forged('wake', null)],
      ...[forged('resync', {}), forged('gap', {}), forged('nothing', {}), forged('__proto__', {}), forged(7, {})],
    ];
    for (const message of messages) expect(await store.publish(channel(), message)).toBe(2);
    expectApiError(await visit(banned), 'GLOBAL_IP_BANNED');
    await client.sendHeartbeat();
    expect((await first.as(who).patch('/v1/users/@me', { bio: 'last' })).status).toBe(200);
    await client.event('USER_UPDATE');
    expect(client.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE')).toEqual([]);
    expect(received).toEqual([{ type: 'USER_UPDATE', account_id: who.id }]);
  });

  test('a notification has no content in any channel, and hundreds of commits share few', async () => {
    const sent: { topic: string; data: object }[] = [];
    const ear = store.duplicate();
    listeners.push(() => ear.disconnect());
    await ear.subscribe(channel());
    ear.on('message', (_channel, message) => void sent.push(JSON.parse(message)));
    const said: string[] = [];
    const { databaseUrl, databaseDirectUrl = databaseUrl } = first.app.get(Config);
    const listener = new PgClient({ connectionString: databaseDirectUrl });
    listeners.push(() => listener.end());
    await listener.connect();
    listener.on('notification', ({ payload }) => void said.push(String(payload)));
    await listener.query('LISTEN gatehouse');
    const { client, who } = await connected();
    const { app } = first;
    const announce = (n: number) =>
      app.get(Database).transaction((tx) => {
        const data = {
          type: 'WEBHOOKS_UPDATE',
          account_id: who.id,
          d: { webhook_id: String(n).padEnd(n === 0 ? 20_000 : 1, '-'), action: 'update' },
        };
        return app.get(ReplicaBus).announce(tx, { topic: 'event', data });
      });
    const lane = async (_: unknown, n: number) => {
      for (let each = 0; each < 25; each++) await announce(25 * n + each);
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    // Wait for all events, because the revocation of a token does not wait for events in transit.
    const reported = () => client.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE').length;
    await until(() => reported() === 200);
    const words = { password: who.password, new_password: 'entirely new words' };
    expect((await first.as(who).patch('/v1/users/@me', words)).status).toBe(200);
    await client.event('AUTH_SESSION_CHANGE');
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    expect(reported()).toBe(200);
    await until(() => said.length > 0 && sent.some(({ topic }) => topic === 'wake'));
    expect(new Set(said)).toEqual(new Set(['']));
    expect(said.length).toBeLessThan(200);
    for (const { topic, data } of sent) {
      if (topic === 'wake') expect(data).toEqual({});
      else expect([topic, Object.keys(data)]).toEqual(['presence', ['account']]);
    }
  });

  test('a stop, and a start that fails, leave no connection open', async () => {
    @Module({})
    class Broken {
      constructor() {
        throw new Error('broken');
      }
    }
    const idOf = (line: string) => line.split(' ', 1)[0];
    const before = new Set((await clients()).map(idOf));
    const newcomers = async () => (await clients()).filter((line) => !before.has(idOf(line))).length;
    const third = await gatehouse({ env });
    await listening(3);
    expect(await newcomers()).toBeGreaterThan(0);
    await third.close();
    await until(async () => (await newcomers()) === 0);
    await expect(gatehouse({ env, modules: [Broken] })).rejects.toThrow('broken');
    await until(async () => (await newcomers()) === 0);
  });
});
