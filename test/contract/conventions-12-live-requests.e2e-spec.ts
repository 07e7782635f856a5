import { existsSync, fstatSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Module, Post } from '@nestjs/common';
import fc from 'fast-check';
import { readJson } from '../../src/http/body.js';
import { LiveRequests } from '../../src/http/live-requests.js';
import type { Call } from '../../src/policy/call.js';
import { Accepts, CurrentCall, Public } from '../../src/policy/decorators.js';
import {
  type Gatehouse,
  gatehouse,
  newWebhook,
  pathOf,
  person,
  RawConnection,
  shortenTimers,
  uploadFile,
  withGatehouse,
} from '../support/index.js';

const CHECK_MS = 1000;
const MAX_IN_FLIGHT = 8;
const PER_ADDRESS = 4;
const MIB = 1024 * 1024;
const SIZE = 24 * MIB;
const HAS_DESCRIPTORS = existsSync('/proc/self/fd');

/** Functions that let the waiting handlers return. */
const held: (() => void)[] = [];
let most = 0;
let inside = 0;

@Controller('v1/probe')
class ProbeController {
  @Get('held')
  @Public()
  async hold() {
    most = Math.max(most, ++inside);
    await new Promise<void>((resolve) => held.push(resolve));
    inside--;
    return {};
  }

  @Get('quick')
  @Public()
  quick() {
    return {};
  }

