import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { Config } from '../../src/core/config/config.js';
import { MediaUrlService } from '../../src/media/addresses/urls.service.js';
import { IMAGE_QUEUE, IMAGE_SLOTS } from '../../src/media/images/images.service.js';
import { Spools } from '../../src/media/images/spools.js';
import { RelayService } from '../../src/media/objects/relay.service.js';
import { Storage, StorageFault } from '../../src/platform/storage/storage.js';
import {
  eventually,
  expectApiError,
  factsOf,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  OriginServer,
  type Persona,
  pathOf,
  person,
  picture,
  planUploads,
  RawConnection,
  shortenTimers,
  type TestResponse,
  uploadFile,
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let storage: Storage;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  storage = service.app.get(Storage);
});
afterAll(() => service.close());

const store = async (filename: string, bytes: Uint8Array): Promise<string> =>
  pathOf((await uploadFile(service, alice, filename, bytes)).url);
/** Creates a different image for each test, so that no result is cached. */
const fresh = () => picture('png', 64, 64, `#${randomBytes(3).toString('hex')}`);

/** Blocks all reads from storage until they are released. */
function holdReads() {
  const { read } = storage;
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let waiting = 0;
  storage.read = async (...args) => {
    waiting++;
    await released;
    return read.apply(storage, args);
  };
  return {
    release: () => {
      storage.read = read;
      release();
    },
    until: async (count: number) => {
      while (waiting < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('media.md 7.2, slots and time', () => {
  test('more transforms than slots and queue places are rejected', async () => {
    const path = await store('a.png', await fresh());
    const reads = holdReads();
    const responses: Promise<TestResponse>[] = [];
    let done = 0;
    const ask = (width: number) => {
      const response = service.anonymous.get(`${path}?width=${width}`);
      responses.push(response);
      void response.finally(() => done++);
    };
    for (let n = 0; n < IMAGE_SLOTS; n++) ask(n + 1);
    await reads.until(IMAGE_SLOTS);
    for (let n = 0; n <= IMAGE_QUEUE; n++) ask(IMAGE_SLOTS + n + 1);
    while (done < 1) await new Promise((resolve) => setImmediate(resolve));
    reads.release();
    const refused = (await Promise.all(responses)).filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectApiError(refused[0] as TestResponse, 'SERVICE_UNAVAILABLE');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('15 s count from the arrival, including the queue, and the response is not later', async () => {
    const path = await store('b.png', await fresh());
    const reads = holdReads();
    const restoreTimers = shortenTimers(15_000);
    const responses = Array.from({ length: IMAGE_SLOTS + 1 }, (_, n) =>
      service.anonymous.get(`${path}?width=${n + 1}`),
    );
    for (const response of await Promise.all(responses)) expectApiError(response, 'GATEWAY_TIMEOUT');
    restoreTimers();
    reads.release();
    expect((await service.anonymous.get(`${path}?width=1`)).status).toBe(200);
  });
});

describe('media.md section 10, storage failures', () => {
  const fileOf = (path: string): string => {
    const digest = hash('sha256', decodeURIComponent(path.replace('/media/attachments/', '')), 'hex');
    return join(service.app.get(Config).media.root, 'media', digest.slice(0, 2), digest);
  };

  test('reading gives 502, transformed or not', async () => {
    const path = await store('c.png', await fresh());
    const { read } = storage;
    storage.read = async () => {
      throw new StorageFault(new Error('canary-of-store'), false);
    };
    for (const query of ['', '?width=10']) {
      const response = await service.anonymous.get(path + query);
      expectApiError(response, 'BAD_GATEWAY');
      expect(response.text).not.toContain('canary');
    }
    storage.read = read;
    expect((await service.anonymous.get(path)).status).toBe(200);
  });

  test('a symbolic link in the store is not followed', async () => {
    const path = await store('d.txt', Buffer.from('mine'));
    rmSync(fileOf(path));
    mkdirSync(dirname(fileOf(path)), { recursive: true });
    symlinkSync('/etc/passwd', fileOf(path));
    expectApiError(await service.anonymous.get(path), 'BAD_GATEWAY');
  });

  test('an upload to full storage is 503, and its capability stays unused', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'e.txt', size: 4 }]);
    const path = pathOf(planned?.upload_url ?? '');
    const { write } = storage;
    storage.write = async () => {
      throw new StorageFault(new Error('ENOSPC'), true);
    };
    expectApiError(await service.anonymous.put(path, Buffer.from('text')), 'SERVICE_UNAVAILABLE');
    storage.write = write;
    Object.assign(service.app.get(RelayService), { spooled: 8 * 1024 ** 3 });
    expectApiError(await service.anonymous.put(path, Buffer.from('text')), 'SERVICE_UNAVAILABLE');
    Object.assign(service.app.get(RelayService), { spooled: 0 });
    expect((await service.anonymous.put(path, Buffer.from('text'))).status).toBe(200);
  });
});

describe('media.md 4.2, row 12', () => {
  test('after the write deadline an upload is a bad gateway, and its capability stays unused', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'g.txt', size: 4 }]);
    const path = pathOf(planned?.upload_url ?? '');
    const restoreTimers = shortenTimers(61_000);
    const connection = await RawConnection.open(service);
    connection.send(`PUT ${path} HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Length: 4\r\n\r\nte`);
    expectApiError(await connection.readResponse(), 'BAD_GATEWAY');
    restoreTimers();
    connection.close();
    expect((await service.anonymous.put(path, Buffer.from('text'))).status).toBe(200);
  });
});

