import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../src/core/config/config.js';
import { Storage, StorageFault } from '../../src/platform/storage/storage.js';
import { runCleanup } from '../support/cleanup.js';
import {
  type CreatedWebhook,
  Events,
  expectApiError,
  expectInvalid,
  fetchBytes,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  pathOf,
  person,
  picture,
  RawConnection,
  shortenTimers,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let hook: CreatedWebhook;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  hook = await newWebhook(service, alice, { name: 'Robot' });
});
afterAll(() => service.close());

type Part = string | { bytes: string | Uint8Array; name?: string; type?: string };
const form = (parts: [name: string, part: Part][]): FormData => {
  const data = new FormData();
  for (const [name, part] of parts) {
    if (typeof part === 'string') data.append(name, part);
    else data.append(name, new Blob([part.bytes as never], { type: part.type ?? '' }), part.name ?? 'file.txt');
  }
  return data;
};
const send = (parts: [string, Part][], query = '?wait=true') =>
  service.anonymous.post(`${hook.path}${query}`, form(parts));
const sent = async (parts: [string, Part][]) => {
  const { status, body } = await send(parts);
  expect({ status, body }).toEqual({ status: 200, body: expect.any(Object) });
  return body;
};
/** Sends a handwritten body that no library would produce. */
const raw = (body: string, boundary = 'edge', more: Record<string, string> = {}) =>
  service.anonymous.post(hook.path, new TextEncoder().encode(body.replaceAll('\n', '\r\n')), {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...more },
  });
const text = (bytes = 'hello', name = 'a.txt'): Part => ({ bytes, name });

