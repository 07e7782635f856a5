import { request } from 'node:http';
import { Config } from '../../src/core/config/config.js';
import { MetricsReader } from '../../src/core/metrics.js';
import { Gateway } from '../../src/gateway/gateway.service.js';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { GatewayClient } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, person, signIn } from '../support/index.js';

const DRAINED = [4000, 'Session drain requested; reconnect to continue'];

describe('gateway 13: shutdown', () => {
  test('every socket gets op 7 and 4000, also without a session; new ones get 503', async () => {
    const service = await gatehouse();
    const who = await person(service);
    const { client } = await GatewayClient.identify(service, who.authorization);
    const idle = await GatewayClient.connect(service);
    await service.app.get(Gateway).drain();
    for (const each of [client, idle]) {
      await each.op(7);
      expect(await each.closed()).toEqual(DRAINED);
    }
    const status = await new Promise((resolve) => {
      const call = request({
        port: service.port,
        path: '/gateway',
        headers: { Connection: 'Upgrade', Upgrade: 'websocket' },
      });
      call.on('response', (res) => resolve(res.resume().statusCode));
      call.end();
    });
    expect(status).toBe(503);
    await service.close();
  });

  test('closing the application also drains, and does not wait for unresponsive sockets', async () => {
    const service = await gatehouse();
    const client = await GatewayClient.connect(service);
    const silentClient = await GatewayClient.connect(service);
    silentClient.socket.pause();
    await service.close();
    expect(client.received.at(-1)).toEqual({ op: 7 });
    expect(await client.closed()).toEqual(DRAINED);
    silentClient.socket.terminate();
  });

  test('open sockets are counted', async () => {
    const service = await gatehouse();
    const count = () => service.app.get(MetricsReader).total('gatehouse_gateway_sockets');
    const clients = [await GatewayClient.connect(service), await GatewayClient.connect(service)];
    expect(await count()).toBe(2);
    for (const client of clients) await client.terminate();
    expect(await count()).toBe(0);
    await service.close();
  });
});

describeOnPostgres('gateway 9, 11 and 13: several replicas without a shared store', () => {
  let first: Gatehouse;
  let second: Gatehouse;
  beforeAll(async () => {
    first = await gatehouse();
    second = await gatehouse({ env: { DATABASE_URL: first.app.get(Config).databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  test('a revocation closes the sockets on every replica', async () => {
    const who = await person(first);
    const { client } = await GatewayClient.identify(second, who.authorization);
    await first.as(who).post('/v1/auth/logout');
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
  });

  test('events of one account reach the sessions of every replica in one order', async () => {
    const who = await person(first);
    const clients = [
      (await GatewayClient.identify(first, who.authorization)).client,
      (await GatewayClient.identify(second, await signIn(second, who))).client,
    ];
    const seen = clients.map(async (client) => {
      const order: string[] = [];
      while (order.length < 20) order.push((await client.event('WEBHOOKS_UPDATE')).d.webhook_id);
      return order;
    });
    for (let n = 0; n < 20; n++) {
      const { app } = n % 2 ? first : second;
      const data = { type: 'WEBHOOKS_UPDATE', account_id: who.id, d: { webhook_id: String(n), action: 'update' } };
      await app.get(Database).transaction((tx) => app.get(ReplicaBus).announce(tx, { topic: 'event', data }));
    }
    const inOrder = Array.from({ length: 20 }, (_, n) => String(n));
    expect(await Promise.all(seen)).toEqual([inOrder, inOrder]);
  });

  test('sockets of a rotated session end on every replica; no notification and no frame contains a token', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(second, who.authorization);
    const notices: object[] = [];
    second.app.get(ReplicaBus).on('event', (data) => void notices.push(data));
    const { body } = await first
      .as(who)
      .patch('/v1/users/@me', { password: who.password, new_password: 'entirely new words' });
    const change = {
      old_auth_session_id_hash: ready.auth_session_id_hash,
      new_auth_session_id_hash: body.auth_session_id_hash,
    };
    expect((await client.event('AUTH_SESSION_CHANGE')).d).toEqual(change);
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    const [notice] = notices.filter((data) => 'type' in data && data.type === 'AUTH_SESSION_CHANGE');
    expect(notice).toEqual({
      type: 'AUTH_SESSION_CHANGE',
      account_id: who.id,
      session_id: expect.any(String),
      d: change,
    });
    const thief = await GatewayClient.connect(second);
    thief.resume(who.authorization, ready.session_id, 1);
    expect(await thief.closed()).toEqual([4004, 'Invalid token']);
    const back = await GatewayClient.connect(second);
    back.resume(body.token, ready.session_id, 1);
    await back.event('RESUMED');
    expect(second.frames.join('')).not.toContain(body.token);
  });

  test('a session of another replica is unknown: op 9', async () => {
    const who = await person(first);
    const { client, ready } = await GatewayClient.identify(first, who.authorization);
    const elsewhere = await GatewayClient.connect(second);
    elsewhere.resume(who.authorization, ready.session_id, 1);
    expect(await elsewhere.next()).toEqual({ op: 9, d: false });
    await client.sendHeartbeat();
  });

  test('a revocation during a lost notification connection is applied when it is restored', async () => {
    const who = await person(first);
    const { client } = await GatewayClient.identify(second, who.authorization);
    const { client: spared } = await GatewayClient.identify(second, await signIn(first, who));
    await first.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'gatehouse notices' AND datname = current_database()`);
    await first.sql(
      'UPDATE session SET revoked_at = now() WHERE account_id = $1 AND id = (SELECT min(id) FROM session WHERE account_id = $1)',
      [who.id],
    );
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    await spared.sendHeartbeat();
    while (!second.app.get(ReplicaBus).isConnected) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
