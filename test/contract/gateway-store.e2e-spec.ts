import { Redis } from 'ioredis';
import { Config } from '../../src/core/config/config.js';
import { Gateway } from '../../src/gateway/gateway.service.js';
import { LiveSessions } from '../../src/gateway/sessions/live-sessions.service.js';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { advanceGateway, GatewayClient, type Payload } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, newApp, type Persona, person, signIn } from '../support/index.js';

const REDIS_URL = redisDatabase(10);

const DRAINED = [4000, 'Session drain requested; reconnect to continue'];
const NUMBERS = { replay_events: 40, sessions_per_user: 3, renew_ms: 250 };

describeWithSharedStore('gateway 13: several replicas with a shared store', () => {
  let first: Gatehouse;
  let second: Gatehouse;
  let proxy: CuttableProxy;
  let store: Redis;
  let env: Record<string, string>;

  beforeAll(async () => {
    store = new Redis(REDIS_URL);
    await store.flushdb();
    const way = await CuttableProxy.to(REDIS_URL, 6379);
    proxy = way.proxy;
    env = { REDIS_URL, DATABASE_PATIENCE: '1', GATEWAY_NUMBERS: JSON.stringify(NUMBERS) };
    first = await gatehouse({ env });
    env.DATABASE_URL = first.app.get(Config).databaseUrl ?? '';
    second = await gatehouse({ env: { ...env, REDIS_URL: way.url } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    proxy.close();
    store.disconnect();
  });

  /** Announces an event of an account on a replica, in its own transaction. */
  const announce = ({ app }: Gatehouse, { id }: Persona, n: number, type = 'WEBHOOKS_UPDATE') =>
    app.get(Database).transaction((tx) =>
      app.get(ReplicaBus).announce(tx, {
        topic: 'event',
        data: { type, account_id: id, d: { webhook_id: String(n), action: 'update' } },
      }),
    );

  /** Resumes a session. Returns the client and the events that it received before RESUMED. */
  async function resumed(service: Gatehouse, token: string, id: string, seq: number) {
    const client = await GatewayClient.connect(service);
    client.resume(token, id, seq);
    const replayed: Payload[] = [];
    for (;;) {
      const message = await client.next();
      if (message.t === 'RESUMED') return { client, replayed, end: message };
      replayed.push(message);
    }
  }

  /** Creates an account with a session on the first replica that has received all events. Its socket is closed. */
  async function away() {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await client.terminate();
    return { who, id: ready.session_id as string, seq };
  }

  const listed = (sessions: { session_id: string }[]) => sessions.map(({ session_id }) => session_id);
  const idsOf = (events: readonly Payload[]) => events.map(({ s, d }) => [s, d.webhook_id]);
  const stateKey = ({ id }: { id: string }) => `gatehouse:gateway:{${id}}:state`;
  const sessionsKey = ({ id }: { id: string }) => `gatehouse:gateway:{${id}}:sessions`;
  /** The fields of a session in the store. */
  const fieldsOf = async (who: { id: string }, id: string) =>
    (await store.hkeys(stateKey(who))).filter((name) => name.startsWith(id));
  /** The remaining lease of a session in the store, in milliseconds. */
  const leaseOf = async (who: { id: string }, id: string) =>
    Number(await store.zscore(sessionsKey(who), id)) - Date.now();
  const storeAnswers = (service: Gatehouse) =>
    until(async () => {
      const who = await person(service);
      const client = await GatewayClient.connect(service);
      client.send({ op: 2, d: { token: who.authorization } });
      const response = await Promise.race([client.event('READY').catch(() => null), client.closed()]);
      await client.terminate().catch(() => {});
      return response !== null && !Array.isArray(response);
    });

  test('a session resumes on another replica, with its missed events in order and with their own sequences', async () => {
    const { who, id, seq } = await away();
    for (let n = 1; n <= 6; n++) await announce(n % 2 ? first : second, who, n);
    const { client, replayed, end } = await resumed(second, who.authorization, id, seq);
    expect(idsOf(replayed)).toEqual([1, 2, 3, 4, 5, 6].map((n) => [seq + n, String(n)]));
    expect(end.s).toBe(seq + 6);
    await announce(first, who, 7);
    expect(idsOf([await client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 7, '7']]);
    await client.sendHeartbeat(seq + 7);
    await client.terminate();
    const back = await resumed(first, who.authorization, id, seq + 7);
    expect(back.replayed).toEqual([]);
    expect(back.end.s).toBe(seq + 7);
  });

  test('a socket that still had the session gets op 7 and 4000', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    const { client: taker } = await resumed(second, who.authorization, ready.session_id, seq);
    expect(await client.closed()).toEqual(DRAINED);
    expect(client.received.at(-1)).toEqual({ op: 7 });
    await announce(first, who, 1);
    expect(idsOf([await taker.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 1, '1']]);
  });

  test('a stale owner writes no sequence: the new owner sends its events, once', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    const session = first.app.get(LiveSessions).find(ready.session_id);
    await store.hincrby(stateKey(who), `${ready.session_id} fence`, 1);
    await announce(first, who, 1);
    expect(await client.closed()).toEqual(DRAINED);
    expect(session?.seq).toBe(seq);
    expect(client.received.some(({ t }) => t === 'WEBHOOKS_UPDATE')).toBe(false);
    const { replayed } = await resumed(second, who.authorization, ready.session_id, seq);
    expect(idsOf(replayed)).toEqual([[seq + 1, '1']]);
  });

  test('of parallel Resumes on both replicas, exactly one has the session at the end, and it misses nothing', async () => {
    for (let round = 0; round < 5; round++) {
      const { who, id, seq } = await away();
      const clients = await Promise.all(
        Array.from({ length: 12 }, (_, n) => GatewayClient.connect(n % 2 ? first : second)),
      );
      const started = announce(first, who, 1);
      for (const client of clients) client.resume(who.authorization, id, seq);
      await started;
      let open = clients;
      await until(async () => {
        open = open.filter(({ socket }) => socket.readyState === 1);
        return open.length <= 1;
      });
      expect(open).toHaveLength(1);
      const [holder] = open as [GatewayClient];
      await announce(second, who, 2);
      await until(() => holder.received.some(({ d }) => d?.webhook_id === '2'));
      const reported = holder.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE');
      expect(idsOf(reported)).toEqual([1, 2].map((n) => [seq + n, String(n)]));
      for (const client of clients.filter((client) => client !== holder))
        expect(await client.closed()).toEqual(DRAINED);
      await holder.terminate();
    }
  });

  test('a session stays after its replica ends, and later events are not lost', async () => {
    const who = await person(first);
    const leaving = await gatehouse({ env });
    const { client, ready } = await GatewayClient.identify(leaving, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await announce(leaving, who, 1);
    await client.event('WEBHOOKS_UPDATE');
    await leaving.close();
    expect(await client.closed()).toEqual(DRAINED);
    await announce(first, who, 2);
    await announce(first, who, 3);
    const { replayed } = await resumed(second, who.authorization, ready.session_id, seq);
    expect(idsOf(replayed)).toEqual([1, 2, 3].map((n) => [seq + n, String(n)]));
  });

  test('missed events of concurrent transactions are sent in the order of their commits', async () => {
    const who = await person(first);
    const leaving = await gatehouse({ env });
    const { client, ready } = await GatewayClient.identify(leaving, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await leaving.close();
    await first.app.get(Database).transaction(async (tx) => {
      const data = { type: 'WEBHOOKS_UPDATE', account_id: who.id, d: { webhook_id: '1', action: 'update' } };
      await first.app.get(ReplicaBus).announce(tx, { topic: 'event', data });
      await announce(second, who, 2);
    });
    const { replayed } = await resumed(second, who.authorization, ready.session_id, seq);
    expect(idsOf(replayed)).toEqual([
      [seq + 1, '2'],
      [seq + 2, '1'],
    ]);
  });

  test('missed events of which one is deleted from the journal end the session with op 9', async () => {
    const who = await person(first);
    const leaving = await gatehouse({ env });
    const { client, ready } = await GatewayClient.identify(leaving, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await leaving.close();
    for (const n of [1, 2, 3]) await announce(first, who, n);
    await first.sql(
      'DELETE FROM journal WHERE account_id = $1 AND number = (SELECT max(number) - 1 FROM journal WHERE account_id = $1)',
      [who.id],
    );
    const late = await GatewayClient.connect(second);
    late.resume(who.authorization, ready.session_id, seq);
    expect(await late.next()).toEqual({ op: 9, d: false });
    await late.terminate();
  });

  test("a Resume that fails does not change the session's owner", async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await client.sendHeartbeat(seq);
    const ends = async (token: string, from: number) => {
      const other = await GatewayClient.connect(second);
      other.resume(token, ready.session_id, from);
      return other.closed();
    };
    expect(await ends(await signIn(first, who), seq)).toEqual([4004, 'Invalid token']);
    expect(await ends((await person(first)).authorization, seq)).toEqual([4004, 'Invalid token']);
    expect(await ends(who.authorization, seq + 1)).toEqual([4007, 'Invalid sequence']);
    expect(await ends(who.authorization, seq - 1)).toEqual([4007, 'Invalid sequence']);
    await announce(second, who, 1);
    await client.event('WEBHOOKS_UPDATE');
  });

  test('evicted events cannot be replayed on any replica: op 9 below the floor', async () => {
    const { who, id, seq } = await away();
    for (let n = 0; n <= NUMBERS.replay_events; n++) await announce(first, who, n);
    await until(() => first.app.get(LiveSessions).find(id)?.seq === seq + 41);
    const client = await GatewayClient.connect(second);
    client.resume(who.authorization, id, seq);
    expect(await client.next()).toEqual({ op: 9, d: false });
    expect((await resumed(second, who.authorization, id, seq + 1)).replayed).toHaveLength(40);
  });

  test('a revocation also ends sessions in the store, of any replica', async () => {
    const who = await person(first);
    const leaving = await gatehouse({ env });
    const open = await GatewayClient.identify(second, who.authorization);
    const orphan = await GatewayClient.identify(leaving, who.authorization);
    const spared = await GatewayClient.identify(leaving, await signIn(first, who));
    await leaving.close();
    const ids = [open, orphan].map(({ ready }) => ready.session_id as string);
    for (const id of ids) expect(await fieldsOf(who, id)).not.toEqual([]);
    await first.as(who).post('/v1/auth/logout');
    expect(await open.client.closed()).toEqual([4004, 'Invalid token']);
    for (const id of ids) await until(async () => (await fieldsOf(who, id)).length === 0);
    expect(await fieldsOf(who, spared.ready.session_id)).not.toEqual([]);

    const app = await newApp(first, await person(first));
    const token = app.bot.slice('Bot '.length);
    const bot = await GatewayClient.identify(first, token);
    await bot.client.terminate();
    await second
      .as(app.owner)
      .post(`/v1/oauth2/applications/${app.id}/bot/reset-token`, { password: app.owner.password });
    await until(async () => (await fieldsOf({ id: bot.ready.user.id }, bot.ready.session_id)).length === 0);
  });

  test('a session is kept for 60 s by the expiry of the store, and deleted from it when it ends', async () => {
    const { who, id } = await away();
    await until(async () => (await leaseOf(who, id)) <= 60_000);
    expect(await leaseOf(who, id)).toBeGreaterThan(50_000);
    for (const key of [stateKey(who), sessionsKey(who)]) expect(await store.pttl(key)).toBeGreaterThan(50_000);
    const { client } = await resumed(second, who.authorization, id, 1);
    await until(async () => (await leaseOf(who, id)) > 60_000);
    await client.terminate();
    advanceGateway(second, 61);
    await until(async () => (await store.exists(stateKey(who), sessionsKey(who))) === 0);
  });

  test('a client that saw only READY resumes elsewhere after the equal list, regardless of later events', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    expect(await client.event('SESSIONS_REPLACE')).toMatchObject({ s: 2, d: ready.sessions });
    await announce(first, who, 1);
    await client.event('WEBHOOKS_UPDATE');
    await client.terminate();
    const there = await resumed(second, who.authorization, ready.session_id, 1);
    expect(idsOf(there.replayed)).toEqual([[3, '1']]);
    expect(there.end.s).toBe(3);
    await announce(second, who, 2);
    expect((await there.client.event('WEBHOOKS_UPDATE')).s).toBe(4);
    await there.client.sendHeartbeat(3);
    const back = await resumed(first, who.authorization, ready.session_id, 3);
    expect(idsOf(back.replayed)).toEqual([[4, '2']]);
  });

  test('a session that ignores lists of sessions has none after READY', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization, {
      ignored_events: ['SESSIONS_REPLACE'],
    });
    await announce(first, who, 1);
    expect((await client.event('WEBHOOKS_UPDATE')).s).toBe(2);
    await client.terminate();
    const there = await resumed(second, who.authorization, ready.session_id, 1);
    expect(idsOf(there.replayed)).toEqual([[2, '1']]);
  });

  test('SESSIONS_REPLACE and READY list the sessions of every replica', async () => {
    const who = await person(first);
    const one = await GatewayClient.identify(first, who.authorization, { properties: { mobile: true } });
    await one.client.event('SESSIONS_REPLACE');
    const token = await signIn(first, who);
    const two = await GatewayClient.identify(second, token);
    const both = ['all', one.ready.session_id, two.ready.session_id];
    expect(listed(two.ready.sessions)).toEqual(both);
    expect(listed((await one.client.event('SESSIONS_REPLACE')).d)).toEqual(both);
    await first.as(token).post('/v1/auth/logout');
    expect(await two.client.closed()).toEqual([4004, 'Invalid token']);
    expect(listed((await one.client.event('SESSIONS_REPLACE')).d)).toEqual(both.slice(0, 2));
    await expectQuiet(who, [one.client]);
  });

  test('a session resumed on another replica gets one list of the sessions that started in the meantime', async () => {
    const { who, id, seq } = await away();
    await until(async () => (await store.hexists(stateKey(who), `${id} told`)) === 1);
    const others = [await GatewayClient.identify(second, who.authorization)];
    others.push(await GatewayClient.identify(first, who.authorization));
    await announce(first, who, 1);
    const { client, replayed, end } = await resumed(second, who.authorization, id, seq);
    expect(replayed.map(({ s, t }) => [s, t])).toEqual([
      [seq + 1, 'WEBHOOKS_UPDATE'],
      [seq + 2, 'SESSIONS_REPLACE'],
    ]);
    expect(listed(replayed[1]?.d)).toEqual(['all', id, ...others.map(({ ready }) => ready.session_id)]);
    expect(end.s).toBe(seq + 2);
    await client.terminate();
    await until(async () => (await store.hexists(stateKey(who), `${id} told`)) === 1);
    expect((await resumed(first, who.authorization, id, seq + 2)).replayed).toEqual([]);
  });

  /** Checks that the sessions of an account receive only the events announced here. */
  async function expectQuiet(who: Persona, clients: readonly GatewayClient[]) {
    for (const n of [1, 2]) {
      await announce(first, who, n);
      for (const client of clients)
        expect(await client.next()).toMatchObject({ d: { webhook_id: String(n), action: 'update' } });
      for (const service of [first, second]) await service.idle();
    }
  }

  /** Waits until the other replicas have received all hints of this one. Hints of one sender arrive in order. */
  async function hintsHeard(from: Gatehouse) {
    const topic = `all of ${from.url}`;
    const unheard = new Set([first, second].filter((service) => service !== from));
    for (const service of unheard) service.app.get(ReplicaBus).onHint(topic, () => unheard.delete(service));
    // Hints that are sent before the connection is established are lost.
    await until(async () => {
      if (unheard.size > 0) from.app.get(ReplicaBus).hint(topic, {});
      return unheard.size === 0;
    });
    for (const service of [first, second]) await service.idle();
  }

  /** Creates an account with a session on each replica, and one on a replica that has shut down. */
  async function bereft() {
    const who = await person(first);
    const leaving = await gatehouse({ env });
    const token = await signIn(first, who);
    const orphan = await GatewayClient.identify(leaving, token);
    await orphan.client.event('SESSIONS_REPLACE');
    const one = await GatewayClient.identify(first, who.authorization);
    await one.client.event('SESSIONS_REPLACE');
    const two = await GatewayClient.identify(second, who.authorization);
    for (const { client } of [one, two]) await client.event('SESSIONS_REPLACE');
    for (const from of [leaving, first, second]) await hintsHeard(from);
    await leaving.close();
    const left = ['all', one.ready.session_id as string, two.ready.session_id as string];
    expect(listed(two.ready.sessions)).toEqual([left[0], orphan.ready.session_id, ...left.slice(1)]);
    return { who, token, id: orphan.ready.session_id as string, left, clients: [one.client, two.client] };
  }

  /** Checks that both sessions are notified once of the remaining sessions, and that READY lists the same sessions. */
  async function expectTold({ who, left, clients }: Awaited<ReturnType<typeof bereft>>) {
    for (const client of clients) expect(listed((await client.event('SESSIONS_REPLACE')).d)).toEqual(left);
    for (const id of left.slice(1)) await renewed(who, id);
    await expectQuiet(who, clients);
    const late = await GatewayClient.identify(first, who.authorization);
    expect(listed(late.ready.sessions)).toEqual([...left, late.ready.session_id]);
  }

  /** Waits until the replica that serves a session has renewed it. */
  async function renewed(who: Persona, id: string) {
    await store.zadd(sessionsKey(who), Date.now() + 30_000, id);
    await until(async () => (await leaseOf(who, id)) > 30_000);
  }

  test('the expiry of an unserved session in the store is announced to the remaining sessions of the account', async () => {
    const account = await bereft();
    await store.zadd(sessionsKey(account.who), 1, account.id);
    await expectTold(account);
  });

  test('the end of an unserved session with its login session is announced by one replica', async () => {
    const account = await bereft();
    await second.as(account.token).post('/v1/auth/logout');
    expect(await fieldsOf(account.who, account.id)).toEqual([]);
    await expectTold(account);
  });

  test('the end of a session is announced even if its replica has no database', async () => {
    const who = await person(first);
    // Without the pooler, so that one proxy cuts everything.
    const { databaseUrl = '', databaseDirectUrl = databaseUrl } = first.app.get(Config);
    const way = await CuttableProxy.to(databaseDirectUrl, 5432);
    const third = await gatehouse({ env: { ...env, DATABASE_URL: way.url } });
    const one = await GatewayClient.identify(first, who.authorization);
    await one.client.event('SESSIONS_REPLACE');
    const { client, ready } = await GatewayClient.identify(third, who.authorization);
    await one.client.event('SESSIONS_REPLACE');
    await client.event('SESSIONS_REPLACE');
    await client.terminate();
    way.proxy.cut();
    advanceGateway(third, 61);
    await until(async () => (await fieldsOf(who, ready.session_id)).length === 0);
    expect(listed((await one.client.event('SESSIONS_REPLACE')).d)).toEqual(['all', one.ready.session_id]);
    way.proxy.restore();
    await third.close();
    way.proxy.close();
  });

  test('live sessions are counted across replicas', async () => {
    const who = await person(first);
    for (const service of [first, second, first]) await GatewayClient.identify(service, who.authorization);
    for (const service of [first, second]) {
      const extra = await GatewayClient.connect(service);
      extra.send({ op: 2, d: { token: who.authorization } });
      expect(await extra.closed()).toEqual([4008, 'Too many sessions']);
    }
  });

  test('no credential is in the store', async () => {
    const who = await person(first);
    const app = await newApp(first, who);
    const robot = app.bot.slice('Bot '.length);
    for (const token of [who.authorization, robot]) {
      const { client, ready } = await GatewayClient.identify(first, token);
      await first.as(who).patch('/v1/users/@me', { bio: 'seen' });
      await client.terminate();
      await resumed(second, token, ready.session_id, 1);
    }
    const { body } = await first.as(who).patch('/v1/users/@me', { password: who.password, new_password: 'new words' });
    const secrets = [who.authorization, robot, String(body.token), who.password];
    const text: string[] = [];
    for (const key of await store.keys('gatehouse:*')) text.push(key, JSON.stringify(await contentOf(key)));
    expect(text.join()).toContain('seen');
    for (const secret of secrets) {
      const half = secret.slice(secret.length / 2);
      expect(text.filter((part) => part.includes(half))).toEqual([]);
    }
  });

  async function contentOf(key: string): Promise<unknown> {
    const kind = await store.type(key);
    if (kind === 'hash') return store.hgetall(key);
    if (kind === 'list') return store.lrange(key, 0, -1);
    if (kind === 'zset') return store.zrange(key, 0, -1, 'WITHSCORES');
    return kind === 'set' ? store.smembers(key) : store.get(key);
  }

  test.each([
    ['out', 'cut'],
    ['hanging', 'stopForwarding'],
  ] as const)(
    'while the store is %s, attached sockets stay and no session starts or resumes; afterwards all resume everywhere',
    async (_, fault) => {
      const who = await person(second);
      const quiet = await GatewayClient.identify(second, who.authorization);
      const busy = await person(second);
      const { client, ready } = await GatewayClient.identify(second, busy.authorization);
      const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
      await quiet.client.event('SESSIONS_REPLACE');
      const { id, who: gone } = await away();
      proxy[fault]();
      try {
        await announce(first, busy, 1);
        expect(idsOf([await client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 1, '1']]);
        await client.sendHeartbeat(seq + 1);
        await quiet.client.sendHeartbeat();
        const fresh = await GatewayClient.connect(second);
        fresh.send({ op: 2, d: { token: who.authorization } });
        expect(await fresh.closed()).toEqual([4000, 'Failed to start session']);
        const back = await GatewayClient.connect(second);
        back.resume(gone.authorization, id, 1);
        expect(await back.closed()).toEqual([4000, 'Session unavailable']);
      } finally {
        proxy.restore();
      }
      await storeAnswers(second);
      await resumed(second, gone.authorization, id, 1);
      await announce(first, who, 2);
      await quiet.client.event('WEBHOOKS_UPDATE');
      await resumed(first, who.authorization, quiet.ready.session_id, 1);
      await client.sendHeartbeat();
      // The store has the last acknowledged event of each client again, and no session is marked as ahead of the store.
      await until(async () => (await first.sql('SELECT FROM gateway_session_ahead')).length === 0);
      const back = await resumed(first, busy.authorization, ready.session_id, seq + 1);
      expect(back.replayed).toEqual([]);
      await announce(first, busy, 3);
      expect(idsOf([await back.client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 2, '3']]);
    },
  );

  test('a session that continued without the store cannot be resumed from its stored state', async () => {
    const who = await person(second);
    const { client, ready } = await GatewayClient.identify(second, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    proxy.cut();
    try {
      await announce(first, who, 1);
      expect(idsOf([await client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 1, '1']]);
      const other = await GatewayClient.connect(first);
      other.resume(who.authorization, ready.session_id, seq);
      expect(await other.closed()).toEqual([4000, 'Session unavailable']);
    } finally {
      proxy.restore();
    }
    await storeAnswers(second);
    await until(async () => (await first.sql('SELECT FROM gateway_session_ahead')).length === 0);
    expect((await resumed(first, who.authorization, ready.session_id, seq + 1)).replayed).toEqual([]);
  });

  test('a replica that lost its session while disconnected closes the socket', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    await client.event('SESSIONS_REPLACE');
    await store.hincrby(stateKey(who), `${ready.session_id} fence`, 1);
    expect(await client.closed()).toEqual(DRAINED);
  });

  test('an invalid session ID is unknown', async () => {
    const who = await person(first);
    const client = await GatewayClient.connect(first);
    for (const id of ['*', '\0', 'A'.repeat(32), 'f'.repeat(33), 'f'.repeat(32)]) {
      client.resume(who.authorization, id, 1);
      expect(await client.next()).toEqual({ op: 9, d: false });
    }
    await client.terminate();
  });

  test('an emptied store is filled again by the processes: sessions resume on any replica', async () => {
    const who = await person(first);
    const one = await GatewayClient.identify(first, who.authorization);
    const { s: seq = 0 } = await one.client.event('SESSIONS_REPLACE');
    await announce(first, who, 1);
    await one.client.event('WEBHOOKS_UPDATE');
    await store.flushdb();
    // No replica has restored the session in the store yet. The lookup for this Resume restores it.
    one.client.resume(who.authorization, one.ready.session_id, seq);
    expect(idsOf([await one.client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 1, '1']]);
    await one.client.event('RESUMED');
    await store.flushdb();
    await announce(second, who, 2);
    expect(idsOf([await one.client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 2, '2']]);
    await store.flushdb();
    await until(async () => (await fieldsOf(who, one.ready.session_id)).length > 0);
    const two = await resumed(second, who.authorization, one.ready.session_id, seq);
    expect(idsOf(two.replayed)).toEqual([
      [seq + 1, '1'],
      [seq + 2, '2'],
    ]);
    expect(await one.client.closed()).toEqual(DRAINED);
    await announce(first, who, 3);
    expect(idsOf([await two.client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 3, '3']]);
  });

  test('a session of which a failover of the store has lost events is ended by op 9, not by 4007', async () => {
    const who = await person(first);
    const leaving = await gatehouse({ env });
    const { client, ready } = await GatewayClient.identify(leaving, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await announce(leaving, who, 1);
    await client.event('WEBHOOKS_UPDATE');
    await leaving.close();
    const id = ready.session_id as string;
    await store.hset(stateKey(who), { [`${id} seq`]: seq, [`${id} run`]: 'that of the former primary' });
    const late = await GatewayClient.connect(second);
    late.resume(who.authorization, id, seq + 1);
    expect(await late.next()).toEqual({ op: 9, d: false });
    await late.terminate();
  });

  test('a session whose move a failover of the store has lost is restored by its new owner, and misses nothing', async () => {
    const { who, id, seq } = await away();
    const { client } = await resumed(second, who.authorization, id, seq);
    await store.hset(stateKey(who), { [`${id} fence`]: 1, [`${id} owner`]: 'the former owner' });
    await announce(first, who, 1);
    expect(idsOf([await client.event('WEBHOOKS_UPDATE')])).toEqual([[seq + 1, '1']]);
    await until(async () => (await store.hget(stateKey(who), `${id} fence`)) === '2');
    await client.terminate();
    expect(idsOf((await resumed(first, who.authorization, id, seq)).replayed)).toEqual([[seq + 1, '1']]);
  });

  test('after a shutdown of every replica, the sessions can be resumed', async () => {
    const who = await person(first);
    const before = await gatehouse({ env });
    const { client, ready } = await GatewayClient.identify(before, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    await before.app.get(Gateway).drain();
    expect(await client.closed()).toEqual(DRAINED);
    await before.close();
    const after = await gatehouse({ env });
    const { replayed } = await resumed(after, who.authorization, ready.session_id, seq);
    expect(replayed).toEqual([]);
    await after.close();
  });
});