/** Everything that a request can leave behind after the cleanup has run. */
async function remains() {
  await service.sql("UPDATE media_garbage SET since = since - interval '21 minutes'");
  await runCleanup(service);
  const { root } = service.app.get(Config).media;
  const files = ['uploads', 'media'].flatMap((bucket) =>
    readdirSync(join(root, bucket), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${bucket}/${name}`),
  );
  const [rows] = await service.sql(
    'SELECT (SELECT count(*)::int FROM webhook_message) AS messages, (SELECT count(*)::int FROM media_object) AS objects',
  );
  return { files: files.sort(), ...rows };
}
/** Asserts that a rejected request changed nothing, neither on disk nor in the tables. */
async function withoutEffect(work: () => Promise<void>): Promise<void> {
  const events = new Events(service);
  const before = await remains();
  await work();
  expect(await remains()).toEqual(before);
  expect(events.of(alice)).toEqual([]);
}

describe('webhooks.md 4.1, multipart', () => {
  test('files are stored with the message and served as attachments', async () => {
    const png = await picture('png', 30, 20);
    const body = await sent([
      ['payload_json', JSON.stringify({ content: 'with files', username: 'Sender' })],
      ['files[0]', text('hello')],
      ['files[3]', { bytes: png, name: 'dir/ü ber.png', type: 'text/html' }],
    ]);
    expect(body).toMatchObject({ content: 'with files', author: { username: 'Sender' } });
    expect(body.attachments).toEqual([
      {
        ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), filename: 'a.txt', size: 5 },
        ...{ content_type: 'text/plain; charset=utf-8', url: expect.any(String) },
      },
      {
        ...{ id: expect.any(String), filename: 'ü ber.png', size: png.length, content_type: 'image/png' },
        ...{ url: expect.any(String), width: 30, height: 20 },
      },
    ]);
    const [first, second] = body.attachments;
    expect(pathOf(first.url)).toBe(`/media/attachments/${hook.id}/${first.id}/a.txt`);
    const response = await fetchBytes(service, pathOf(second.url));
    expect([response.status, response.bytes.equals(png)]).toEqual([200, true]);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect((await service.anonymous.get(pathOf(first.url))).text).toBe('hello');
    expect((await service.anonymous.get(`${hook.path}/messages/${body.id}`)).body).toEqual(body);
    expect((await remains()).files.filter((name) => name.startsWith('uploads/'))).toEqual([]);
  });

  test('without wait 204; a file alone is a message, and so is only payload_json', async () => {
    expect((await send([['files[0]', text()]], '')).status).toBe(204);
    const [empty] = (await sent([['files[9]', text('')]])).attachments;
    expect(empty.size).toBe(0);
    expect((await service.anonymous.get(pathOf(empty.url))).status).toBe(200);
    const ranged = await service.anonymous.get(pathOf(empty.url), { headers: { range: 'bytes=0-' } });
    expectApiError(ranged, 'RANGE_NOT_SATISFIABLE');
    expect(ranged.headers.get('content-range')).toBe('bytes */0');
    expect((await sent([['payload_json', '{"content":"x"}']])).content).toBe('x');
  });

  test('the parts may be in any order, and attachments name the files', async () => {
    const body = await sent([
      ['files[1]', text('one', 'sent.txt')],
      ['files[0]', text('zero', '../../etc/passwd')],
      [
        'payload_json',
        JSON.stringify({
          attachments: [{ id: 1, filename: '..\\x\\.hidden\u202e.TXT' }, { id: 0 }, { id: 7, filename: 'x' }],
        }),
      ],
    ]);
    expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(['passwd', 'hidden.TXT']);
    for (const { url } of body.attachments) expect((await service.anonymous.get(pathOf(url))).status).toBe(200);
  });

  test('plain fields replace the members of the same name, other parts are ignored', async () => {
    const body = await sent([
      ['payload_json', JSON.stringify({ content: 'old', nonce: 'old', flags: 4, username: 'Kept' })],
      ['content', 'new'],
      ['nonce', '12345'],
      ['flags', '4096'],
      ['username', 'ignored'],
      ['token', 'ignored'],
    ]);
    expect(body).toMatchObject({ content: 'new', nonce: '12345', flags: 4096, author: { username: 'Kept' } });
  });

  test('ten files are sent, in the order of their numbers', async () => {
    const parts = Array.from({ length: 10 }, (_, n): [string, Part] => [
      `files[${9 - n}]`,
      text(`${9 - n}`, `${9 - n}.txt`),
    ]);
    const body = await sent(parts);
    expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${n}.txt`),
    );
  });

  test('a repeated nonce keeps the files of the first message and none of the second', async () => {
    const parts: [string, Part][] = [
      ['payload_json', JSON.stringify({ nonce: 'with-files-1' })],
      ['files[0]', text('first')],
    ];
    const first = await sent(parts);
    await withoutEffect(async () => {
      expect(await sent([parts[0] as [string, Part], ['files[0]', text('second')]])).toEqual(first);
    });
    expect((await service.anonymous.get(pathOf(first.attachments[0].url))).text).toBe('first');
  });

  test('an edit keeps them, a deletion removes them with the message', async () => {
    const body = await sent([['files[0]', text()]]);
    const path = `${hook.path}/messages/${body.id}`;
    const file = pathOf(body.attachments[0].url);
    const edited = await service.anonymous.patch(path, { content: 'x', embeds: [] });
    expect(edited.body.attachments).toEqual(body.attachments);
    expect((await service.anonymous.patch(path, { content: '' })).status).toBe(200);
    expect((await service.anonymous.get(file)).status).toBe(200);
    expect((await service.anonymous.delete(path)).status).toBe(204);
    expectApiError(await service.anonymous.get(file), 'NOT_FOUND');
  });

  test('they are deleted with the webhook, with the owner, and when the message expires', async () => {
    const other = await newWebhook(service, alice);
    const post = async (to: CreatedWebhook) =>
      pathOf((await service.anonymous.post(`${to.path}?wait=1`, form([['files[0]', text()]]))).body.attachments[0].url);
    const withHook = await post(other);
    await service.as(alice).delete(`/v1/webhooks/${other.id}`);
    expectApiError(await service.anonymous.get(withHook), 'NOT_FOUND');

    const bob = await person(service, 'bob');
    const withOwner = await post(await newWebhook(service, bob));
    expect((await service.anonymous.get(withOwner)).status).toBe(200);
    await service.sql('UPDATE account SET deleted_at = now() WHERE id = $1', [bob.id]);
    expectApiError(await service.anonymous.get(withOwner), 'NOT_FOUND');

    const expiring = await post(hook);
    await service.sql('UPDATE webhook_message SET expires_at = now() WHERE webhook_id = $1', [hook.id]);
    await runCleanup(service);
    expectApiError(await service.anonymous.get(expiring), 'NOT_FOUND');
  });
});

