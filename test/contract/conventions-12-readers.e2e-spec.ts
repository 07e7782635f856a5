import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LiveRequests } from '../../src/http/live-requests.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  pathOf,
  person,
  type RawResponse,
  sendRaw,
  shortenTimers,
  uploadFile,
} from '../support/index.js';

const CROWD = 600;
const PER_ADDRESS = 8;
// Lower than PER_ADDRESS. If readers counted as work in progress, they would block other requests.
const MAX_IN_FLIGHT = 6;
const [A, B] = ['127.1.0.1', '127.1.0.2'];
const MIB = 1024 * 1024;
/** Maximum number of bytes that the operating system buffers for one end of a connection. */
const taken = (end: 'rmem' | 'wmem'): number => {
  const path = `/proc/sys/net/ipv4/tcp_${end}`;
  return existsSync(path) ? Number(readFileSync(path, 'utf8').trim().split(/\s+/)[2]) : 8 * MIB;
};
// More than both buffers, so that a download cannot complete if the client does not read.
const SIZE = Math.min(90 * MIB, taken('rmem') + taken('wmem') + 12 * MIB);

/** Interval at which the service checks readers. `shortenTimers` shortens it, so that tests need less time. */
const LOOK_MS = 1000;

let service: Gatehouse;
let path: string;
/** Client ports of the open connections. A client that does not read does not notice that its connection was closed. */
const served = new Set<number | undefined>();
beforeAll(async () => {
  const restoreTimers = shortenTimers(LOOK_MS, 50);
  service = await gatehouse({
    env: {
      MAX_DOWNLOADS_PER_ADDRESS: String(PER_ADDRESS),
      MAX_IN_FLIGHT: String(MAX_IN_FLIGHT),
      ABUSE_BANS: 'off',
      MEDIA_MAX_UPLOAD_BYTES: String(SIZE),
    },
  });
  restoreTimers();
  service.app.getHttpServer().on('connection', (socket: Socket) => {
    const port = socket.remotePort;
    served.add(port);
    socket.on('close', () => served.delete(port));
  });
  path = pathOf((await uploadFile(service, await person(service), 'large.bin', Buffer.alloc(SIZE, 'x'))).url);
});
afterAll(() => service.close());

/** A connection that sends requests and reads responses only on demand. */
class Reader {
  private readonly socket: Socket;
  readonly ended: Promise<void>;
  private hasEnded = false;

  constructor(bytes: string, from: string) {
    this.socket = connect({ port: service.port, host: '127.0.0.1', localAddress: from });
    this.ask(bytes);
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.hasEnded = true;
        resolve();
      };
      this.socket.on('error', end).on('close', end);
    });
  }

  get port(): number | undefined {
    return this.socket.localPort;
  }

  ask(bytes: string): void {
    this.socket.write(bytes);
  }

  /** Returns the first bytes of the response and leaves them in the stream for later reads. */
  async start(): Promise<string> {
    for (;;) {
      const chunk: Buffer | null = this.socket.read();
      if (chunk) {
        this.socket.unshift(chunk);
        return chunk.toString('latin1');
      }
      if (this.hasEnded) return '';
      await Promise.race([this.ended, new Promise((resolve) => this.socket.once('readable', resolve))]);
    }
  }

  /** Reads to the end and returns the number of bytes received. */
  async drain(): Promise<number> {
    let size = 0;
    this.socket.on('data', (chunk) => {
      size += chunk.length;
    });
    this.socket.resume();
    await this.ended;
    return size;
  }

  close(): void {
    this.socket.destroy();
  }
}

const request = (target: string, ...lines: string[]): string =>
  [`GET ${target} HTTP/1.1`, 'Host: gatehouse.test', ...lines, '', ''].join('\r\n');

const statusOf = (bytes: string): number => Number(bytes.split(' ')[1] ?? 0);

const whole = (from: string): Promise<RawResponse> => sendRaw(service, [`GET ${path} HTTP/1.1`], { from });

/** Advances the clock in steps of `seconds` until the service has closed the connections of all these readers. */
async function expectCut(readers: readonly Reader[], seconds: number): Promise<void> {
  while (readers.some(({ port }) => served.has(port))) {
    service.clock.advance({ seconds });
    await delay(100);
  }
}

describe('conventions.md 12: media clients that do not read', () => {
  test(`${CROWD} of one IP address: its share is served, the others are rejected, other callers are not affected`, async () => {
    const readers: Reader[] = [];
    const statuses: number[] = [];
    try {
      // At most MAX_IN_FLIGHT requests at the same time.
      while (readers.length < CROWD) {
        const some = Array.from({ length: MAX_IN_FLIGHT }, () => new Reader(request(path), A));
        readers.push(...some);
        for (const reader of some) statuses.push(statusOf(await reader.start()));
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(PER_ADDRESS);
      expect(statuses.filter((status) => status === 429)).toHaveLength(CROWD - PER_ADDRESS);
      expectApiError(await sendRaw(service, [`GET ${path} HTTP/1.1`], { from: A }), 'RATE_LIMITED', {
        ...{ global: false, retry_after: 5 },
      });
      const response = await whole(B);
      expect([response.status, response.text.length]).toEqual([200, SIZE]);
      expect((await service.anonymous.get('/health/ready')).status).toBe(200);
      expect((await service.anonymous.get('/.well-known/service')).status).toBe(200);
    } finally {
      for (const reader of readers) reader.close();
    }
    while ((await whole(A)).status !== 200) await delay(50);
  });

  test('a client that reads nothing for a minute is disconnected and frees its place', async () => {
    const idle: Reader[] = [];
    while (idle.length < PER_ADDRESS) {
      const reader = new Reader(request(path), A);
      expect(statusOf(await reader.start())).toBe(200);
      idle.push(reader);
    }
    expectApiError(await whole(A), 'RATE_LIMITED');
    await expectCut(idle, 200);
    expect((await whole(A)).status).toBe(200);
    for (const reader of idle) expect(await reader.drain()).toBeLessThan(SIZE);
  });

  test('connections that break with several pending responses release all their resources', async () => {
    const live = service.app.get(LiveRequests);
    const quiet = async () => {
      while (live.size > 0) await delay(5);
    };
    await quiet();
    for (let round = 0; round < 2 * PER_ADDRESS; round++) {
      const reader = new Reader(request(path).repeat(3), B);
      expect(statusOf(await reader.start())).toBe(200);
      while (live.size < 3) await delay(5);
      reader.close();
      await reader.ended;
      await quiet();
    }
    expect((await whole(B)).status).toBe(200);
  });

  test('readers of other responses do not count as in flight either, and are disconnected in the same way', async () => {
    const [page, pages] = [request('/docs/swagger-ui-bundle.js'), 30];
    const idle: Reader[] = [];
    while (idle.length < PER_ADDRESS) {
      const reader = new Reader(page, A);
      expect(statusOf(await reader.start())).toBe(200);
      // At most MAX_IN_FLIGHT requests at the same time.
      for (let more = 1; more < pages; more++) {
        reader.ask(page);
        if (more % 3 === 0) expect((await service.anonymous.get('/health/live')).status).toBe(200);
      }
      idle.push(reader);
    }
    expect((await service.anonymous.get('/.well-known/service')).status).toBe(200);
    const { length } = (await service.anonymous.get('/docs/swagger-ui-bundle.js')).text;
    await expectCut(idle, 2000);
    for (const reader of idle) expect(await reader.drain()).toBeLessThan(pages * length);
  });
});
