import type { Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Metrics } from '../../src/core/metrics.js';
import { LiveSessions } from '../../src/gateway/sessions/live-sessions.service.js';
import { until } from '../machine/service-process.js';
import { Detour } from '../support/cuttable-proxy.js';
import { GatewayClient, pass, tick } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, person, Wire } from '../support/index.js';
import { frame, identifyOn, lastClose, upgradeBytes, upgraded } from '../support/raw-gateway.js';

const NUMBERS = { sockets_per_address: 250, close_ms: 50 };
const FRAGMENTS = 16;

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { GATEWAY_NUMBERS: JSON.stringify(NUMBERS) } });
});
afterAll(() => service.close());

const openSockets = async () => (await service.app.get(Metrics).sockets.get()).values[0]?.value ?? 0;

beforeEach(() => until(async () => (await openSockets()) === 0));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A garbage collection frees buffers in the background. The second collection waits until that is done. */
function heldBytes(): number {
  for (let count = 0; count < 2; count++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Waits until the service has read all sent data, that is, until it answers a ping sent after the data. */
async function heard(wires: readonly Wire[], mark: string): Promise<void> {
  for (const wire of wires) wire.send(frame(0x89, mark));
  for (const wire of wires) await wire.until(mark);
}

describe('gateway 2: messages that never end', () => {
  const PONGS = Buffer.concat(Array<Buffer>(10_000).fill(frame(0x8a)));

  test.each([
    ['tiny pieces', 240, Buffer.alloc(0), 10_000],
    ['tiny pieces behind as much else as is read at once', 16, PONGS, 100_000],
  ])('%s hold little memory, one piece more ends them', async (_, sockets, before, limit) => {
    const wires = await Promise.all(Array.from({ length: sockets }, () => upgraded(service)));
    await heard(wires, 'begin');
    const empty = heldBytes();
    for (let sent = 0; sent < FRAGMENTS; sent++) {
      for (const wire of wires) wire.send(Buffer.concat([before, frame(sent ? 0 : 1, '{')]));
      await heard(wires, `piece ${sent}.`);
    }
    const perSocket = (heldBytes() - empty) / wires.length;
    expect(perSocket).toBeLessThan(limit);
    for (const wire of wires) wire.send(frame(0, '{'));
    for (const wire of wires) {
      await wire.closed;
      expect(lastClose(wire.unread)).toEqual([4002, 'Payload too large']);
    }
    await until(async () => (await openSockets()) === 0);
  });
});

describe('gateway 6: slow clients', () => {
  test('a message that comes a byte at a time is no heartbeat, nor are pings: 4009, session retained', async () => {
    const who = await person(service);
    const [early, late] = await Promise.all([upgraded(service), upgraded(service)]);
    const ready = await identifyOn(late, who.authorization);
    const bytes = frame(0x81, JSON.stringify({ op: 1, d: null, x: 'x'.repeat(100) }));
    for (let at = 0; at < 11; at++) {
      for (const wire of [early, late]) wire.send(bytes.subarray(at, at + 1));
      pass(service, 5);
      await new Promise((resolve) => setImmediate(resolve));
    }
    pass(service, 1);
    for (const wire of [early, late]) {
      await wire.closed;
      expect(lastClose(wire.unread)).toEqual([4009, 'Heartbeat timeout']);
    }
    const back = await GatewayClient.greeted(service);
    back.resume(who.authorization, ready.session_id, 1);
    await back.event('RESUMED');
    await back.vanish();
  });

  test('fragments with pings between them prove nothing either', async () => {
    const wire = await upgraded(service);
    for (let sent = 0; sent < 11; sent++) {
      wire.send(frame(sent ? 0 : 1, ' '));
      await heard([wire], `ping ${sent}.`);
      pass(service, 5);
    }
    pass(service, 1);
    await wire.closed;
    expect(lastClose(wire.unread)).toEqual([4009, 'Heartbeat timeout']);
  });

  test('an upgrade request that comes a byte at a time ends with 408', async () => {
    const server = service.app.getHttpServer() as Server;
    const { headersTimeout } = server;
    server.headersTimeout = 200;
    const wire = await Wire.open(service);
    const [start = '', ...fields] = upgradeBytes().split('\r\n');
    const text = [start, `X: ${'x'.repeat(10_000)}`, ...fields].join('\r\n');
    let isAnswered = false;
    const answer = wire.answer().finally(() => {
      isAnswered = true;
    });
    for (let at = 0; at < text.length && !isAnswered; at++) {
      wire.send(text[at] as string);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { status, body } = await answer;
    server.headersTimeout = headersTimeout;
    expect([status, body.code]).toEqual([408, 'BAD_REQUEST']);
    await wire.closed;
    expect(headersTimeout).toBe(10_000);
  });
});

describe('gateway 6: peers that are gone without a word', () => {
  test('are dropped when their heartbeats fail to come, make room, and may resume', async () => {
    const who = await person(service);
    const { detour, url } = await Detour.to(service.url, 80);
    const far = { ...service, port: Number(new URL(url).port) };
    const clients = await Promise.all(
      Array.from({ length: NUMBERS.sockets_per_address - 1 }, () => GatewayClient.greeted(far)),
    );
    const { client, ready } = await GatewayClient.identified(far, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    const extra = await GatewayClient.open(service);
    expect(await extra.closed()).toEqual([4008, 'Too many connections']);
    await until(async () => (await openSockets()) === NUMBERS.sockets_per_address);
    detour.swallow();
    const session = service.app.get(LiveSessions).find(ready.session_id);
    pass(service, 42);
    tick(service);
    expect(session?.holder).not.toBeNull();
    expect(await openSockets()).toBe(NUMBERS.sockets_per_address);
    pass(service, 14);
    expect(session?.holder).toBeNull();
    await until(async () => (await openSockets()) === 0);
    const back = await GatewayClient.greeted(service);
    back.resume(who.authorization, ready.session_id, seq);
    await back.event('RESUMED');
    await back.vanish();
    expect(clients.every(({ received }) => received.length === 1)).toBe(true);
    detour.close();
  });
});
