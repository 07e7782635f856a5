import { request } from 'node:http';
import { connect } from 'node:net';
import { Load } from '../../src/http/load.js';
import { advanceGateway, blockLookups, checkGatewayClock, GatewayClient } from '../support/gateway-client.js';
import {
  ban,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  liftBan,
  type Persona,
  person,
  RawConnection,
} from '../support/index.js';
import { frame, HANDSHAKE, parseLastClose, upgradeBytes } from '../support/raw-gateway.js';

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

/** Returns the response to an upgrade request that the service rejects. */
function refusedUpgrade(path: string, headers: Record<string, string> = HANDSHAKE, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: { code: string } }>(
    (resolve, reject) => {
      const call = request({ port: service.port, host: '127.0.0.1', path, method, headers, agent: false });
      call.on('upgrade', (_res, socket) => {
        socket.destroy();
        reject(new Error('the upgrade was accepted'));
      });
      call.on('error', reject);
      call.on('response', (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (chunk) => {
          text += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: JSON.parse(text) }));
      });
      call.end();
    },
  );
}

/** Sends pieces of data on a plain TCP connection. Returns all data received until the service closes it. */
function raw(...pieces: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true }, async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((next) => setImmediate(next));
      }
    });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** Returns the close code and reason from the last frame that the service sent on a raw connection. */
async function rawClose(...frames: Buffer[]): Promise<[number, string]> {
  return parseLastClose(await raw(Buffer.concat([Buffer.from(upgradeBytes()), ...frames])));
}