describe('webhooks.md 4.1, rejected forms leave nothing behind', () => {
  const good: [string, Part] = ['files[0]', text('canary')];

  test.each<[string, [string, Part][], string]>([
    ['a payload that is no JSON', [good, ['payload_json', '{"content"']], 'payload_json: INVALID_JSON_IN_PAYLOAD_JSON'],
    ['a payload that is a list', [good, ['payload_json', '[]']], 'payload_json: INVALID_JSON_IN_PAYLOAD_JSON'],
    ['a forbidden key', [good, ['payload_json', '{"__proto__":{}}']], 'payload_json: INVALID_JSON_IN_PAYLOAD_JSON'],
    ['another field with a file', [good, ['file', text()]], 'files: INVALID_FILE_FIELD_NAME'],
    ['number 10', [good, ['files[10]', text()]], 'files: INVALID_FILE_FIELD_NAME'],
    ['a number with a sign', [good, ['files[-1]', text()]], 'files: INVALID_FILE_FIELD_NAME'],
    ['a huge number', [good, ['files[4294967294]', text()]], 'files: INVALID_FILE_FIELD_NAME'],
    ['no number', [good, ['files[]', text()]], 'files: INVALID_FILE_FIELD_NAME'],
    ['a number twice', [good, ['files[0]', text('again')]], 'files: DUPLICATE_FILE_INDEX'],
    ['a member of the wrong type', [good, ['payload_json', '{"content":5}']], 'message_data: INVALID_MESSAGE_DATA'],
    ['flags that are no number', [good, ['flags', 'x']], 'message_data: INVALID_MESSAGE_DATA'],
    ['content that is too long', [good, ['content', 'x'.repeat(4001)]], 'content: CONTENT_EXCEEDS_MAX_LENGTH'],
    [
      'a payload that is too large',
      [good, ['payload_json', JSON.stringify({ x: 'x'.repeat(256 * 1024) })]],
      'payload_json: CONTENT_EXCEEDS_MAX_LENGTH',
    ],
  ])('%s', async (_, parts, fault) => {
    await withoutEffect(async () => expectInvalid(await send(parts), fault));
  });

  test('eleven files are too many, and every exceeded limit is listed', async () => {
    const parts = Array.from({ length: 11 }, (_, n): [string, Part] => [`files[${n}]`, text()]);
    await withoutEffect(async () => {
      expectInvalid(await send(parts), 'files: TOO_MANY_FILES');
      expectInvalid(
        await send([['content', 'x'.repeat(4001)], ...parts]),
        'content: CONTENT_EXCEEDS_MAX_LENGTH',
        'files: TOO_MANY_FILES',
      );
    });
  });

  test('a file beyond 25 MiB is too large', async () => {
    const large = new Uint8Array(25 * 1024 * 1024 + 1);
    await withoutEffect(async () => {
      expectInvalid(
        await send([
          ['files[2]', { bytes: large }],
          ['files[0]', text()],
        ]),
        'files.2: FILE_SIZE_TOO_LARGE',
      );
    });
    const body = await sent([['files[2]', { bytes: large.subarray(1) }]]);
    expect(body.attachments).toMatchObject([{ size: 25 * 1024 * 1024 }]);
    await service.anonymous.delete(`${hook.path}/messages/${body.id}`);
  });

  test('a form with a declared length beyond 251 MiB is not read', async () => {
    await withoutEffect(async () => {
      const connection = await RawConnection.open(service);
      connection.send(
        `POST ${hook.path} HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
          `Content-Length: ${251 * 1024 * 1024 + 1}\r\n\r\n`,
      );
      expectApiError(await connection.readResponse(), 'PAYLOAD_TOO_LARGE');
      connection.close();
    });
  });

  test.each<[string, string, string | undefined]>([
    ['no end', '--edge\nContent-Disposition: form-data; name="files[0]"; filename="a"\n\nhalf of a file', undefined],
    ['no part', 'nothing of a form', undefined],
    ['another boundary', '--other\nContent-Disposition: form-data; name="content"\n\nx\n--other--\n', undefined],
    ['a part without a name for its headers', '--edge\nnonsense', undefined],
    [
      'a file name that ends within a character',
      '--edge\nContent-Disposition: form-data; name="files[0]"; filename*=utf-16le\'\'%00%D8\n\nx\n--edge--\n',
      undefined,
    ],
    ['no boundary', '--\n', ''],
    ['a boundary of 71', `--${'x'.repeat(71)}--\n`, 'x'.repeat(71)],
    [
      'ten thousand parts',
      `${'--edge\nContent-Disposition: form-data; name="x"\n\ny\n'.repeat(10_000)}--edge--\n`,
      undefined,
    ],
  ])('a broken form: %s', async (_, body, boundary) => {
    await withoutEffect(async () => {
      expectInvalid(await raw(body, boundary), 'files: FAILED_TO_PARSE_MULTIPART_FORM_DATA');
    });
  });

  test('nothing to send, an encoding, an unknown webhook', async () => {
    await withoutEffect(async () => {
      expectApiError(await raw('--edge--\n'), 'CANNOT_SEND_EMPTY_MESSAGE');
      expectApiError(await send([['payload_json', '']]), 'CANNOT_SEND_EMPTY_MESSAGE');
      expectApiError(await raw('--edge--\n', 'edge', { 'content-encoding': 'gzip' }), 'UNSUPPORTED_MEDIA_TYPE');
      const path = `/v1/webhooks/${hook.id}/${'x'.repeat(64)}`;
      expectApiError(await service.anonymous.post(path, form([good])), 'UNKNOWN_WEBHOOK');
    });
  });

  test('a client that disconnects in the middle', async () => {
    await withoutEffect(async () => {
      const connection = await RawConnection.open(service);
      connection.send(
        `POST ${hook.path} HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Type: multipart/form-data; boundary=edge\r\n` +
          'Content-Length: 100000\r\n\r\n--edge\r\nContent-Disposition: form-data; name="files[0]"; filename="a"\r\n\r\nhalf',
      );
      const staging = join(service.app.get(Config).media.root, 'uploads', 'tmp');
      const isWriting = () => readdirSync(staging).length > 0;
      while (!isWriting()) await new Promise((resolve) => setImmediate(resolve));
      connection.close();
      while (isWriting()) await new Promise((resolve) => setImmediate(resolve));
    });
  });

  test('a process that exits before cleanup: its files are recorded, and deleted by the next sweep', async () => {
    const storage = service.app.get(Storage);
    const { remove, publish } = storage;
    await withoutEffect(async () => {
      storage.remove = async () => {
        throw new StorageFault(new Error('gone'), false);
      };
      storage.publish = async (from, to) => {
        await publish.call(storage, from, to);
        throw new StorageFault(new Error('gone'), false);
      };
      expectApiError(await send([good]), 'SERVICE_UNAVAILABLE');
      storage.remove = remove;
      storage.publish = publish;
    });
  });

  test('a form that takes more than 15 minutes', async () => {
    await withoutEffect(async () => {
      const restoreTimers = shortenTimers(15 * 60_000);
      const connection = await RawConnection.open(service);
      connection.send(
        `POST ${hook.path} HTTP/1.1\r\nHost: gatehouse.test\r\nContent-Type: multipart/form-data; boundary=edge\r\n` +
          'Content-Length: 100000\r\n\r\n--edge\r\nContent-Disposition: form-data; name="files[0]"; filename="a"\r\n\r\nhalf',
      );
      expectApiError(await connection.readResponse(), 'BAD_REQUEST');
      restoreTimers();
      connection.close();
    });
  });

  test('storage that fails, while writing or while publishing', async () => {
    const storage = service.app.get(Storage);
    const { write, publish } = storage;
    await withoutEffect(async () => {
      storage.write = async () => {
        throw new StorageFault(new Error('broken'), false);
      };
      expectApiError(await send([good]), 'SERVICE_UNAVAILABLE');
      storage.write = write;
      storage.publish = async () => {
        throw new StorageFault(new Error('full'), true);
      };
      expectApiError(await send([good]), 'SERVICE_UNAVAILABLE');
      let published = 0;
      storage.publish = async (from, to) => {
        if (published++ > 0) throw new StorageFault(new Error('broken'), false);
        return publish.call(storage, from, to);
      };
      expectApiError(await send([good, ['files[1]', text()]]), 'SERVICE_UNAVAILABLE');
      storage.publish = publish;
    });
  });

  test('a webhook that is deleted while its message arrives', async () => {
    const doomed = await newWebhook(service, alice);
    const storage = service.app.get(Storage);
    const { publish } = storage;
    storage.publish = async (from, to) => {
      await service.as(alice).delete(`/v1/webhooks/${doomed.id}`);
      return publish.call(storage, from, to);
    };
    const before = await remains();
    expectApiError(await service.anonymous.post(doomed.path, form([good])), 'UNKNOWN_WEBHOOK');
    storage.publish = publish;
    expect(await remains()).toEqual(before);
  });

  test('other routes accept no form', async () => {
    for (const path of [`${hook.path}/messages/1`]) {
      expectApiError(await service.anonymous.patch(path, form([good])), 'UNSUPPORTED_MEDIA_TYPE');
    }
  });
});

describe('media.md section 3, the quota of the owner', () => {
  const QUOTA = 100_000;
  let small: Gatehouse;
  beforeAll(async () => {
    small = await gatehouse({ env: { MEDIA_ACCOUNT_QUOTA_BYTES: String(QUOTA) } });
  });
  afterAll(() => small.close());
  const stored = async (): Promise<number> =>
    Number((await small.sql('SELECT coalesce(sum(size), 0) AS bytes FROM media_object'))[0]?.bytes);
  const post = (path: string, size: number) =>
    small.anonymous.post(`${path}?wait=true`, form([['files[0]', { bytes: Buffer.alloc(size, 'x'), name: 'a.bin' }]]));

  test('files of webhooks count toward it, also in parallel', async () => {
    const owner = await person(small, 'owner');
    const hooks = [await newWebhook(small, owner), await newWebhook(small, owner)];
    const events = new Events(small);
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) => post((hooks[n % 2] as CreatedWebhook).path, QUOTA / 10 - 1)),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(22);
    for (const response of refused) expectApiError(response, 'MEDIA_QUOTA_EXCEEDED');
    expect(await stored()).toBe(10 * (QUOTA / 10 - 1));
    expect(events.of(owner)).toHaveLength(10);
    const [{ messages } = { messages: 0 }] = await small.sql('SELECT count(*)::int AS messages FROM webhook_message');
    expect(messages).toBe(10);
    const attachments = [{ id: 0, filename: 'b.bin', file_size: 11, content_type: 'text/plain' }];
    expectApiError(await small.as(owner).post('/v1/media/uploads', { attachments }), 'MEDIA_QUOTA_EXCEEDED');
    // Messages without files are still accepted, and other users have their own quota.
    expect((await small.anonymous.post(`${hooks[0]?.path}?wait=true`, { content: 'hello' })).status).toBe(200);
    expect((await post((await newWebhook(small, await person(small, 'other'))).path, 1000)).status).toBe(200);
  });
});
