import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Log } from '../../src/core/log.js';
import { loadConfig } from '../../src/features.js';
import { openStorage } from '../../src/platform/storage/open-storage.js';
import { LocalStorage, type Storage, StorageFault } from '../../src/platform/storage/storage.js';
import { S3_READ_IDLE_TIMEOUT_MS, S3_RESPONSE_TIMEOUT_MS, S3Storage } from '../../src/platform/storage/storage-s3.js';
import { s3Server } from '../machine/s3.js';
import { shortenTimers } from '../support/index.js';

/** A separate storage that a test can make fail. */
interface Stage {
  readonly storage: Storage;
  /** Returns the names of all objects in a bucket. */
  objects(bucket: 'uploads' | 'media'): string[];
  fail(): void;
  restore(): void;
  close(): Promise<void>;
}

const GATEHOUSE_SECRET = randomBytes(32).toString('base64');
const logTo = (lines: string[]) =>
  new Log({ logLevel: 'info', logFormat: 'json' }, { write: (line) => void lines.push(line) });
const directory = () => mkdtempSync(join(tmpdir(), 'gatehouse-storage-'));

const stages: Record<string, () => Promise<Stage>> = {
  async local() {
    const base = directory();
    const root = join(base, 'media');
    return {
      storage: await openStorage(loadConfig({ GATEHOUSE_SECRET, MEDIA_LOCAL_ROOT: root }), logTo([])),
      objects: (bucket) =>
        readdirSync(join(root, bucket), { recursive: true, encoding: 'utf8', withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(join(root, bucket).length + 1)),
      fail() {
        rmSync(root, { recursive: true, force: true });
        writeFileSync(root, '');
      },
      restore: () => rmSync(root),
      close: async () => rmSync(base, { recursive: true }),
    };
  },
  async s3() {
    const root = directory();
    const server = await s3Server();
    const storage = await openStorage(
      loadConfig({ GATEHOUSE_SECRET, MEDIA_LOCAL_ROOT: root, ...server.env }),
      logTo([]),
    );
    return {
      storage,
      objects: (bucket) => server.objects(bucket),
      fail: () => server.proxy.cut(),
      restore: () => server.proxy.restore(),
      async close() {
        (storage as S3Storage).onApplicationShutdown();
        await server.close();
        expect(readdirSync(join(root, 'spool'))).toEqual([]);
        rmSync(root, { recursive: true });
      },
    };
  },
};

const chunks = (...items: (string | Uint8Array)[]) => Readable.from(items.map((item) => Buffer.from(item as string)));
const textOf = async (stream: Readable | null): Promise<string | null> =>
  stream && Buffer.concat(await stream.toArray()).toString();

test('a disk error is logged with its path and its code, without a key', async () => {
  const base = directory();
  const root = join(base, 'media');
  const lines: string[] = [];
  const storage = await openStorage(loadConfig({ GATEHOUSE_SECRET, MEDIA_LOCAL_ROOT: root }), logTo(lines));
  writeFileSync(root, '');
  const work = [
    () => storage.write('uploads', 'canary-key', chunks('x')),
    () => storage.read('media', 'canary-key'),
    () => storage.size('media', 'canary-key'),
    () => storage.publish('canary-key', 'canary-key'),
  ];
  for (const fails of work) await expect(fails()).rejects.toThrow(StorageFault);
  const reported = lines.map((line) => JSON.parse(line));
  expect(reported).toHaveLength(work.length);
  for (const one of reported) {
    expect(one).toMatchObject({ msg: 'media storage failed', level: 50, errno: expect.stringMatching(/^E[A-Z]+$/) });
    expect(one.path).toContain(root);
  }
  expect(lines.join('')).not.toContain('canary');
  expect(await storage.read('media', 'none').catch(() => 'failed')).toBe('failed');
  rmSync(root);
  lines.length = 0;
  expect(await storage.read('media', 'none')).toBeNull();
  expect(lines).toEqual([]);
  rmSync(base, { recursive: true });
});

describe.each(Object.keys(stages))('media.md section 2, storage: %s', (kind) => {
  let stage: Stage;
  let storage: Storage;
  beforeAll(async () => {
    stage = await (stages[kind] as () => Promise<Stage>)();
    storage = stage.storage;
  });
  afterAll(() => stage.close());

  test('is selected by the configuration', () => {
    expect(storage).toBeInstanceOf(kind === 'local' ? LocalStorage : S3Storage);
  });

  test('an object is read as it was written, completely and in parts', async () => {
    await storage.write('media', 'letters', chunks('abcdef', '', 'ghij'));
    expect(await textOf(await storage.read('media', 'letters'))).toBe('abcdefghij');
    expect(await storage.size('media', 'letters')).toBe(10);
    for (const [start, end, part] of [
      [0, 1, 'ab'],
      [4, 4, 'e'],
      [3, 6, 'defg'],
      [8, 4099, 'ij'],
      [10, 20, ''],
    ] as const) {
      expect(await textOf(await storage.read('media', 'letters', { start, end }))).toBe(part);
    }
  });

  test('it is named by the digest of its key, in its bucket, for any key', async () => {
    const keys = ['../../escape', 'a/b', 'a', 'ü ?#&%2f\u{1f600}', 'k'.repeat(1024)];
    for (const key of keys) await storage.write('uploads', key, chunks(`of ${key}`));
    for (const key of keys) expect(await textOf(await storage.read('uploads', key))).toBe(`of ${key}`);
    expect(await storage.read('media', 'a')).toBeNull();
    const names = stage.objects('uploads');
    expect(names).toContain('ca/ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
    for (const name of names) expect(name).toMatch(/^([0-9a-f]{2})\/\1[0-9a-f]{62}$/);
  });

  test('an empty object and one of many megabytes', async () => {
    await storage.write('media', 'empty', chunks());
    expect([await storage.size('media', 'empty'), await textOf(await storage.read('media', 'empty'))]).toEqual([0, '']);
    const pieces = Array.from({ length: 80 }, () => randomBytes(65_537));
    await storage.write('media', 'large', chunks(...pieces));
    const read = (await storage.read('media', 'large')) as Readable;
    expect(Buffer.concat(await read.toArray()).equals(Buffer.concat(pieces))).toBe(true);
  });

  test('the last write wins, and a write that breaks keeps the previous object', async () => {
    await storage.write('uploads', 'twice', chunks('first'));
    await storage.write('uploads', 'twice', chunks('second'));
    const broken = (async function* () {
      yield Buffer.from('third');
      throw new Error('the client went away');
    })();
    await expect(storage.write('uploads', 'twice', broken)).rejects.toThrow('the client went away');
    expect(await textOf(await storage.read('uploads', 'twice'))).toBe('second');
  });

  test('a write beyond its deadline stores nothing', async () => {
    const late = storage.write('uploads', 'late', chunks('bytes'), AbortSignal.abort());
    await expect(late).rejects.toBeInstanceOf(StorageFault);
    expect(await storage.size('uploads', 'late')).toBeNull();
    await storage.write('uploads', 'late', chunks('bytes'), new AbortController().signal);
    expect(await storage.size('uploads', 'late')).toBe(5);
  });

  test('a missing object is null, and deleting it is not an error', async () => {
    expect(await storage.read('media', 'none')).toBeNull();
    expect(await storage.read('media', 'none', { start: 0, end: 1 })).toBeNull();
    expect(await storage.size('media', 'none')).toBeNull();
    await storage.remove('media', 'none');
  });

  test('a published object is unchanged if its staged one changes or is deleted', async () => {
    expect(await storage.publish('staged', 'published')).toBe(false);
    await storage.write('uploads', 'staged', chunks('one'));
    expect(await storage.publish('staged', 'published')).toBe(true);
    await storage.write('uploads', 'staged', chunks('two'));
    expect(await storage.publish('staged', 'published')).toBe(true);
    await storage.remove('uploads', 'staged');
    expect(await storage.publish('staged', 'published')).toBe(true);
    expect(await textOf(await storage.read('media', 'published'))).toBe('one');
    expect(await storage.size('uploads', 'staged')).toBeNull();
  });

  test('a reader may stop early', async () => {
    await storage.write('media', 'left', chunks(randomBytes(3_000_000)));
    for await (const chunk of (await storage.read('media', 'left')) as Readable) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await storage.remove('media', 'left');
    expect(await storage.read('media', 'left')).toBeNull();
  });

  test('a failure is a storage error, and ends when the storage is back', async () => {
    stage.fail();
    for (const work of [
      () => storage.write('uploads', 'x', chunks('bytes')),
      () => storage.read('media', 'letters'),
      () => storage.size('media', 'letters'),
      () => storage.publish('x', 'y'),
      () => storage.remove('media', 'letters'),
    ]) {
      await expect(work()).rejects.toMatchObject({ constructor: expect.anything(), full: false });
      await expect(work()).rejects.toBeInstanceOf(StorageFault);
    }
    stage.restore();
    await storage.write('uploads', 'x', chunks('bytes'));
    expect(await textOf(await storage.read('uploads', 'x'))).toBe('bytes');
  });
});

/** Starts an S3 server with this request handler, and a storage that uses it. */
async function against(response: RequestListener) {
  const root = directory();
  const log: string[] = [];
  const server = createServer(response).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const storage = new S3Storage(
    {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'eu-test-1',
      forcePathStyle: true,
      accessKeyId: 'canary-of-id',
      secretAccessKey: 'canary-of-secret',
      buckets: { uploads: 'up', media: 'med' },
    },
    root,
    logTo(log),
  );
  return {
    storage,
    log,
    async [Symbol.asyncDispose]() {
      storage.onApplicationShutdown();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true });
    },
  };
}

