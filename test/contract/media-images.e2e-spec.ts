import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import sharp from 'sharp';
import { IMAGE_SLOTS, Images } from '../../src/media/images/images.service.js';
import { Storage } from '../../src/platform/storage/storage.js';
import { migratedDatabase } from '../machine/databases.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import {
  expectApiError,
  factsOf,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  type Persona,
  pathOf,
  person,
  picture,
  planUploads,
  type ServiceEndpoint,
  shortenTimers,
  uploadFile,
  withGatehouse,
} from '../support/index.js';

afterAll(endProcesses);

/** Time limit per image. No other timeout has this length, so `shortenTimers` shortens only this one. */
const SECONDS = 59;

/** An image of 36 megapixels that is hard to encode. */
const large = sharp(randomBytes(600 * 600 * 3), { raw: { width: 600, height: 600, channels: 3 } })
  .resize(6000, 6000, { kernel: 'cubic' })
  .jpeg({ quality: 50 })
  .toBuffer();
/** A transform that takes minutes. Each `n` is a separate job. */
const endless = (n: number) => `?format=webp&quality=lossless&height=${6000 + n}`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const areGone = (pids: readonly number[]) => until(() => !pids.some(isAlive));

/** Sends an anonymous request that the client can abort. */
function ask(url: string) {
  const sent = get(url, { agent: false });
  const request = { isSettled: false, leave: () => sent.destroy(), answer: Promise.resolve('') };
  request.answer = once(sent, 'response')
    .then(
      ([{ statusCode }]) => String(statusCode),
      () => 'gone',
    )
    .finally(() => {
      request.isSettled = true;
    });
  return request;
}

const metric = async (service: ServiceEndpoint, name: string): Promise<number> =>
  Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec((await service.anonymous.get('/metrics')).text)?.[1]);

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { MEDIA_IMAGE_SECONDS: String(SECONDS) } });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

