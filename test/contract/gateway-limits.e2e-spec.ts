import { randomBytes } from 'node:crypto';
import { eventOf, journalEvent } from '../../src/gateway/protocol/event.js';
import { LiveSessions } from '../../src/gateway/sessions/live-sessions.service.js';
import { advanceGateway, blockLookups, GatewayClient } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, newApp, person } from '../support/index.js';

const NUMBERS = {
  sockets_per_address: 5,
  payloads_per_socket: 8,
  payloads_per_session: 12,
  payloads_per_address: 60,
  attempts_per_address: 6,
  sessions_per_user: 2,
  sessions_per_bot: 3,
  starts_at_once: 1,
  unsent_bytes: 200_000,
};

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { RATE_LIMITS: 'on', GATEWAY_NUMBERS: JSON.stringify(NUMBERS) } });
});
afterAll(() => service.close());
// Ends the rate-limit windows of the IP addresses and sessions that the previous test used.
beforeEach(() => void advanceGateway(service, 130));

/** Sends `count` heartbeats and returns how many were acknowledged, also if the service closes the connection. */
async function beats(client: GatewayClient, count: number): Promise<number> {
  for (let sent = 0; sent < count; sent++) client.send({ op: 1 });
  await Promise.race([client.drain(), client.closed()]);
  return client.received.filter(({ op }) => op === 11).length;
}

describe('gateway 10: limits', () => {
  test('sockets per IP address: one more closes with 4008 before the version is checked, until one ends', async () => {
    const clients = [];
    for (let open = 0; open < NUMBERS.sockets_per_address; open++) clients.push(await GatewayClient.connect(service));
    const extra = await GatewayClient.open(service, '?v=9');
    expect(await extra.closed()).toEqual([4008, 'Too many connections']);
    expect(extra.received).toEqual([]);
    await clients.pop()?.terminate();
    await (await GatewayClient.connect(service)).terminate();
    for (const client of clients) await client.terminate();
  });

  test('payloads per socket in a rolling 60 s', async () => {
    const client = await GatewayClient.connect(service);
    expect(await beats(client, 4)).toBe(4);
    advanceGateway(service, 31);
    expect(await beats(client, 4)).toBe(8);
    advanceGateway(service, 28);
    client.send({ op: 1 });
    expect(await client.closed()).toEqual([4008, 'Rate limited']);

    const patient = await GatewayClient.identify(service, (await person(service)).authorization);
    await beats(patient.client, 3);
    advanceGateway(service, 31);
    await beats(patient.client, 4);
    advanceGateway(service, 30);
    expect(await beats(patient.client, 4)).toBe(11);
    await patient.client.terminate();
  });

  test('unreadable payloads consume nothing', async () => {
    const client = await GatewayClient.connect(service);
    expect(await beats(client, 8)).toBe(8);
    client.send('nothing');
    expect(await client.closed()).toEqual([4002, 'Decode failed']);
  });

  test('payloads per session in a fixed 60 s, which a Resume does not restart', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    await beats(client, 7);
    await client.terminate();
    const second = await GatewayClient.connect(service);
    second.resume(who.authorization, ready.session_id, 1);
    await second.event('RESUMED');
    await beats(second, 6);
    expect(await second.closed()).toEqual([4008, 'Rate limited']);
    expect(second.received.filter(({ op }) => op === 11)).toHaveLength(5);
  });

  test('payloads per IP address in a fixed 60 s', async () => {
    for (let sent = 0; sent + 8 <= NUMBERS.payloads_per_address; sent += 8) {
      const client = await GatewayClient.connect(service);
      expect(await beats(client, 8)).toBe(8);
      await client.terminate();
    }
    const client = await GatewayClient.connect(service);
    expect(await beats(client, 5)).toBe(4);
    expect(await client.closed()).toEqual([4008, 'Rate limited']);
    advanceGateway(service, 61);
    const later = await GatewayClient.connect(service);
    expect(await beats(later, 5)).toBe(5);
    await later.terminate();
  });

  test('Identify and Resume attempts beyond the budget of the IP address are dropped without a response', async () => {
    const client = await GatewayClient.connect(service);
    for (let sent = 0; sent < NUMBERS.attempts_per_address; sent++) {
      const other = await GatewayClient.connect(service);
      if (sent % 2) other.send({ op: 2, d: null });
      else other.resume('x', 'x', 1);
      await other.closed();
    }
    client.send({ op: 2, d: null });
    client.send({ op: 6, d: null });
    client.send({ op: 1 });
    expect(await client.next()).toEqual({ op: 11 });
    advanceGateway(service, 41.5);
    await client.sendHeartbeat();
    advanceGateway(service, 18);
    await client.terminate();
    const later = await GatewayClient.connect(service);
    advanceGateway(service, 1);
    later.send({ op: 2, d: null });
    expect(await later.closed()).toEqual([4002, 'Invalid identify payload']);
  });

  test('sessions per user and per bot, including retained ones', async () => {
    const who = await person(service);
    const robot = (await newApp(service, who)).bot.slice('Bot '.length);
    for (const [token, limit] of [
      [who.authorization, NUMBERS.sessions_per_user],
      [robot, NUMBERS.sessions_per_bot],
    ] as const) {
      advanceGateway(service, 61);
      for (let live = 0; live < limit; live++) {
        const { client } = await GatewayClient.identify(service, token);
        await client.terminate();
      }
      const extra = await GatewayClient.connect(service);
      extra.send({ op: 2, d: { token } });
      expect(await extra.closed()).toEqual([4008, 'Too many sessions']);
      advanceGateway(service, 61);
      const { client } = await GatewayClient.identify(service, token);
      await client.terminate();
    }
  });

  test('a start waits for capacity, and fails after 10 s', async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => person(service)));
    const release = await blockLookups(service);
    const slow = await GatewayClient.connect(service);
    slow.send({ op: 2, d: { token: first?.authorization } });
    await slow.drain();
    const waiting = await GatewayClient.connect(service);
    waiting.send({ op: 2, d: { token: second?.authorization } });
    await waiting.drain();
    advanceGateway(service, 9);
    const lucky = await GatewayClient.connect(service);
    lucky.send({ op: 2, d: { token: third?.authorization } });
    await lucky.drain();
    advanceGateway(service, 1.5);
    expect(await waiting.closed()).toEqual([4000, 'Failed to start session']);
    await release();
    await slow.event('READY');
    await lucky.event('READY');
    await Promise.all([slow.terminate(), lucky.terminate()]);
  });

  test('a client that does not read is closed, and its session kept', async () => {
    const who = await person(service);
    const { client, ready } = await GatewayClient.identify(service, who.authorization);
    client.socket.pause();
    const sessions = service.app.get(LiveSessions);
    // Not compressible, so that the buffers of the operating system become full.
    const webhook_id = randomBytes(75_000).toString('base64');
    for (let n = 1; sessions.find(ready.session_id)?.holder; n++) {
      sessions.dispatch(who.id, journalEvent(n, eventOf('WEBHOOKS_UPDATE', { webhook_id, action: 'update' })));
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.resume();
    expect(await client.closed()).toEqual([4000, 'Session unavailable']);
    const back = await GatewayClient.connect(service);
    const last = client.received.findLast(({ s }) => s !== undefined)?.s ?? 0;
    back.resume(who.authorization, ready.session_id, last);
    await back.event('RESUMED');
    await back.terminate();
  });
});