const refusing =
  (status: number, code: string): RequestListener =>
  (req, res) => {
    req.resume().on('end', () => {
      res.writeHead(status, { 'content-type': 'application/xml' });
      const said = `canary ${req.headers.authorization}`;
      res.end(
        req.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${said}</Message><Key>${said}</Key></Error>`,
      );
    });
  };

describe('media.md section 2, an S3 server that fails', () => {
  test.each([
    [403, 'SignatureDoesNotMatch'],
    [404, 'NoSuchBucket'],
    [400, 'canary of a code'],
    [301, 'PermanentRedirect'],
  ])('%i %s is an error, and neither it nor the log repeats the response', async (status, code) => {
    await using world = await against(refusing(status, code));
    const { storage, log } = world;
    for (const work of [() => storage.write('uploads', 'x', chunks('b')), () => storage.read('media', 'x')]) {
      const error = (await work().then(
        () => null,
        (fault) => fault,
      )) as Error;
      expect(error).toBeInstanceOf(StorageFault);
      expect(`${error.stack} ${(error.cause as Error).stack} ${JSON.stringify(error)}`).not.toContain('canary');
      expect((error.cause as Error).message).toContain(String(status));
    }
    expect(log.map((line) => JSON.parse(line))).toMatchObject(
      Array.from({ length: 2 }, () => ({ level: 50, msg: 'media storage failed', status })),
    );
    expect(log.join('')).not.toContain('canary');
  });

  test('a request names the bucket, the region and the digest of its body', async () => {
    const seen: unknown[] = [];
    await using world = await against((req, res) => {
      const { authorization, 'x-amz-content-sha256': sha256, 'content-length': length } = req.headers;
      seen.push([req.method, req.url?.split('?')[0], sha256, length, authorization?.includes('/eu-test-1/s3/')]);
      req.resume().on('end', () => res.end());
    });
    await world.storage.write('uploads', 'a', chunks('hello world'));
    const digest = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
    const path = '/up/ca/ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
    expect(seen).toEqual([['PUT', path, digest, '11', true]]);
  });

  test('an upload is repeated once after a broken connection', async () => {
    const bodies: string[] = [];
    let broken = 1;
    await using world = await against(async (req, res) => {
      if (broken-- > 0) return req.socket.destroy();
      bodies.push((await textOf(req)) as string);
      res.end();
    });
    await world.storage.write('uploads', 'x', chunks('bytes'));
    expect(bodies).toEqual(['bytes']);
    broken = 2;
    await expect(world.storage.write('uploads', 'x', chunks('bytes'))).rejects.toBeInstanceOf(StorageFault);
    expect(bodies).toEqual(['bytes']);
  });

  test('an upload ends at its deadline, and is not tried again', async () => {
    const end = new AbortController();
    let requests = 0;
    await using world = await against((req) => {
      requests++;
      req.resume().on('end', () => end.abort());
    });
    const late = world.storage.write('uploads', 'x', chunks('bytes'), end.signal);
    await expect(late).rejects.toBeInstanceOf(StorageFault);
    expect(requests).toBe(1);
  });

  test.each<[number, Record<string, string>]>([
    [200, {}],
    [206, { 'content-range': 'bytes 0-9/10' }],
    [206, { 'content-range': 'bytes 3-9/10' }],
  ])('a part other than the requested one is an error: %i %j', async (status, headers) => {
    await using world = await against((_req, res) => {
      res.writeHead(status, { 'content-length': 10, ...headers }).end('abcdefghij');
    });
    await expect(world.storage.read('media', 'x', { start: 3, end: 4 })).rejects.toBeInstanceOf(StorageFault);
  });

  test('a part that starts after the end of an object is empty', async () => {
    await using world = await against(refusing(416, 'InvalidRange'));
    expect(await textOf(await world.storage.read('media', 'empty', { start: 0, end: 4099 }))).toBe('');
    expect(world.log).toEqual([]);
  });

  test('a body that ends early is an error', async () => {
    await using world = await against((req, res) => {
      res.writeHead(200, { 'content-length': 10 }).write('abc', () => req.socket.destroySoon());
    });
    const body = (await world.storage.read('media', 'x')) as Readable;
    await expect(body.toArray()).rejects.toThrow();
  });

  test('a server that never responds times out, and so does a stalled body', async () => {
    await using silent = await against((req) => void req.resume());
    let restore = shortenTimers(S3_RESPONSE_TIMEOUT_MS);
    try {
      await expect(silent.storage.read('media', 'x')).rejects.toBeInstanceOf(StorageFault);
      await expect(silent.storage.remove('media', 'x')).rejects.toBeInstanceOf(StorageFault);
    } finally {
      restore();
    }
    await using halting = await against((_req, res) => void res.writeHead(200, { 'content-length': 10 }).write('abc'));
    restore = shortenTimers(S3_READ_IDLE_TIMEOUT_MS);
    try {
      const body = (await halting.storage.read('media', 'x')) as Readable;
      await expect(body.toArray()).rejects.toBeInstanceOf(StorageFault);
    } finally {
      restore();
    }
  });
});

describe('the AWS SDK', () => {
  test('is loaded only with S3', () => {
    const count = "console.log(Object.keys(createRequire('/').cache).some((path) => path.includes('client-s3')))";
    const script = `import { createRequire } from 'node:module'; await import('./dist/src/index.js'); ${count};
      await import('./dist/src/platform/storage/storage-s3.js'); ${count};`;
    const cwd = join(import.meta.dirname, '..', '..');
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' });
    expect(stdout).toBe('false\ntrue\n');
  });
});