describe('media.md section 8, range abuse', () => {
  test.each([
    `bytes=${Array.from({ length: 1000 }, (_, n) => `${n}-`).join(',')}`,
    'bytes=0-,0-,0-,0-',
    'bytes=0-0,-1',
    `bytes=${'0'.repeat(5000)}-1x`,
    'bytes=-1-2',
    'bytes=1e3-',
    'bytes=0x0-0x1',
    'bytes==0-1',
    'bytes=0-1;q=1',
    'bytes 0-1',
  ])('range %# of the list is ignored', async (range) => {
    const path = await store('f.txt', Buffer.from('abcdefghij'));
    const response = await fetchBytes(service, path, { range });
    expect([response.status, response.bytes.toString()]).toEqual([200, 'abcdefghij']);
  });
});

describe('media.md section 1, buckets', () => {
  test('reads are counted by IP address, separate from the global bucket; issuing is counted by account', async () => {
    await withGatehouse(
      {
        env: { RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: '{"media:read": "80/36000", "media:external": "3/36000"}' },
      },
      async (limited) => {
        const owner = await person(limited, 'owner');
        const paths = [
          ...['/media/attachments/1/2/3', '/media/avatars/1/x.png', '/media/banners/1/x.png'],
          `/media/external/${'A'.repeat(43)}/v2/abc`,
        ];
        for (let n = 0; n < 80; n++) {
          const { status } = await limited.anonymous.get(paths[n % 4] as string);
          expect(status).toBe(n % 4 === 3 ? 401 : 404);
        }
        for (const path of paths) {
          const response = await limited.as(owner).get(path);
          expectApiError(response, 'RATE_LIMITED', { global: false });
          expect(response.headers.has('access-control-allow-origin')).toBe(false);
        }
        const elsewhere = await limited.anonymous.from('127.0.0.2').get(paths[0] as string);
        expectApiError(elsewhere, 'NOT_FOUND');
        expect(elsewhere.headers.get('x-ratelimit-limit')).toBe('80');
        const sign = () => limited.as(owner).post('/v1/media/external', { url: 'https://images.example.com/' });
        for (let n = 0; n < 3; n++) expect((await sign()).status).toBe(200);
        expectApiError(await sign(), 'RATE_LIMITED');
      },
    );
  });
});