describe('media.md 7.2, transforms that would take minutes', () => {
  let images: Images;
  let path: string;
  let small: string;

  beforeAll(async () => {
    images = service.app.get(Images);
    path = pathOf((await uploadFile(service, alice, 'large.jpg', await large)).url);
    small = pathOf((await uploadFile(service, alice, 'small.png', await picture('png'))).url);
  });

  test.each([2, 4])(
    '%i of them: reads, small transforms and logins succeed; they end when their clients disconnect',
    async (count) => {
      const heavy = Array.from({ length: count }, (_, n) => ask(service.url + path + endless(n)));
      // The last slot is reserved for small jobs.
      const places = Math.min(count, IMAGE_SLOTS - 1);
      await until(async () => (await metric(service, 'gatehouse_image_waiting')) === count - places);
      await until(async () => (await metric(service, 'gatehouse_image_running')) === places);
      const { status } = await service.anonymous.post('/v1/auth/login', {
        email: alice.email,
        password: alice.password,
      });
      expect(status).toBe(200);
      expect((await service.anonymous.get(small)).status).toBe(200);
      expect((await service.anonymous.get(`${small}?width=10`)).status).toBe(200);
      expect(heavy.map(({ isSettled }) => isSettled)).not.toContain(true);
      expect(await metric(service, 'gatehouse_image_memory_bytes')).toBeGreaterThan(0);
      const working = images.processes;
      for (const { leave } of heavy) leave();
      await until(() => working.filter((pid) => !isAlive(pid)).length >= places);
      await until(async () => (await metric(service, 'gatehouse_image_running')) === 0);
      expect(await metric(service, 'gatehouse_image_waiting')).toBe(0);
    },
  );

  test.each([2, 4])('%i of them: every caller gets 504 at the deadline, and no work continues', async (count) => {
    const restoreTimers = shortenTimers(SECONDS * 1000, 1500);
    const seen = new Set<number>();
    const responses = Array.from({ length: count }, (_, n) => service.anonymous.get(path + endless(n)));
    const done = Promise.allSettled(responses).then(() => true);
    while (!(await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 5, false))]))) {
      for (const pid of images.processes) seen.add(pid);
    }
    restoreTimers();
    for (const response of await Promise.all(responses)) expectApiError(response, 'GATEWAY_TIMEOUT');
    await until(() => [...seen].some((pid) => !isAlive(pid)));
    expect(await metric(service, 'gatehouse_image_running')).toBe(0);
    await until(async () => (await service.anonymous.get(`${small}?width=11`)).status === 200);
  });

  test('a transform that two callers request ends when the second one disconnects', async () => {
    for (const pid of images.processes) process.kill(pid, 'SIGKILL');
    await until(() => images.processes.length === 0);
    const [first, second] = [ask(service.url + path + endless(1)), ask(service.url + path + endless(1))];
    await until(async () => (await metric(service, 'gatehouse_image_running')) === 1);
    const [working] = images.processes as [number];
    first.leave();
    expect(await first.answer).toBe('gone');
    expect((await service.anonymous.get('/health/live')).status).toBe(200);
    expect([isAlive(working), second.isSettled]).toEqual([true, false]);
    second.leave();
    await areGone([working]);
    expect(images.processes).toEqual([]);
  });

  test('if the image process is killed externally, the response is 503, and the next request works', async () => {
    const response = service.anonymous.get(path + endless(1));
    await until(async () => (await metric(service, 'gatehouse_image_running')) === 1);
    for (const pid of images.processes) process.kill(pid, 'SIGKILL');
    expectApiError(await response, 'SERVICE_UNAVAILABLE');
    expect((await service.anonymous.get(`${small}?width=12`)).status).toBe(200);
  });

  test('an image that crashes its process cannot be decoded', async () => {
    const response = service.anonymous.get(path + endless(1));
    await until(async () => (await metric(service, 'gatehouse_image_running')) === 1);
    for (const pid of images.processes) process.kill(pid, 'SIGSEGV');
    expectApiError(await response, 'BAD_REQUEST');
    expect((await service.anonymous.get(`${small}?width=13`)).status).toBe(200);
  });

  test("the image process has none of the service's settings", async () => {
    expect((await service.anonymous.get(`${small}?width=14`)).status).toBe(200);
    const [pid] = images.processes as [number];
    if (!existsSync(`/proc/${pid}/environ`)) return;
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    expect(
      names.filter((name) => !['', 'PATH', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'].includes(name ?? '')),
    ).toEqual([]);
  });
});

describe('media.md 7.2, AVIF', () => {
  test('larger than 4 Mpx is rejected before any work; smaller output is created', async () => {
    const store = async (width: number, height: number) =>
      pathOf((await uploadFile(service, alice, 'a.png', await picture('png', width, height))).url);
    const path = await store(2001, 2000);
    expectApiError(await service.anonymous.get(`${path}?format=avif`), 'BAD_REQUEST');
    expectApiError(await service.anonymous.get(`${path}?format=avif&width=5000`), 'BAD_REQUEST');
    expect((await service.anonymous.get(`${path}?format=png`)).status).toBe(200);
    const { bytes } = await fetchBytes(service, `${path}?format=avif&width=60`);
    expect(await factsOf(bytes)).toMatchObject({ format: 'heif', width: 60, height: 60 });
    expect((await service.anonymous.get(`${await store(2000, 2000)}?format=avif`)).status).toBe(200);
  });
});