describe('gateway 1: connecting', () => {
  test.each(['', '?v=1', '?encoding=etf&compress=zlib&x=%FF', '?v=1&token=abc'])('%j gets Hello', async (query) => {
    const client = await GatewayClient.open(service, query);
    expect(await client.next()).toEqual({ op: 10, d: { heartbeat_interval: 41250 } });
    await client.terminate();
  });

  test.each(['?v=2', '?v=', '?v', '?v=1&v=1', '?v=1&v=2', '?v=01', '?v=1?', '?%76=2'])(
    '%j closes with 4012 without Hello',
    async (query) => {
      const client = await GatewayClient.open(service, query);
      expect(await client.closed()).toEqual([4012, 'Invalid API version']);
      expect(client.received).toEqual([]);
    },
  );

  test('credentials are never read on the upgrade: not from Authorization, cookies or the query', async () => {
    const client = await GatewayClient.open(service, `?token=${alice.authorization}`, {
      authorization: alice.authorization,
      cookie: `token=${alice.authorization}`,
    });
    await client.next();
    client.send({ op: 3, d: null });
    expect(await client.closed()).toEqual([4003, 'Not authenticated']);
  });

  test('any origin may connect, and the origin grants nothing', async () => {
    const client = await GatewayClient.open(service, '', { origin: 'https://evil.example' });
    expect((await client.next()).op).toBe(10);
    await client.terminate();
  });

  test('permessage-deflate is offered and not negotiated; no subprotocol is spoken', async () => {
    const client = await GatewayClient.connect(service);
    expect(client.socket.extensions).toBe('');
    const response = await raw(
      `${upgradeBytes().trimEnd()}\r\nSec-WebSocket-Protocol: a, b\r\n\r\n\x88\x80\x00\x00\x00\x00`,
    );
    expect(response).toMatch(/^HTTP\/1.1 101 /);
    expect(response.toLowerCase()).not.toContain('sec-websocket-protocol');
    await client.terminate();
  });

  test('without an upgrade request the path does not exist', async () => {
    expectApiError(await service.anonymous.get('/gateway'), 'NOT_FOUND');
    expectApiError(await service.anonymous.post('/gateway'), 'NOT_FOUND');
  });

  test.each([
    ['/gateway/', HANDSHAKE],
    ['/Gateway', HANDSHAKE],
    ['/v1/gateway', HANDSHAKE],
    ['/gateway', { ...HANDSHAKE, Upgrade: 'h2c' }],
  ])('an upgrade of %s %j is not found', async (path, headers) => {
    const { status, body } = await refusedUpgrade(path, headers);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('only GET upgrades', async () => {
    const { status, body } = await refusedUpgrade('/gateway', HANDSHAKE, 'POST');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test.each([
    ['no key', { ...HANDSHAKE, 'Sec-WebSocket-Key': '' }],
    ['a bad key', { ...HANDSHAKE, 'Sec-WebSocket-Key': 'short' }],
    ['version 7', { ...HANDSHAKE, 'Sec-WebSocket-Version': '7' }],
    ['a bad subprotocol', { ...HANDSHAKE, 'Sec-WebSocket-Protocol': 'a,,b' }],
  ])('a handshake with %s is malformed', async (_, headers) => {
    const { status, headers: answered, body } = await refusedUpgrade('/gateway', headers);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answered['sec-websocket-version']).toBe('13');
  });

  test('too many header lines are malformed', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, 'x']));
    const { status, body } = await refusedUpgrade('/gateway', { ...HANDSHAKE, ...many });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('a banned IP address gets the same error on upgrade as over HTTP, and its sockets close', async () => {
    const client = await GatewayClient.connect(service);
    for (const seconds of [null, 60]) {
      await ban(service, '127.0.0.1', seconds);
      const response = await service.anonymous.get('/v1/users/@me');
      const upgrade = await refusedUpgrade('/gateway');
      await liftBan(service, '127.0.0.1');
      expectApiError(response, seconds ? 'GLOBAL_IP_TEMPORARILY_BANNED' : 'GLOBAL_IP_BANNED');
      expect(upgrade.status).toBe(403);
      expect(upgrade.body).toEqual(response.body);
      const shared = [...response.headers.keys()].filter((name) => !['date', 'vary', 'keep-alive'].includes(name));
      expect(Object.keys(upgrade.headers)).toEqual(expect.arrayContaining(shared));
      expect(upgrade.headers['cache-control']).toBe('no-store');
      expect(upgrade.headers.connection).toBe('close');
    }
    await ban(service, '127.0.0.1', null);
    advanceGateway(service, 1);
    await liftBan(service, '127.0.0.1');
    expect(await client.closed()).toEqual([4000, 'Session unavailable']);
  });

  test('while the service sheds load or drains, an upgrade gets 503', async () => {
    const load = service.app.get(Load);
    load.draining = true;
    const { status, headers, body } = await refusedUpgrade('/gateway');
    load.draining = false;
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
  });

  test('a request that offers another protocol is served without it, body and connection included', async () => {
    const body = '{"email":"nobody@example.com","password":"some words"}';
    const response = await raw(
      [
        'POST /v1/auth/login HTTP/1.1',
        'Host: x',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        `${body}GET /health/live HTTP/1.1`,
        'Host: x',
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    );
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
    expect(response).toContain('INVALID_EMAIL_OR_PASSWORD');
    expect(response).toContain('{"status":"ok"}');
  });

  test.each([
    ['with its length', 'Content-Length: 54', ['{"email":"nobody@example.com",', '"password":"some words"}']],
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      ['1e\r\n{"email":"nobody@example.com",\r\n', '18\r\n"password":"some words"}\r\n0\r\n\r\n'],
    ],
  ])('its body may arrive in pieces, %s, with another request after it', async (_framing, length, pieces) => {
    const connection = await RawConnection.open(service);
    const offer = ['Connection: Upgrade', 'Upgrade: h2c', 'Content-Type: application/json', length];
    connection.send(['POST /v1/auth/login HTTP/1.1', 'Host: x', ...offer, '', ''].join('\r\n'));
    for (const piece of pieces) {
      await new Promise((resolve) => setImmediate(resolve));
      connection.send(piece);
    }
    expectInvalid(
      await connection.readResponse(),
      'email: INVALID_EMAIL_OR_PASSWORD',
      'password: INVALID_EMAIL_OR_PASSWORD',
    );
    connection.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.readResponse()).status).toBe(200);
    connection.close();
  });
});

describe('gateway 1: an upgrade after another request', () => {
  test('while a response is pending, no upgrade response is written and the connection ends', async () => {
    const response = await raw(
      `GET /v1/users/@me HTTP/1.1\r\nHost: x\r\nAuthorization: ${alice.authorization}\r\n\r\n${upgradeBytes()}`,
    );
    expect(response).not.toContain('101 Switching');
  });

  test('a connection without pending responses may upgrade', async () => {
    const connection = await RawConnection.open(service);
    connection.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.readResponse()).status).toBe(200);
    connection.send(upgradeBytes());
    expect((await connection.readResponse()).status).toBe(101);
    connection.close();
  });
});