describe('media.md 7.2, readers of large results', () => {
  const SIDE = 2600;
  const READERS = 12;
  const MIB = 1024 * 1024;
  let noise: Buffer;
  beforeAll(async () => {
    noise = await sharp(randomBytes(SIDE * SIDE * 3), { raw: { width: SIDE, height: SIDE, channels: 3 } })
      .jpeg({ quality: 50 })
      .toBuffer();
  });

  /** Bytes outside the heap in this process, which also runs the service. What is read for a moment does not count. */
  async function held(): Promise<number> {
    const samples: number[] = [];
    for (let n = 0; n < 10; n++) {
      await pause(20);
      global.gc?.();
      samples.push(process.memoryUsage().arrayBuffers);
    }
    return Math.min(...samples);
  }

  /** Opens clients that read only the beginning of a response. */
  async function slowReaders(front: Gatehouse, path: string): Promise<{ size: number; close(): void }> {
    const sockets = await Promise.all(
      Array.from({ length: READERS }, async () => {
        const socket = connect({ port: front.port, host: '127.0.0.1' });
        socket.write(`GET ${path} HTTP/1.1\r\nHost: gatehouse.test\r\n\r\n`);
        await new Promise((resolve) => socket.once('readable', resolve));
        return socket;
      }),
    );
    const sizes = sockets.map((socket) => /content-length: (\d+)/i.exec(String(socket.read(1000)))?.[1]);
    expect(new Set(sizes).size).toBe(1);
    return { size: Number(sizes[0]), close: () => sockets.forEach((socket) => void socket.destroy()) };
  }

  const SOURCES: [string, (front: Gatehouse, origin: OriginServer, holder: Persona) => Promise<string>][] = [
    ['a kept result', async (front, _, holder) => pathOf((await uploadFile(front, holder, 'n.jpg', noise)).url)],
    [
      'a result of foreign media',
      async (front, origin) => {
        origin.serve(noise, { 'content-type': 'image/jpeg' });
        return pathOf(front.app.get(MediaUrlService).sign('http://noise.example.com/n.jpg')?.proxy_url ?? '');
      },
    ],
  ];

  test.each(SOURCES)('together they use no more of %s than their sockets', async (_, put) => {
    const origin = await new OriginServer().open();
    await withGatehouse({ network: origin }, async (front) => {
      const path = `${await put(front, origin, await person(front, 'reader'))}?format=png`;
      // Creates the result first, so that this work does not affect the measurement.
      await fetchBytes(front, path, { range: 'bytes=0-0' });
      const before = await held();
      const readers = await slowReaders(front, path);
      expect(readers.size).toBeGreaterThan(8 * MIB);
      expect((await held()) - before).toBeLessThan(READERS * MIB + 16 * MIB);
      readers.close();
    });
    await origin.close();
  });

  test('if no file can be written, results are kept in memory within its limit', async () => {
    const directory = join(service.app.get(Config).dataDir, 'media-cache');
    rmSync(directory, { recursive: true, force: true });
    writeFileSync(directory, 'no directory');
    const path = await store('m.png', await fresh());
    const { status, bytes } = await fetchBytes(service, `${path}?width=32`);
    expect([status, (await factsOf(bytes)).width]).toEqual([200, 32]);
    const part = await fetchBytes(service, `${path}?width=32`, { range: 'bytes=1-9' });
    expect([part.status, part.bytes.equals(bytes.subarray(1, 10))]).toEqual([206, true]);
    const { usedBytes: taken } = service.app.get(Spools) as unknown as {
      usedBytes: { files: number; memory: number };
    };
    taken.memory += 128 * MIB;
    expectApiError(await service.anonymous.get(`${path}?width=31`), 'SERVICE_UNAVAILABLE');
    taken.memory -= 128 * MIB;
    expect((await fetchBytes(service, `${path}?width=31`)).status).toBe(200);
    await eventually('nothing is held any more', async () => (taken.memory === 0 && taken.files === 0) || undefined);
    rmSync(directory);
  });

  test('a result beyond 50 MiB is too large', async () => {
    const side = 4300;
    const pixels = randomBytes(side * side * 3);
    const large = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
      .jpeg({ quality: 60 })
      .toBuffer();
    const path = await store('huge.jpg', large);
    expectApiError(await service.anonymous.get(`${path}?format=png`), 'PAYLOAD_TOO_LARGE');
    expect((await fetchBytes(service, `${path}?width=20`)).status).toBe(200);
  });
});