describe('media.md 7.2, memory', () => {
  test('an image that needs more than the memory of its process cannot be decoded, and the process ends', async () => {
    await withGatehouse({ env: { MEDIA_IMAGE_MEMORY_BYTES: String(128 * 1024 ** 2) } }, async (service) => {
      const alice = await person(service, 'alice');
      // To rotate an image, the process must load all of it into memory.
      const turned = await sharp({ create: { width: 6000, height: 6000, channels: 3, background: '#806040' } })
        .withMetadata({ orientation: 6 })
        .jpeg({ quality: 10 })
        .toBuffer();
      const path = pathOf((await uploadFile(service, alice, 'turned.jpg', turned)).url);
      const before = service.app.get(Images).processes;
      expectApiError(await service.anonymous.get(`${path}?format=png`), 'BAD_REQUEST');
      await areGone(before);
      expect(service.log.join('')).toContain('more memory than MEDIA_IMAGE_MEMORY_BYTES');
      const small = pathOf((await uploadFile(service, alice, 'small.png', await picture('png'))).url);
      expect((await service.anonymous.get(`${small}?width=10`)).status).toBe(200);
    });
  });

  test('completion keeps no upload in memory, and inspects one at a time', async () => {
    const storage = service.app.get(Storage);
    const { read } = storage;
    let [held, most, requested] = [0, 0, 0];
    storage.read = async (...args) => {
      requested++;
      const stream = await read.apply(storage, args);
      if (!stream) return null;
      most = Math.max(most, ++held);
      return stream.once('close', () => held--);
    };
    const files = await Promise.all(Array.from({ length: 10 }, (_, n) => picture('png', 50 + n, 50)));
    const named = files.map(({ length }, n) => ({ filename: `${n}.png`, size: length }));
    const planned = await planUploads(service, alice, named);
    for (const [n, { upload_url }] of planned.entries()) {
      expect((await service.anonymous.put(pathOf(upload_url), files[n])).status).toBe(200);
    }
    const uploads = planned.map(({ upload_filename }) => ({ upload_filename }));
    const { body } = await service.as(alice).post('/v1/media/uploads/complete', { uploads });
    expect(body.uploads.map(({ width }: { width: number }) => width)).toEqual(files.map((_, n) => 50 + n));
    storage.read = read;
    expect([requested, most]).toEqual([20, 1]);
  });
});

describe('the image processes and the service process', () => {
  /** Starts a separate service process with an uploaded large image. */
  async function working() {
    const env = { MEDIA_IMAGE_SECONDS: String(SECONDS), METRICS_ALLOW: '127.0.0.1' };
    const service = await ServiceProcess.ready({ ...(await migratedDatabase()), ...env });
    const registered = await service.anonymous.post('/v1/auth/register', {
      ...{ email: 'ada@example.com', password: 'a long enough password', username: 'ada' },
    });
    const me = service.as(registered.body.token);
    const bytes = await large;
    const attachments = [{ id: 0, filename: 'a.jpg', file_size: bytes.length, content_type: 'image/jpeg' }];
    const plan = (await me.post('/v1/media/uploads', { attachments })).body.attachments[0];
    expect((await service.anonymous.put(pathOf(plan.upload_url), bytes)).status).toBe(200);
    const { body } = await me.post('/v1/media/uploads/complete', {
      uploads: [{ upload_filename: plan.upload_filename }],
    });
    return { service, path: pathOf(body.uploads[0].url) };
  }

  const childrenOf = ({ child: { pid } }: ServiceProcess): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

  test('if the service is killed, they end also, even while they work', async () => {
    const { service, path } = await working();
    const request = ask(service.url + path + endless(1));
    await until(async () => (await metric(service, 'gatehouse_image_running')) === 1);
    const children = childrenOf(service);
    expect(children.length).toBeGreaterThan(0);
    expect(await service.stop('SIGKILL')).toBeNull();
    await areGone(children);
    expect(await request.answer).toBe('gone');
  });

  test('a service that is stopped finishes running requests first, and leaves no process behind', async () => {
    const { service, path } = await working();
    const request = ask(`${service.url}${path}?format=avif&width=700`);
    await until(async () => (await metric(service, 'gatehouse_image_running')) === 1);
    const children = childrenOf(service);
    for (const pid of children) process.kill(pid, 'SIGTERM');
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(await request.answer).toBe('200');
    await areGone(children);
    expect(service.err).toBe('');
  });

  test('the number of threads grows with ARGON2_CONCURRENCY', async () => {
    const database = await migratedDatabase();
    const threadsWith = async (hashes: number) => {
      const service = await ServiceProcess.ready({ ...database, ARGON2_CONCURRENCY: String(hashes) });
      await service.anonymous.post('/v1/auth/login', { email: 'a@example.com', password: 'some password' });
      const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
      expect(await service.stop()).toBe(0);
      return Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]);
    };
    const few = await threadsWith(2);
    expect((await threadsWith(42)) - few).toBeGreaterThanOrEqual(38);
  });
});