describe('gateway 2 and 3: frames and inbound processing', () => {
  /** Returns the close code and reason after a message on a socket without a session. */
  async function reactionTo(message: string | Buffer | object): Promise<[number, string]> {
    const client = await GatewayClient.connect(service);
    client.send(message);
    return client.closed();
  }

  test.each([
    ['a binary frame', Buffer.from('{"op":1}')],
    ['nothing', ''],
    ['no JSON', '{"op":1'],
    ['a primitive', '1'],
    ['null', 'null'],
    ['an array', '[{"op":1}]'],
    ['a string', '"x"'],
    ['a very deep array', '['.repeat(4096)],
  ])('%s: decode failed', async (_, message) => {
    expect(await reactionTo(message)).toEqual([4002, 'Decode failed']);
  });

  test.each([
    {},
    { d: 1 },
    { op: null },
    { op: '1' },
    { op: 1.5 },
    { op: [1] },
    { op: true },
    '{"__proto__":{"op":1}}',
    '{"op":1e999}',
  ])('%j: invalid payload', async (message) => {
    expect(await reactionTo(message)).toEqual([4002, 'Invalid payload']);
  });

  test.each([0, 3, 4, 5, 7, 8, 9, 10, 11, 12, -1, 1e15])('op %d without a session is rejected', async (op) => {
    expect(await reactionTo({ op, d: null })).toEqual([4003, 'Not authenticated']);
  });

  test('the last of duplicate members counts, and unknown members are ignored', async () => {
    const client = await GatewayClient.connect(service);
    client.send('{"op":99,"x":{"__proto__":1},"constructor":2,"op":1}');
    expect(await client.next()).toEqual({ op: 11 });
    await client.terminate();
  });

  test('a message of 4096 bytes is accepted, a longer one is too large', async () => {
    const client = await GatewayClient.connect(service);
    const padded = (size: number) => `{"op":1,"x":"${'é'.repeat(10)}`.padEnd(size - 12, 'x').concat('"}');
    expect(Buffer.byteLength(padded(4096))).toBe(4096);
    client.send(padded(4096));
    expect(await client.next()).toEqual({ op: 11 });
    client.send(padded(4097));
    expect(await client.closed()).toEqual([4002, 'Payload too large']);
  });

  test('the size is checked before the type: a large binary message is too large', async () => {
    expect(await reactionTo(Buffer.alloc(4097))).toEqual([4002, 'Payload too large']);
    expect(await reactionTo(Buffer.alloc(1_000_000))).toEqual([4002, 'Payload too large']);
  });

  test('fragments are one message, and their sizes are added', async () => {
    const client = await GatewayClient.connect(service);
    const text = '{"op": 1, "x": 1}';
    for (let at = 0; at < text.length; at += 2)
      client.socket.send(text.slice(at, at + 2), { fin: at + 2 > text.length });
    expect(await client.next()).toEqual({ op: 11 });
    for (let sent = 0; sent < 4; sent++) client.socket.send('x'.repeat(1500), { fin: false });
    expect(await client.closed()).toEqual([4002, 'Payload too large']);
  });

  test('an unfinished message of endless pieces is too large', async () => {
    const client = await GatewayClient.connect(service);
    for (let sent = 0; sent < 100; sent++) client.socket.send('x', { fin: false });
    expect(await client.closed()).toEqual([4002, 'Payload too large']);
  });

  test('a message that arrives byte by byte is accepted', async () => {
    const bytes = [...frame(0x81, '{"op":3}')].map((byte) => Buffer.from([byte]));
    expect(await raw(Buffer.from(upgradeBytes()), ...bytes)).toContain('Not authenticated');
  });

  test('an excessive declared length is too large immediately', async () => {
    const huge = Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    expect(await rawClose(huge)).toEqual([4002, 'Payload too large']);
  });

  test('invalid UTF-8: decode failed', async () => {
    expect(await rawClose(frame(0x81, Buffer.from([0x7b, 0xc3, 0x28, 0x7d])))).toEqual([4002, 'Decode failed']);
  });

  test.each([
    ['an unmasked frame', frame(0x81, Buffer.from('{"op":1}'), 0)],
    ['a compressed frame', frame(0xc1, Buffer.from('{"op":1}'))],
    ['an unknown frame type', frame(0x83, Buffer.from('{"op":1}'))],
    ['a reserved close code', frame(0x88, Buffer.from([0x03, 0xed]))],
  ])('%s violates the protocol', async (_, bytes) => {
    expect((await rawClose(bytes))[0]).toBe(1002);
  });

  test('a session accepts only heartbeats and Resume', async () => {
    for (const op of [0, 3, 7, 9, 10, 11, 4242]) {
      const { client } = await GatewayClient.identify(service, alice.authorization);
      client.send({ op });
      expect(await client.closed()).toEqual([4001, 'Unknown opcode']);
    }
  });

  test.each([{ op: 2 }, { op: 2, d: null }, { op: 2, d: { token: 'flx_x' } }])(
    'Identify with a session attached is rejected, with any payload: %j',
    async (message) => {
      const { client } = await GatewayClient.identify(service, alice.authorization);
      client.send(message);
      expect(await client.closed()).toEqual([4005, 'Already authenticated']);
    },
  );

  test('Identify for another account never switches the session', async () => {
    const bob = await person(service, 'bob');
    const { client } = await GatewayClient.identify(service, alice.authorization);
    client.send({ op: 2, d: { token: bob.authorization } });
    expect(await client.closed()).toEqual([4005, 'Already authenticated']);
    expect(client.received.filter(({ t }) => t === 'READY')).toHaveLength(1);
  });

  test('messages are handled in order: messages after Identify wait for it', async () => {
    const client = await GatewayClient.connect(service);
    client.send({ op: 2, d: { token: alice.authorization } });
    client.send({ op: 1, d: 1 });
    client.send({ op: 1, d: -1 });
    expect(await client.next()).toMatchObject({ t: 'READY' });
    await client.op(11);
    expect(await client.closed()).toEqual([4007, 'Invalid sequence']);
  });

  test('an unreadable message is also handled in order', async () => {
    const client = await GatewayClient.connect(service);
    client.send({ op: 2, d: { token: alice.authorization } });
    client.send('x'.repeat(5000));
    expect(await client.next()).toMatchObject({ t: 'READY' });
    expect(await client.closed()).toEqual([4002, 'Payload too large']);
  });

  test('32 messages may wait for Identify, the next closes', async () => {
    for (const [waiting, isTaken] of [
      [32, true],
      [33, false],
    ] as const) {
      const client = await GatewayClient.connect(service);
      const release = await blockLookups(service);
      client.send({ op: 2, d: { token: alice.authorization } });
      for (let sent = 0; sent < waiting; sent++) client.send({ op: 1 });
      if (!isTaken) expect(await client.closed()).toEqual([4008, 'Rate limited']);
      await release();
      if (isTaken) {
        await client.event('READY');
        for (let seen = 0; seen < waiting; seen++) await client.op(11);
        await client.terminate();
      }
    }
  });
});

