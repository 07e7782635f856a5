import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectName } from '../../src/platform/storage/storage.js';
import { type S3Server, s3Server } from '../machine/s3.js';
import { cleanUp } from '../support/cleanup.js';
import {
  expectApiError,
  factsOf,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  pathOf,
  person,
  picture,
  planUploads,
  uploadFile,
} from '../support/index.js';

let store: S3Server;
let service: Gatehouse;
let alice: Persona;
let root: string;
/** Path of a stored text file with 26 letters. */
let letters: string;
beforeAll(async () => {
  store = await s3Server();
  root = mkdtempSync(join(tmpdir(), 'gatehouse-spool-'));
  service = await gatehouse({ env: { ...store.env, MEDIA_LOCAL_ROOT: root } });
  alice = await person(service, 'alice');
  letters = pathOf((await uploadFile(service, alice, 'letters.txt', Buffer.from('abcdefghijklmnopqrstuvwxyz'))).url);
});
afterAll(async () => {
  await service.close();
  await store.close();
  rmSync(root, { recursive: true });
});

const ME = '/v1/users/@me';
const ETAG = '"71c480df93d6ae2f1efad1447c66c952"';
const COMPLETE = '/v1/media/uploads/complete';

/** Returns the storage name of the object at this path. */
const nameAt = (path: string): string => objectName(path.replace('/media/attachments/', ''));

async function clean(): Promise<void> {
  await service.sql("UPDATE media_garbage SET since = since - interval '21 minutes'");
  await cleanUp(service.app);
}

async function avatarOf(bytes: Buffer, who = alice): Promise<{ name: string; path: string }> {
  const { status, body } = await service.as(who).patch(ME, { avatar: bytes.toString('base64') });
  expect({ status, body }).toMatchObject({ status: 200, body: { avatar: expect.any(String) } });
  return {
    name: objectName(`avatars/${who.id}/${body.avatar}`),
    path: `/media/avatars/${who.id}/${body.avatar}.png`,
  };
}

const messageWith = (path: string, bytes: string) => {
  const form = new FormData();
  form.append('files[0]', new Blob([bytes]), 'a.txt');
  return service.anonymous.post(`${path}?wait=true`, form);
};

describe('media.md sections 2 to 9, objects in S3', () => {
  test('an upload is staged, then readable, and its staged bytes are deleted', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'a.txt', size: 5 }]);
    if (!planned) throw new Error('nothing was planned');
    const sent = await service.anonymous.put(pathOf(planned.upload_url), Buffer.from('hello'));
    expect([sent.status, sent.headers.get('etag')]).toEqual([200, '"2cf24dba5fb0a30e26e83b2ac5b9e29e"']);
    expect(store.objects('uploads')).toContain(objectName(planned.upload_filename));
    const body = { uploads: [{ upload_filename: planned.upload_filename }] };
    const [first, again] = [await service.as(alice).post(COMPLETE, body), await service.as(alice).post(COMPLETE, body)];
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    const path = pathOf(first.body.uploads[0].url);
    expect(store.objects('media')).toContain(nameAt(path));
    expect((await service.anonymous.get(path)).text).toBe('hello');
    await clean();
    expect(store.objects('uploads')).toEqual([]);
    expect(store.objects('media')).toContain(nameAt(path));
    expect(readdirSync(join(root, 'spool'))).toEqual([]);
  });

  test('of parallel uploads with one capability, one is stored', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'a.txt', size: 5 }]);
    const path = pathOf(planned?.upload_url ?? '');
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => service.anonymous.put(path, Buffer.from(`byte${n}`))),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of responses) expect([200, 401, 409]).toContain(status);
  });

  test('is read completely, in parts, by its tag and with HEAD', async () => {
    const whole = await service.anonymous.get(letters);
    expect([whole.status, whole.text, whole.headers.get('etag')]).toEqual([200, 'abcdefghijklmnopqrstuvwxyz', ETAG]);
    for (const [range, text, contentRange] of [
      ['bytes=2-5', 'cdef', 'bytes 2-5/26'],
      ['bytes=20-', 'uvwxyz', 'bytes 20-25/26'],
      ['bytes=-3', 'xyz', 'bytes 23-25/26'],
      ['bytes=24-999', 'yz', 'bytes 24-25/26'],
    ] as const) {
      const part = await service.anonymous.get(letters, { headers: { range } });
      expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, text, contentRange]);
    }
    expectApiError(await service.anonymous.get(letters, { headers: { range: 'bytes=26-' } }), 'RANGE_NOT_SATISFIABLE');
    const known = await service.anonymous.get(letters, { headers: { 'if-none-match': ETAG } });
    expect([known.status, known.text]).toEqual([304, '']);
    const head = await service.anonymous.send('HEAD', letters);
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '26']);
  });

  test('several megabytes are returned unchanged', async () => {
    const bytes = Buffer.alloc(6_000_000, 'a line of text\n');
    const { url } = await uploadFile(service, alice, 'large.txt', bytes);
    const response = await fetchBytes(service, pathOf(url));
    expect([response.status, response.bytes.equals(bytes)]).toEqual([200, true]);
    const part = await fetchBytes(service, pathOf(url), { range: 'bytes=5000000-5999999' });
    expect([part.status, part.bytes.equals(bytes.subarray(5_000_000))]).toEqual([206, true]);
  });

  test('an image in another size and format', async () => {
    const stored = await uploadFile(service, alice, 'a.png', await picture('png', 60, 30));
    expect(stored).toMatchObject({ content_type: 'image/png', width: 60, height: 30 });
    const { status, bytes } = await fetchBytes(service, `${pathOf(stored.url)}?width=20&format=webp`);
    expect(status).toBe(200);
    expect(await factsOf(bytes)).toMatchObject({ format: 'webp', width: 20, height: 10 });
  });

  test('a new avatar replaces the old one, whose object is deleted by cleanup', async () => {
    const first = await avatarOf(await picture('png', 40, 40, '#101010'));
    expect((await fetchBytes(service, first.path)).status).toBe(200);
    const second = await avatarOf(await picture('png', 40, 40, '#202020'));
    expectApiError(await service.anonymous.get(first.path), 'NOT_FOUND');
    expect(store.objects('media')).toEqual(expect.arrayContaining([first.name, second.name]));
    await clean();
    expect(store.objects('media')).not.toContain(first.name);
    const { status, bytes } = await fetchBytes(service, second.path);
    expect([status, (await factsOf(bytes)).width]).toEqual([200, 40]);
  });

  test('files of webhooks, even empty ones, are stored with the message and deleted with the webhook', async () => {
    const hook = await newWebhook(service, alice);
    const paths: string[] = [];
    for (const text of ['of a webhook', '']) {
      const { status, body } = await messageWith(hook.path, text);
      expect({ status, body }).toMatchObject({ status: 200, body: { attachments: [{ size: text.length }] } });
      const path = pathOf(body.attachments[0].url);
      expect((await service.anonymous.get(path)).text).toBe(text);
      paths.push(path);
    }
    expect(store.objects('media')).toEqual(expect.arrayContaining(paths.map(nameAt)));
    expect((await service.as(alice).delete(`/v1/webhooks/${hook.id}`)).status).toBe(204);
    for (const path of paths) expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    await clean();
    for (const path of paths) expect(store.objects('media')).not.toContain(nameAt(path));
  });

  test('a row whose object is missing is 404', async () => {
    const path = pathOf((await uploadFile(service, alice, 'gone.txt', Buffer.from('bytes'))).url);
    const image = await uploadFile(service, alice, 'gone.png', await picture('png'));
    store.remove('media', nameAt(path));
    store.remove('media', nameAt(pathOf(image.url)));
    expectApiError(await service.anonymous.get(path), 'NOT_FOUND');
    expectApiError(await service.anonymous.get(path, { headers: { range: 'bytes=1-2' } }), 'NOT_FOUND');
    expectApiError(await service.anonymous.get(`${pathOf(image.url)}?width=10`), 'NOT_FOUND');
  });
});

