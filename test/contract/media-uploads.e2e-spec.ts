import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../src/core/config/config.js';
import { type Claims, signCapability } from '../../src/media/addresses/capability.js';
import { MediaUrlService } from '../../src/media/addresses/urls.service.js';
import {
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  pathOf,
  person,
  planUploads,
  RawConnection,
  race,
  sendRaw,
  uploadFile,
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { MEDIA_ACCOUNT_QUOTA_BYTES: String(60 * 1024 * 1024) } });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const filesBelow = (root: string): string[] => {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );
  } catch {
    return [];
  }
};
const staged = (): string[] => filesBelow(join(service.app.get(Config).media.root, 'uploads'));

/** Signs a capability with the secret of the service. */
function capability(claims: Record<string, unknown>): string {
  const [secret] = service.app.get(MediaUrlService).relaySecrets;
  const base = { b: 'uploads', k: 'key', m: 'put', mb: 1000, e: service.clock.seconds() + 100 };
  return signCapability(secret as Uint8Array, { ...base, ...claims } as unknown as Claims);
}

/** Waits until this number of capabilities is in use. */
async function busyCapabilities(count: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const rows = await service.sql("SELECT 1 FROM media_capability WHERE state = 'busy'");
    if (rows.length === count) return;
    await new Promise(setImmediate);
  }
  throw new Error(`never were ${count} capabilities in use`);
}