describe('gateway 6: heartbeat', () => {
  test('any heartbeat of a socket without a session is acknowledged', async () => {
    const client = await GatewayClient.connect(service);
    for (const d of [null, undefined, 5, -5, 1.5, 'x', {}]) await client.sendHeartbeat(d);
    await client.terminate();
  });

  test.each([-1, 1.5, '1', {}, [], true, false])('with a session, %j is an invalid sequence', async (d) => {
    const { client } = await GatewayClient.identify(service, (await person(service)).authorization);
    await client.sendHeartbeat(null);
    await client.sendHeartbeat();
    await client.sendHeartbeat(0);
    await client.sendHeartbeat(99);
    client.send({ op: 1, d });
    expect(await client.closed()).toEqual([4007, 'Invalid sequence']);
  });

  test('a silent client is prompted once after 41,250 ms and closed after 55,000 ms', async () => {
    const { client } = await GatewayClient.identify(service, (await person(service)).authorization);
    await client.event('SESSIONS_REPLACE');
    advanceGateway(service, 40);
    expect(await client.drain()).toEqual([]);
    advanceGateway(service, 1.5);
    checkGatewayClock(service);
    advanceGateway(service, 12);
    expect(await client.drain()).toEqual([{ op: 1, d: null }]);
    advanceGateway(service, 2);
    expect(await client.closed()).toEqual([4009, 'Heartbeat timeout']);
  });

  test('a heartbeat resets the timeout, a ping does not', async () => {
    const { client } = await GatewayClient.identify(service, (await person(service)).authorization);
    advanceGateway(service, 41.5);
    expect(await client.op(1)).toEqual({ op: 1, d: null });
    await client.sendHeartbeat(null);
    advanceGateway(service, 36);
    expect(await client.drain()).toEqual([]);
    advanceGateway(service, 6);
    expect(await client.op(1)).toEqual({ op: 1, d: null });
    await client.drain();
    advanceGateway(service, 14);
    expect(await client.closed()).toEqual([4009, 'Heartbeat timeout']);
  });

  test('a client that has not identified after 60 s is closed, even with heartbeats', async () => {
    const client = await GatewayClient.connect(service);
    for (let waited = 0; waited < 58; waited += 29) {
      advanceGateway(service, 29);
      await client.sendHeartbeat();
    }
    client.resume(alice.authorization, 'f'.repeat(32), 1);
    await client.op(9);
    advanceGateway(service, 2.5);
    expect(await client.closed()).toEqual([4009, 'Heartbeat timeout']);
  });
});