describe('media.md 4.2 row 12 and section 10, while S3 is unavailable', () => {
  test('uploads and reads are 502, avatars and webhooks 503, without effect; all work when it is back', async () => {
    const hook = await newWebhook(service, alice);
    const avatar = await avatarOf(await picture('png', 40, 40, '#303030'));
    const image = pathOf((await uploadFile(service, alice, 'b.png', await picture('png', 50, 50))).url);
    const plans = await planUploads(service, alice, [
      { filename: 'sent.txt', size: 5 },
      { filename: 'unsent.txt', size: 5 },
    ]);
    const [sent, unsent] = plans.map((plan) => pathOf(plan.upload_url)) as [string, string];
    expect((await service.anonymous.put(sent, Buffer.from('hello'))).status).toBe(200);
    const body = { uploads: [{ upload_filename: plans[0]?.upload_filename }] };
    const countRows = () =>
      service.sql(`SELECT (SELECT count(*)::int FROM media_object) AS objects, (SELECT count(*)::int FROM media_staged) AS staged,
        (SELECT count(*)::int FROM media_capability) AS capabilities, (SELECT count(*)::int FROM webhook_message) AS messages`);
    const before = await countRows();

    store.proxy.cut();
    expectApiError(await service.anonymous.put(unsent, Buffer.from('hello')), 'BAD_GATEWAY');
    expectApiError(await service.as(alice).post(COMPLETE, body), 'BAD_GATEWAY');
    expectApiError(await service.anonymous.get(letters), 'BAD_GATEWAY');
    expectApiError(await service.anonymous.get(letters, { headers: { range: 'bytes=1-2' } }), 'BAD_GATEWAY');
    expectApiError(await service.anonymous.get(`${image}?width=10`), 'BAD_GATEWAY');
    const other = (await picture('png', 40, 40, '#404040')).toString('base64');
    const refused = [await service.as(alice).patch(ME, { avatar: other }), await messageWith(hook.path, 'bytes')];
    for (const response of refused) {
      expectApiError(response, 'SERVICE_UNAVAILABLE');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const known = await service.anonymous.get(letters, { headers: { 'if-none-match': ETAG } });
    expect([known.status, (await service.anonymous.send('HEAD', letters)).status]).toEqual([304, 200]);
    await expect(clean()).rejects.toThrow('media storage failed');
    expect(await countRows()).toEqual(before);

    store.proxy.restore();
    expect((await service.anonymous.get(letters)).text).toBe('abcdefghijklmnopqrstuvwxyz');
    expect((await service.anonymous.put(unsent, Buffer.from('hello'))).status).toBe(200);
    expect((await service.as(alice).post(COMPLETE, body)).status).toBe(200);
    expect((await fetchBytes(service, avatar.path)).status).toBe(200);
    expect((await fetchBytes(service, `${image}?width=10`)).status).toBe(200);
    expect((await messageWith(hook.path, 'bytes')).status).toBe(200);
    await clean();
    expect(await service.sql("SELECT key FROM media_garbage WHERE since < now() - interval '20 minutes'")).toEqual([]);
  });

  test('neither the key of the server nor its signatures are in the log', () => {
    const log = service.log.join('');
    expect(log).toContain('/media/relay');
    expect(log).toContain('media storage failed');
    for (const secret of [store.secretAccessKey, 'S3RVER', 'AWS4-HMAC', 'x-amz-']) expect(log).not.toContain(secret);
  });
});