describe('media.md section 3, planning', () => {
  test('returns a capability for each file, in request order', async () => {
    const response = await service.as(alice).post('/v1/media/uploads', {
      attachments: [
        { id: 7, filename: '../x/Bild ü.PNG', file_size: 3, content_type: 'text/html' },
        { id: 0, filename: '.hidden', file_size: 4, content_type: 'image/png' },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [first, second] = response.body.attachments;
    expect(first).toEqual({
      id: 7,
      filename: 'Bild ü.PNG',
      upload_filename: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      file_size: 3,
      content_type: 'image/png',
      upload_mode: 'singlepart',
      upload_url: expect.stringContaining(`/media/relay/${first.upload_filename}?t=`),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    });
    expect(second).toMatchObject({ id: 0, filename: 'hidden', content_type: 'application/octet-stream' });
    const claims = JSON.parse(
      Buffer.from(new URL(first.upload_url).searchParams.get('t')?.split('.')[0] ?? '', 'base64url').toString(),
    );
    expect(claims).toEqual({
      ...{ b: 'uploads', k: first.upload_filename, m: 'put', ct: 'image/png', mb: 3 },
      e: Date.parse(first.expires_at) / 1000,
    });
    expect(claims.e - service.clock.seconds()).toBeGreaterThan(890);
    expect(claims.e - service.clock.seconds()).toBeLessThanOrEqual(900);
  });

  test('every invalid member is named, and nothing is planned', async () => {
    const before = await service.sql('SELECT count(*) FROM media_upload');
    const file = { id: 0, filename: 'a', file_size: 1, content_type: 'x' };
    const plan = (attachments: unknown) => service.as(alice).post('/v1/media/uploads', { attachments });
    expectInvalid(await plan(undefined), 'attachments: INVALID_FORMAT');
    expectInvalid(await plan([]), 'attachments: INVALID_FORMAT');
    expectInvalid(await plan(Array.from({ length: 11 }, (_, id) => ({ ...file, id }))), 'attachments: INVALID_FORMAT');
    expectInvalid(
      await plan([file, { id: 0, filename: '', file_size: 0, content_type: 5 }, { ...file, id: -1 }, 'x']),
      'attachments.1.id: INVALID_FORMAT',
      'attachments.1.filename: INVALID_FORMAT',
      'attachments.1.file_size: INVALID_FORMAT',
      'attachments.1.content_type: INVALID_FORMAT',
      'attachments.2.id: INVALID_FORMAT',
      'attachments.3: INVALID_FORMAT',
    );
    expectInvalid(
      await plan([{ ...file, filename: 'x'.repeat(256), id: 2 ** 31 }]),
      'attachments.0.id: INVALID_FORMAT',
      'attachments.0.filename: INVALID_FORMAT',
    );
    expectApiError(await plan([file, { ...file, id: 1, file_size: 25 * 1024 * 1024 + 1 }]), 'FILE_SIZE_TOO_LARGE');
    expect(await service.sql('SELECT count(*) FROM media_upload')).toEqual(before);
  });

  test('more than 50 unfinished uploads of one account are rejected, also in parallel', async () => {
    const bob = await person(service, 'bob');
    const files = Array.from({ length: 10 }, () => ({ filename: 'a', size: 1 }));
    const body = { attachments: files.map((_, id) => ({ id, filename: 'a', file_size: 1, content_type: 'x' })) };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => service.as(bob).post('/v1/media/uploads', body)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    for (const response of responses) if (response.status !== 200) expectApiError(response, 'MEDIA_QUOTA_EXCEEDED');
    const [row] = await service.sql('SELECT count(*)::int AS n FROM media_upload WHERE owner_id = $1', [bob.id]);
    expect(row?.n).toBe(50);
  });

  test('stored and planned bytes of an account never exceed its quota', async () => {
    const carol = await person(service, 'carol');
    const size = 25 * 1024 * 1024;
    await planUploads(service, carol, [
      { filename: 'a', size },
      { filename: 'b', size },
    ]);
    const attachments = [{ id: 0, filename: 'c', file_size: size, content_type: 'x' }];
    expectApiError(await service.as(carol).post('/v1/media/uploads', { attachments }), 'MEDIA_QUOTA_EXCEEDED');
  });

  test('needs a session or a bot; an access token is rejected', async () => {
    const { bearer, bot } = await createCredentialSet(service, { scopes: ['identify'] });
    expectApiError(await service.anonymous.post('/v1/media/uploads', { attachments: [] }), 'UNAUTHORIZED');
    expectApiError(await service.as(bearer).post('/v1/media/uploads', { attachments: [] }), 'ACCESS_DENIED');
    expectApiError(await service.as(bearer).post('/v1/media/uploads/complete', { uploads: [] }), 'ACCESS_DENIED');
    expect((await uploadFile(service, bot, 'a.txt', bytes('beep'))).size).toBe(4);
  });
});

describe('media.md section 3, completion', () => {
  test('the type is detected from the bytes, and a repeated request gets the same response', async () => {
    const png = readFileSync(new URL('../support/fixtures/dot.png', import.meta.url));
    const stored = await uploadFile(service, alice, 'not-text.txt', png);
    expect(stored).toEqual({
      upload_filename: expect.any(String),
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      filename: 'not-text.txt',
      content_type: 'image/png',
      size: png.length,
      url: expect.stringMatching(new RegExp(`/media/attachments/${alice.id}/[0-9a-f-]{36}/not-text\\.txt$`)),
      width: 1,
      height: 1,
    });
    expect(stored.url).not.toContain(stored.upload_filename);
    const again = { uploads: [{ upload_filename: stored.upload_filename }] };
    const response = await service.as(alice).post('/v1/media/uploads/complete', again);
    expect(response.body).toEqual({ uploads: [stored] });
  });

  test('32 parallel completions create one object', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'a.txt', size: 5 }]);
    await service.anonymous.put(pathOf(planned?.upload_url ?? ''), bytes('hello'));
    const body = { uploads: [{ upload_filename: planned?.upload_filename }] };
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => service.as(alice).post('/v1/media/uploads/complete', body)),
    );
    for (const response of responses) expect(response).toMatchObject({ status: 200, body: responses[0]?.body });
    const url = new URL(responses[0]?.body.uploads[0].url);
    const found = await service.sql('SELECT 1 FROM media_object WHERE key = $1', [
      decodeURIComponent(url.pathname.replace('/media/attachments/', '')),
    ]);
    expect(found).toHaveLength(1);
  });

  test('one missing upload stops all: unknown, not sent, of wrong size, of another account or credential', async () => {
    const complete = (who: Parameters<Gatehouse['as']>[0], ...names: (string | undefined)[]) =>
      service
        .as(who)
        .post('/v1/media/uploads/complete', { uploads: names.map((upload_filename) => ({ upload_filename })) });
    const [sent, unsent, short] = await planUploads(
      service,
      alice,
      [5, 5, 5].map((size) => ({ filename: 'a.txt', size })),
    );
    await service.anonymous.put(pathOf(sent?.upload_url ?? ''), bytes('hello'));
    expect((await service.anonymous.put(pathOf(short?.upload_url ?? ''), bytes('hell'))).status).toBe(200);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expectInvalid(
      await complete(alice, sent?.upload_filename, unsent?.upload_filename, unknown, short?.upload_filename, 'x'),
      ...[1, 2, 3, 4].map((at) => `uploads.${at}.upload_filename: UPLOADED_ATTACHMENT_NOT_FOUND`),
    );
    expect(await service.sql('SELECT finished_at FROM media_upload WHERE id = $1', [sent?.upload_filename])).toEqual([
      { finished_at: null },
    ]);
    const mallory = await person(service, 'mallory');
    const missing = 'uploads.0.upload_filename: UPLOADED_ATTACHMENT_NOT_FOUND';
    expectInvalid(await complete(mallory, sent?.upload_filename), missing);
    await service.sql("UPDATE media_upload SET credential_kind = 'bot' WHERE id = $1", [sent?.upload_filename]);
    expectInvalid(await complete(alice, sent?.upload_filename), missing);
    await service.sql("UPDATE media_upload SET credential_kind = 'session' WHERE id = $1", [sent?.upload_filename]);
    await service.sql("UPDATE media_upload SET created_at = created_at - interval '24 hours' WHERE id = $1", [
      sent?.upload_filename,
    ]);
    expectInvalid(await complete(alice, sent?.upload_filename), missing);
  });

  test('an invalid body is reported by member', async () => {
    const complete = (uploads: unknown) => service.as(alice).post('/v1/media/uploads/complete', { uploads });
    expectInvalid(await complete([]), 'uploads: INVALID_FORMAT');
    expectInvalid(await complete({}), 'uploads: INVALID_FORMAT');
    expectInvalid(await complete([{}, 5]), 'uploads.0.upload_filename: INVALID_FORMAT', 'uploads.1: INVALID_FORMAT');
  });
});