  @Post('late')
  @Accepts('raw')
  @Public()
  async late(@CurrentCall() call: Call) {
    await new Promise<void>((resolve) => held.push(resolve));
    return readJson(call, 1000);
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

const release = () => {
  for (const resume of held.splice(0)) resume();
};

let service: Gatehouse;
let live: LiveRequests;
let large: string;
let hook: string;
beforeAll(async () => {
  const restoreTimers = shortenTimers(CHECK_MS, 50);
  service = await gatehouse({
    modules: [ProbeModule],
    env: {
      MAX_IN_FLIGHT: String(MAX_IN_FLIGHT),
      MAX_DOWNLOADS_PER_ADDRESS: String(PER_ADDRESS),
      MEDIA_MAX_UPLOAD_BYTES: String(SIZE),
      ...{ RATE_LIMITS: 'off', ABUSE_BANS: 'off' },
    },
  });
  restoreTimers();
  live = service.app.get(LiveRequests);
  const alice = await person(service, 'alice');
  large = pathOf((await uploadFile(service, alice, 'large.bin', Buffer.alloc(SIZE, 'x'))).url);
  hook = (await newWebhook(service, alice)).path;
});
afterAll(() => service.close());

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: gatehouse.test\r\n\r\n`;
const post = (path: string, type: string, length: number, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;
const MULTIPART = 'multipart/form-data; boundary=b';
const PART = '--b\r\nContent-Disposition: form-data; name="content"\r\n\r\nwords';
const stalledForm = (): string => post(hook, MULTIPART, 5000, PART);
const stalledLogin = (): string => post('/v1/auth/login', 'application/json', 5000, '{"email"');

/** Opens a connection. Nothing is read from it until the test resumes it. */
function open(from = '127.0.0.1'): Promise<Socket> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port: service.port, host: '127.0.0.1', localAddress: from }, () =>
      resolve(socket),
    );
    socket.on('error', () => {});
  });
}

const countsOf = ({ counts }: { counts: Map<string, number> }): Map<string, number> => counts;
const counts = () => countsOf(live as unknown as { counts: Map<string, number> });

/** Waits until no request is live. Every count must be zero by then. */
async function quiet(): Promise<void> {
  while (live.size > 0) await delay(5);
  // Work that was in progress may still try to continue.
  for (let turn = 0; turn < 20; turn++) await delay(1);
  expect([...counts()]).toEqual([]);
}

/** Number of open file descriptors of the large file. */
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return fstatSync(Number(fd)).size === SIZE;
    } catch {
      return false;
    }
  }).length;

const corrections = (): string[] =>
  service.log.filter((line) => line.includes('the count of active requests was wrong'));

describe('conventions.md 12: connections that break with requests in progress', () => {
  test('an unread download with an unfinished body behind it does not affect other callers', async () => {
    for (let round = 0; round < 2 * MAX_IN_FLIGHT; round++) {
      const socket = await open();
      socket.write(get(large) + stalledForm());
      while (live.count('body') < 1 || live.count('response') < 1) await delay(2);
      socket.resetAndDestroy();
      await quiet();
    }
    expect((await service.anonymous.get('/.well-known/service')).status).toBe(200);
  });

  test('downloads that are prepared while the connection breaks do not affect other callers either', async () => {
    for (let round = 0; round < 4 * PER_ADDRESS; round++) {
      const socket = await open();
      socket.write(get('/v1/probe/held') + get(large).repeat(3));
      while (live.size < 4) await delay(1);
      socket.resetAndDestroy();
      await quiet();
      release();
      await quiet();
    }
    const connection = await RawConnection.open(service);
    expect((await connection.send(get(large)).readResponse()).status).toBe(200);
    connection.close();
    await quiet();
  });

  const title = 'pipelined downloads leave no file open';
  (HAS_DESCRIPTORS ? test : test.skip)(HAS_DESCRIPTORS ? title : `${title} (needs /proc)`, async () => {
    const before = openFiles();
    for (let round = 0; round < PER_ADDRESS; round++) {
      const socket = await open();
      socket.write(get(large).repeat(4));
      while (openFiles() < before + 4) await delay(2);
      socket.resetAndDestroy();
      await quiet();
    }
    expect(openFiles()).toBe(before);
  });

  test('a pipelined login that breaks off is not logged as a failure of the service', async () => {
    const from = service.log.length;
    const socket = await open();
    socket.write(get('/v1/probe/held') + stalledLogin());
    while (live.count('body') < 1) await delay(2);
    socket.resetAndDestroy();
    await quiet();
    release();
    const lines = service.log
      .slice(from)
      .filter((line) => line.includes('request failed') || line.includes('GuardFault'));
    expect(lines).toEqual([]);
  });

  test('no body is awaited after the response is complete', async () => {
    const socket = await open();
    socket.write(get('/v1/probe/held') + post('/v1/probe/late', 'application/json', 500, '{'));
    while (held.length < 2) await delay(2);
    socket.resetAndDestroy();
    await quiet();
    release();
    await quiet();
  });
});

describe('conventions.md 12: pipelining', () => {
  test('at most 16 requests of a connection are in progress; the others follow in order', () =>
    withGatehouse({ modules: [ProbeModule], env: { RATE_LIMITS: 'off' } }, async (other) => {
      most = 0;
      const connection = await RawConnection.open(other);
      connection.send(get('/v1/probe/held').repeat(40) + get('/v1/nope') + get('/v1/probe/quick').repeat(500));
      while (held.length < 16) await delay(2);
      await delay(20);
      expect([held.length, other.app.get(LiveRequests).count('work')]).toEqual([16, 16]);
      const releasing = setInterval(release, 2);
      const statuses: number[] = [];
      while (statuses.length < 541) statuses.push((await connection.readResponse()).status);
      clearInterval(releasing);
      expect(statuses).toEqual([...Array(40).fill(200), 404, ...Array(500).fill(200)]);
      expect(most).toBe(16);
      connection.close();
    }));

  test('a connection with queued requests is not read', async () => {
    const socket = await open();
    const flood = get('/v1/probe/held').repeat(20_000);
    for (let piece = 0; piece < 20; piece++) socket.write(flood);
    while (held.length < 8) await delay(2);
    let size = -1;
    while (size !== live.size) {
      size = live.size;
      await delay(50);
    }
    expect(size).toBeLessThan(10_000);
    socket.resetAndDestroy();
    release();
    await quiet();
  });
});

describe('conventions.md 12: counts of requests', () => {
  test('equal the live requests; a difference is reported, measured and corrected', async () => {
    const from = corrections().length;
    counts().set('work', 3);
    counts().set('body/192.0.2.1', 1);
    while (counts().size > 0) await delay(10);
    const lines = corrections()
      .slice(from)
      .map((line) => JSON.parse(line));
    expect(lines.map(({ count, counted, live: real }) => [count, counted, real])).toEqual([
      ['work', 3, 0],
      ['body', 1, 0],
    ]);
    expect(JSON.stringify(lines)).not.toContain('192.0.2.1');
    const metrics = (await service.anonymous.get('/metrics')).text;
    expect(metrics).toContain('gatehouse_request_count_corrections_total{count="work"} 1');
    expect((await service.anonymous.get('/.well-known/service')).status).toBe(200);
  });

  type Step = { at: number } & (
    | { do: 'send'; what: 'quick' | 'held' | 'late' | 'large' | 'form' | 'login' | 'nonsense'; times: number }
    | { do: 'more' | 'finish' | 'read' | 'stall' | 'half-close' | 'reset' | 'close' | 'answer' | 'pass' }
  );
  const at = fc.nat({ max: 5 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      at,
      do: fc.constant('send' as const),
      what: fc.constantFrom('quick', 'held', 'late', 'large', 'form', 'login', 'nonsense'),
      times: fc.integer({ min: 1, max: 20 }),
    }),
    fc.record({
      at,
      do: fc.constantFrom('more', 'finish', 'read', 'stall', 'half-close', 'reset', 'close', 'answer', 'pass'),
    }),
  );
  const bytesOf = {
    quick: () => get('/v1/probe/quick'),
    held: () => get('/v1/probe/held'),
    late: () => post('/v1/probe/late', 'application/json', 30, '{"a":'),
    large: () => get(large),
    form: stalledForm,
    login: stalledLogin,
    nonsense: () => 'NONSENSE\r\n\r\n',
  };

  /** Number of test connections that the service has accepted, and how many of them it has not closed. */
  const accepted = { all: 0, open: 0 };
  const count = (socket: Socket): void => {
    if (!socket.remoteAddress?.startsWith('127.1.0.')) return;
    accepted.all++;
    accepted.open++;
    socket.once('close', () => accepted.open--);
  };
  beforeAll(() => void service.app.getHttpServer().on('connection', count));

  async function run(steps: readonly Step[]): Promise<void> {
    const sockets: Socket[] = [];
    let expected = accepted.all;
    for (const { at: place, ...step } of steps) {
      let socket = sockets[place];
      if (!socket || socket.destroyed) {
        socket = await open(`127.1.0.${place + 1}`);
        sockets[place] = socket;
        expected++;
      }
      if (step.do === 'send' && socket.writable) socket.write(bytesOf[step.what]().repeat(step.times));
      else if (step.do === 'more' && socket.writable) socket.write('x');
      else if (step.do === 'finish' && socket.writable) socket.write(' '.repeat(5000));
      else if (step.do === 'read') socket.resume();
      else if (step.do === 'stall') socket.pause();
      else if (step.do === 'half-close') socket.end();
      else if (step.do === 'reset') socket.resetAndDestroy();
      else if (step.do === 'close') socket.destroy();
      else if (step.do === 'answer') release();
      else if (step.do === 'pass') await delay(3);
    }
    for (const socket of sockets) socket?.destroy();
    // The service does not read from a connection while its requests are queued. It sees the end after the responses.
    while (accepted.all < expected || accepted.open > 0) {
      release();
      await delay(2);
    }
    release();
    await quiet();
  }

  test('are zero after requests, pipelining, aborts, half-closes and stalls in any order', async () => {
    const from = corrections().length;
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), run), { numRuns: 60 });
    expect(corrections()).toHaveLength(from);
    expect((await service.anonymous.get('/.well-known/service')).status).toBe(200);
  });
});
