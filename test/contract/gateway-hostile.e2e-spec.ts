import type { Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MetricsReader } from '../../src/core/metrics.js';
import { LiveSessions } from '../../src/gateway/sessions/live-sessions.service.js';
import { until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { advanceGateway, checkGatewayClock, GatewayClient } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, person, RawConnection } from '../support/index.js';
import { frame, identifyOn, openRawGateway, parseLastClose, upgradeBytes } from '../support/raw-gateway.js';

const NUMBERS = { sockets_per_address: 250, close_ms: 50 };
const FRAGMENTS = 16;

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { GATEWAY_NUMBERS: JSON.stringify(NUMBERS) } });
});
afterAll(() => service.close());

const openSockets = ({ app } = service) => app.get(MetricsReader).total('gatehouse_gateway_sockets');

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
async function heard(wires: readonly RawConnection[], mark: string): Promise<void> {
  for (const connection of wires) connection.send(frame(0x89, mark));
  for (const connection of wires) await connection.until(mark);
}

describe('gateway 2: messages that never end', () => {
  const PONGS = Buffer.concat(Array<Buffer>(10_000).fill(frame(0x8a)));
  // Within a message, clients cannot send heartbeats, and a busy machine may need longer than the usual timeout.
  const PATIENT = { ...NUMBERS, heartbeat_timeout_ms: 900_000, identify_deadline_ms: 900_000 };
  let patient: Gatehouse;
  beforeAll(async () => {
    patient = await gatehouse({ env: { GATEWAY_NUMBERS: JSON.stringify(PATIENT) } });
  });
  afterAll(() => patient.close());

  test.each([
    ['tiny pieces', 240, Buffer.alloc(0), 10_000],
    ['tiny pieces behind as much else as is read at once', 16, PONGS, 100_000],
  ])('%s use little memory, and one more piece ends them', async (_, sockets, before, limit) => {
    const wires = await Promise.all(Array.from({ length: sockets }, () => openRawGateway(patient)));
    await heard(wires, 'begin');
    const empty = heldBytes();
    for (let sent = 0; sent < FRAGMENTS; sent++) {
      for (const connection of wires) connection.send(Buffer.concat([before, frame(sent ? 0 : 1, '{')]));
      await heard(wires, `piece ${sent}.`);
    }
    const perSocket = (heldBytes() - empty) / wires.length;
    expect(perSocket).toBeLessThan(limit);
    for (const connection of wires) connection.send(frame(0, '{'));
    for (const connection of wires) {
      await connection.closed;
      expect(parseLastClose(connection.unread)).toEqual([4002, 'Payload too large']);
    }
    await until(async () => (await openSockets(patient)) === 0);
  });
});

describe('gateway 6: slow clients', () => {
  test('a message sent a byte at a time does not count as a heartbeat, nor do pings: 4009, session retained', async () => {
    const who = await person(service);
    const [early, late] = await Promise.all([openRawGateway(service), openRawGateway(service)]);
    const ready = await identifyOn(late, who.authorization);
    const bytes = frame(0x81, JSON.stringify({ op: 1, d: null, x: 'x'.repeat(100) }));
    for (let at = 0; at < 11; at++) {
      for (const connection of [early, late]) connection.send(bytes.subarray(at, at + 1));
      advanceGateway(service, 5);
      await new Promise((resolve) => setImmediate(resolve));
    }
    advanceGateway(service, 1);
    for (const connection of [early, late]) {
      await connection.closed;
      expect(parseLastClose(connection.unread)).toEqual([4009, 'Heartbeat timeout']);
    }
    const back = await GatewayClient.connect(service);
    back.resume(who.authorization, ready.session_id, 1);
    await back.event('RESUMED');
    await back.terminate();
  });

  test('fragments with pings between them do not count either', async () => {
    const connection = await openRawGateway(service);
    for (let sent = 0; sent < 11; sent++) {
      connection.send(frame(sent ? 0 : 1, ' '));
      await heard([connection], `ping ${sent}.`);
      advanceGateway(service, 5);
    }
    advanceGateway(service, 1);
    await connection.closed;
    expect(parseLastClose(connection.unread)).toEqual([4009, 'Heartbeat timeout']);
  });

  test('an upgrade request sent a byte at a time ends with 408', async () => {
    const server = service.app.getHttpServer() as Server;
    const { headersTimeout } = server;
    server.headersTimeout = 200;
    const connection = await RawConnection.open(service);
    const [start = '', ...fields] = upgradeBytes().split('\r\n');
    const text = [start, `X: ${'x'.repeat(10_000)}`, ...fields].join('\r\n');
    let isAnswered = false;
    const response = connection.readResponse().finally(() => {
      isAnswered = true;
    });
    for (let at = 0; at < text.length && !isAnswered; at++) {
      connection.send(text[at] as string);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { status, body } = await response;
    server.headersTimeout = headersTimeout;
    expect([status, body.code]).toEqual([408, 'BAD_REQUEST']);
    await connection.closed;
    expect(headersTimeout).toBe(10_000);
  });
});

describe('gateway 6: peers that disappear', () => {
  test('are closed after missed heartbeats, free their place, and may resume', async () => {
    const who = await person(service);
    const { proxy, url } = await CuttableProxy.to(service.url, 80);
    const far = { ...service, port: Number(new URL(url).port) };
    const clients = await Promise.all(
      Array.from({ length: NUMBERS.sockets_per_address - 1 }, () => GatewayClient.connect(far)),
    );
    const { client, ready } = await GatewayClient.identify(far, who.authorization);
    const { s: seq = 0 } = await client.event('SESSIONS_REPLACE');
    const extra = await GatewayClient.open(service);
    expect(await extra.closed()).toEqual([4008, 'Too many connections']);
    await until(async () => (await openSockets()) === NUMBERS.sockets_per_address);
    proxy.stopForwarding();
    const session = service.app.get(LiveSessions).find(ready.session_id);
    advanceGateway(service, 42);
    checkGatewayClock(service);
    expect(session?.holder).not.toBeNull();
    expect(await openSockets()).toBe(NUMBERS.sockets_per_address);
    advanceGateway(service, 14);
    expect(session?.holder).toBeNull();
    await until(async () => (await openSockets()) === 0);
    const back = await GatewayClient.connect(service);
    back.resume(who.authorization, ready.session_id, seq);
    await back.event('RESUMED');
    await back.terminate();
    expect(clients.every(({ received }) => received.length === 1)).toBe(true);
    proxy.close();
  });
});