describe('media.md 4.2 relay, in the order of its rows', () => {
  const put = (path: string, body: Uint8Array | string = bytes('hello'), headers = {}) =>
    service.anonymous.put(path, typeof body === 'string' ? bytes(body) : body, { headers });

  test('1: another method is an unknown path; OPTIONS never reads the capability', async () => {
    const t = capability({ k: 'a' });
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'HEAD']) {
      expect((await service.anonymous.send(method, `/media/relay/a?t=${t}`)).status).toBe(404);
    }
    for (const path of ['/media/relay/a', '/media/relay/a?t=wrong', '/media/relay/a/b']) {
      const response = await service.anonymous.send('OPTIONS', path);
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-methods')).toBe('PUT');
      expect(response.headers.get('access-control-allow-headers')).toBe('Content-Type, Content-Length');
      expect(response.headers.get('access-control-expose-headers')).toBe('ETag, X-Request-ID');
    }
  });

  test.each(['a//b', 'a/', '../a', '%2e%2e/a', 'a/..%2fb', 'a%00', 'a%5cb', '%ff', '%c0%ae', '/a'])(
    '2: the key %j violates the key rule',
    async (key) => {
      expectApiError(
        await sendRaw(service, [`PUT /media/relay/${key}?t=x HTTP/1.1`, 'Content-Length: 0']),
        'BAD_REQUEST',
      );
    },
  );

  test('3: a missing, repeated, overlong, malformed or forged capability', async () => {
    const t = capability({ k: 'a' });
    const forged = signCapability(
      randomBytes(32),
      JSON.parse(Buffer.from(t.split('.')[0] ?? '', 'base64url').toString()),
    );
    const overlong = `?t=${'A'.repeat(5000)}.${'A'.repeat(43)}`;
    for (const query of ['', '?t=', `?t=${t}&t=${t}`, `?t=${t}A`, overlong, `?t=${forged}`]) {
      const response = await put(`/media/relay/a${query}`);
      expectApiError(response, 'UNAUTHORIZED');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toBe('ETag, X-Request-ID');
    }
  });

  test('4: invalid claims, another method, the second of expiry', async () => {
    for (const claims of [{ m: 'get' }, { mb: 0 }, { extra: 1 }, { e: service.clock.seconds() }, { r: 'true' }]) {
      expectApiError(await put(`/media/relay/a?t=${capability({ k: 'a', ...claims })}`), 'UNAUTHORIZED');
    }
    const t = capability({ k: 'a', e: service.clock.seconds() + 30 });
    service.clock.advance({ seconds: 30 });
    expectApiError(await put(`/media/relay/a?t=${t}`), 'UNAUTHORIZED');
  });

  test('5: another bucket, another key, parts', async () => {
    expectApiError(await put(`/media/relay/a?t=${capability({ k: 'a', b: 'media' })}`), 'FORBIDDEN');
    expectApiError(await put(`/media/relay/b?t=${capability({ k: 'a' })}`), 'FORBIDDEN');
    expectApiError(await put(`/media/relay/a?t=${capability({ k: 'a' })}&partNumber=1`), 'FORBIDDEN');
    expectApiError(await put(`/media/relay/a?t=${capability({ k: 'a' })}&uploadId=x`), 'FORBIDDEN');
    expect((await put(`/media/relay/a?t=${capability({ k: 'a' })}&uploadId=`)).status).toBe(200);
    expect((await put(`/media/relay/%61%2Fb?t=${capability({ k: 'a/b' })}`)).status).toBe(200);
  });

  test('6: a declared length above the limit is rejected before the body is read, and the capability stays unused', async () => {
    const t = capability({ k: 'six', mb: 5 });
    const before = staged();
    const huge = capability({ k: 'huge', mb: 2 ** 40 });
    for (const [path, length] of [
      [`/media/relay/six?t=${t}`, 6],
      [`/media/relay/huge?t=${huge}`, 25 * 2 ** 20 + 1],
    ]) {
      const connection = await RawConnection.open(service);
      connection.send(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
      expectApiError(await connection.readResponse(), 'PAYLOAD_TOO_LARGE');
      connection.close();
    }
    expect(staged()).toEqual(before);
    expect((await put(`/media/relay/six?t=${t}`)).status).toBe(200);
  });

  test('7: a used capability is rejected', async () => {
    const path = `/media/relay/seven?t=${capability({ k: 'seven' })}`;
    expect((await put(path)).status).toBe(200);
    expectApiError(await put(path), 'UNAUTHORIZED');
  });

  test('8: a capability in use by another request is a conflict; a broken connection releases it', async () => {
    const path = `/media/relay/eight?t=${capability({ k: 'eight' })}`;
    const busy = async () => {
      const connection = await RawConnection.open(service);
      connection.send(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe`);
      await busyCapabilities(1);
      return connection;
    };
    const first = await busy();
    const refused = await put(path);
    expectApiError(refused, 'CONFLICT');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    first.close();
    await busyCapabilities(0);
    const second = await busy();
    second.send('llo');
    expect((await second.readResponse()).status).toBe(200);
    second.close();
    expectApiError(await put(path), 'UNAUTHORIZED');
  });

  test('8: a capability that a stopped process used is released after the write deadline', async () => {
    const path = `/media/relay/dead?t=${capability({ k: 'dead' })}`;
    const connection = await RawConnection.open(service);
    connection.send(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe`);
    await busyCapabilities(1);
    const [row] = await service.sql(
      "SELECT extract(epoch FROM busy_until - now())::float AS left FROM media_capability WHERE state = 'busy'",
    );
    expect(row?.left).toBeGreaterThan(60);
    expect(row?.left).toBeLessThan(70);
    await service.sql("UPDATE media_capability SET busy_until = now() WHERE state = 'busy'");
    expect((await put(path)).status).toBe(200);
    connection.send('llo');
    expectApiError(await connection.readResponse(), 'BAD_GATEWAY');
    connection.close();
  });

  test('of 32 parallel uploads with one capability, exactly one is stored', async () => {
    const path = `/media/relay/race?t=${capability({ k: 'race' })}`;
    const { responses } = await race(32, (n) => put(path, `upload ${n}`));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectApiError(response, response.status === 409 ? 'CONFLICT' : 'UNAUTHORIZED');
    }
  });

  test('9: a body without a length is counted while it is read; an oversized one stores nothing', async () => {
    const t = capability({ k: 'nine', mb: 5 });
    const before = staged();
    const stream = (text: string) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(bytes(text));
          controller.close();
        },
      });
    expectApiError(await service.anonymous.put(`/media/relay/nine?t=${t}`, stream('123456')), 'PAYLOAD_TOO_LARGE');
    expect(staged()).toEqual(before);
    expect(await service.sql("SELECT 1 FROM media_staged WHERE key = 'nine'")).toEqual([]);
    expect((await service.anonymous.put(`/media/relay/nine?t=${t}`, stream('12345'))).status).toBe(200);
  });

  test('10: a body shorter than declared stores nothing and does not use the capability', async () => {
    const path = `/media/relay/ten?t=${capability({ k: 'ten' })}`;
    const connection = await RawConnection.open(service);
    connection.send(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe`);
    await busyCapabilities(1);
    connection.close();
    await busyCapabilities(0);
    expect(await service.sql("SELECT 1 FROM media_staged WHERE key = 'ten'")).toEqual([]);
    expect((await put(path)).status).toBe(200);
  });

  test('13: stored; the ETag is that of the bytes, and the type is that of the claim', async () => {
    const response = await put(`/media/relay/done?t=${capability({ k: 'done', ct: 'image/png' })}`, 'hello', {
      'content-type': 'text/html',
    });
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: '' });
    expect(response.headers.get('etag')).toBe('"2cf24dba5fb0a30e26e83b2ac5b9e29e"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('content-type')).toBe(false);
    const rows = await service.sql("SELECT size, content_type FROM media_staged WHERE key = 'done'");
    expect(rows).toEqual([{ size: '5', content_type: 'image/png' }]);
  });

  test('without that claim, the type is that of the request, otherwise bytes', async () => {
    const types = [];
    for (const headers of [{ 'content-type': 'text/html' }, {}]) {
      await put(`/media/relay/typed?t=${capability({ k: 'typed', r: true })}`, 'x', headers);
      const [row] = await service.sql("SELECT content_type FROM media_staged WHERE key = 'typed'");
      types.push(row?.content_type);
    }
    expect(types).toEqual(['text/html', 'application/octet-stream']);
  });

  test('a reusable capability works until it expires; the last write wins', async () => {
    const path = `/media/relay/again?t=${capability({ k: 'again', r: true, e: service.clock.seconds() + 50 })}`;
    for (const body of ['one', 'three']) expect((await put(path, body)).status).toBe(200);
    expect(await service.sql("SELECT size FROM media_staged WHERE key = 'again'")).toEqual([{ size: '5' }]);
    service.clock.advance({ seconds: 50 });
    expectApiError(await put(path), 'UNAUTHORIZED');
  });

  test('staged objects are never readable', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'a.txt', size: 5 }]);
    await put(pathOf(planned?.upload_url ?? ''));
    for (const path of ['attachments', 'uploads', 'relay']) {
      expectApiError(await service.anonymous.get(`/media/${path}/${planned?.upload_filename}`), 'NOT_FOUND');
    }
  });

  test('Authorization and cookies are not read', async () => {
    const { session } = await createCredentialSet(service);
    for (const authorization of [session, 'Bearer x', 'nonsense nonsense']) {
      const headers = { authorization, cookie: 'a=b' };
      expect(
        (await put(`/media/relay/auth?t=${capability({ k: 'auth', mb: 99 + authorization.length })}`, 'x', headers))
          .status,
      ).toBe(200);
    }
  });
});

describe('media.md section 11 secrecy of URLs', () => {
  test('the capability appears in no log line, error or table', async () => {
    const [planned] = await planUploads(service, alice, [{ filename: 'secret-name.txt', size: 5 }]);
    const url = planned?.upload_url ?? '';
    const t = new URL(url).searchParams.get('t') ?? '';
    const responses = [
      await service.anonymous.put(pathOf(url).replace('relay/', 'relay/x'), bytes('hello')),
      await service.anonymous.put(pathOf(url), new Uint8Array(6)),
      await service.anonymous.put(pathOf(url), bytes('hello')),
      await service.anonymous.put(pathOf(url), bytes('hello')),
      await service.anonymous.send('POST', pathOf(url)),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 413, 200, 401, 404]);
    const [half = '', mac = ''] = t.split('.');
    for (const { text, headers } of responses) {
      for (const secret of [half, mac, planned?.upload_filename ?? '']) {
        expect(text + JSON.stringify([...headers])).not.toContain(secret);
      }
    }
    const log = service.log.join('');
    for (const secret of [half, mac, planned?.upload_filename ?? '']) expect(log).not.toContain(secret);
    expect(log).toContain('/media/relay/*');
    const rows = JSON.stringify(await service.sql("SELECT encode(digest, 'escape') AS d, c.* FROM media_capability c"));
    expect(rows).not.toContain(mac);
  });
});

describe('media.md sections 3 and 4, other configurations', () => {
  test('MEDIA_UPLOADS_ENABLED=false disables planning and completion', async () => {
    await withGatehouse({ env: { MEDIA_UPLOADS_ENABLED: 'false' } }, async (other) => {
      const bob = await person(other, 'bob');
      const attachments = [{ id: 0, filename: 'a', file_size: 1, content_type: 'x' }];
      const uploads = [{ upload_filename: 'x' }];
      expectApiError(await other.as(bob).post('/v1/media/uploads', { attachments }), 'FEATURE_TEMPORARILY_DISABLED');
      expectApiError(
        await other.as(bob).post('/v1/media/uploads/complete', { uploads }),
        'FEATURE_TEMPORARILY_DISABLED',
      );
    });
  });

  test('the first configured secret signs; a storage failure gives 502 and leaves the capability unused', async () => {
    const root = mkdtempSync(join(tmpdir(), 'gatehouse-media-'));
    writeFileSync(join(root, 'uploads'), 'in the way');
    const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32)];
    await withGatehouse(
      {
        env: {
          MEDIA_LOCAL_ROOT: root,
          MEDIA_RELAY_SECRETS: secrets.map((secret) => secret.toString('base64')).join(', '),
        },
      },
      async (other) => {
        const claims: Claims = { b: 'uploads', k: 'abc', m: 'put', mb: 10, e: other.clock.seconds() + 60 };
        const path = `/media/relay/abc?t=${signCapability(secrets[1] as Buffer, claims)}`;
        expectApiError(await other.anonymous.put(path, bytes('hello')), 'BAD_GATEWAY');
        expect(await other.sql('SELECT 1 FROM media_capability')).toEqual([]);
        const bob = await person(other, 'bob');
        const [planned] = await planUploads(other, bob, [{ filename: 'a', size: 1 }]);
        const t = new URL(planned?.upload_url ?? '').searchParams.get('t') ?? '';
        const signed = JSON.parse(Buffer.from(t.split('.')[0] ?? '', 'base64url').toString());
        expect(t).toBe(signCapability(secrets[0] as Buffer, signed));
      },
    );
  });

  test('a secret that is too short stops the startup', async () => {
    await expect(gatehouse({ env: { MEDIA_RELAY_SECRETS: Buffer.alloc(31).toString('base64') } })).rejects.toThrow(
      'MEDIA_RELAY_SECRETS',
    );
    await expect(gatehouse({ env: { MEDIA_SIGNING_SECRETS: 'short' } })).rejects.toThrow('MEDIA_SIGNING_SECRETS');
  });
});
