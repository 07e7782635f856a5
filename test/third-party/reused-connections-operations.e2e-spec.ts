/** Operations whose responses declare a length, behind proxies that send the requests of all clients on one connection. */
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, stat, truncate } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { describeUnless, missing } from '../machine/programs.js';
import { type ReusingProxy, reusingProxy } from '../machine/proxies.js';
import { expectOwnAccounts, ownResponse, requestBytes } from '../machine/reused.js';
import { until } from '../machine/service-process.js';
import {
  type CreatedWebhook,
  type Gatehouse,
  gatehouse,
  newWebhook,
  type Persona,
  pathOf,
  person,
  planUploads,
  type RawResponse,
} from '../support/index.js';

const EXPORT = '/v1/users/@me/export';
/** Together more than all sockets between the service and a client behind a proxy buffer. */
const EXPORTED_MESSAGES = 6000;
const MESSAGE_BYTES = 4000;
const BIO = 'Größe 😀 \u2028';
/** A complete response, which the next client on the connection would receive. */
const STOLEN = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"id":"stolen"}';

let service: Gatehouse;
let victims: Persona[];
let owner: Persona;
/** The owner of a long export. */
let hoarder: Persona;
let hook: CreatedWebhook;
/** The webhook that each smuggled request would write to. */
let target: CreatedWebhook;
/** A complete request that changes something, as the beginning of a body. */
let smuggled: string;
let connections = 0;
beforeAll(async () => {
  service = await gatehouse({ env: { ABUSE_BANS: 'off' } });
  victims = await Promise.all(['alice', 'bob', 'carol', 'dave'].map((name) => person(service, name)));
  owner = await person(service, 'owner');
  [hook, target] = [await newWebhook(service, owner), await newWebhook(service, owner)];
  const body = JSON.stringify({ text: 'smuggled' });
  smuggled = requestBytes(
    `POST ${target.path}/slack`,
    ['Content-Type: application/json', `Content-Length: ${body.length}`],
    body,
  ).toString();
  await service.as(owner).patch('/v1/users/@me', { bio: BIO }).expect(200);
  hoarder = await person(service, 'hoarder');
  const { id } = await newWebhook(service, hoarder);
  await service.sql(
    `INSERT INTO webhook_message (id, webhook_id, username, content, expires_at)
     SELECT $1::bigint + n, $1, 'big', repeat('x', $3::int), now() + interval '1 day' FROM generate_series(1, $2::int) n`,
    [id, EXPORTED_MESSAGES, MESSAGE_BYTES],
  );
  service.app.getHttpServer().on('connection', () => connections++);
});
afterAll(() => service.close());

const messagesOf = ({ id }: CreatedWebhook) =>
  service.sql('SELECT content FROM webhook_message WHERE webhook_id = $1 ORDER BY id', [id]);
const staged = () => service.sql('SELECT key FROM media_staged ORDER BY key');

const json = (path: string, body: unknown, { authorization }: Partial<Persona> = {}): Buffer => {
  const bytes = Buffer.from(JSON.stringify(body));
  const lines = ['Content-Type: application/json', `Content-Length: ${bytes.length}`];
  return requestBytes(`POST ${path}`, authorization ? [...lines, `Authorization: ${authorization}`] : lines, bytes);
};
const exportRequest = (who: Persona): Buffer => json(EXPORT, { password: who.password }, who);

async function plannedPath(size: number): Promise<string> {
  const [planned] = await planUploads(service, owner, [{ filename: 'a.bin', size }]);
  return pathOf(planned?.upload_url ?? '');
}

/** Bytes that contain nothing but complete requests. */
const smuggling = (bytes: number): Buffer => Buffer.alloc(bytes, smuggled);

const CHUNKED = ['Transfer-Encoding: chunked'];
const chunked = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]);

/** A request with a body of smuggled requests. */
const withBody = (start: string, bytes: number, ...lines: string[]): Buffer =>
  requestBytes(start, [...lines, `Content-Length: ${bytes}`], smuggling(bytes));

const JSON_TYPE = 'Content-Type: application/json';
const SMALL = 16 * 1024;
const LARGE = 300 * 1024;
const LONG_LINES = ['A', 'B', 'C', 'D'].map((name) => `X-${name}: ${'y'.repeat(6144)}`);

interface Operation {
  readonly request: () => Promise<Buffer> | Buffer;
  readonly expectOwn: (response: RawResponse) => void;
}

const expectUploaded = ({ status, headers, text }: RawResponse) =>
  expect([status, headers.get('content-length'), text]).toEqual([200, '0', '']);
const expectCode =
  (...expected: [status: number, code: string]) =>
  ({ status, body }: RawResponse) =>
    expect([status, body.code]).toEqual(expected);

/** Operations after whose response the connection stays open. */
const KEPT: Readonly<Record<string, Operation>> = {
  'an export': {
    request: () => exportRequest(owner),
    expectOwn: ({ status, headers, text, body }) => {
      expect([status, Number(headers.get('content-length'))]).toEqual([200, Buffer.byteLength(text)]);
      expect(body.account).toMatchObject({ id: owner.id, bio: BIO });
    },
  },
  'an export without sudo mode': {
    request: () => json(EXPORT, {}, owner),
    expectOwn: expectCode(403, 'SUDO_MODE_REQUIRED'),
  },
  'an upload': {
    request: async () => withBody(`PUT ${await plannedPath(SMALL)}`, SMALL),
    expectOwn: expectUploaded,
  },
  'an upload in chunks': {
    request: async () => requestBytes(`PUT ${await plannedPath(SMALL)}`, CHUNKED, chunked(smuggling(SMALL))),
    expectOwn: expectUploaded,
  },
  'a message in the format of Slack': {
    request: () => json(`${hook.path}/slack`, { text: BIO }),
    expectOwn: ({ status, headers, text }) =>
      expect([status, headers.get('content-length'), text]).toEqual([200, '2', 'ok']),
  },
  'an empty message in the format of Slack': {
    request: () => json(`${hook.path}/slack`, { text: '' }),
    expectOwn: expectCode(400, 'CANNOT_SEND_EMPTY_MESSAGE'),
  },
};

const refused = (request: Operation['request'], status: number, code: string): Operation => ({
  request,
  expectOwn: expectCode(status, code),
});

/** Requests that are rejected before all of their body is read. */
const REJECTED: Readonly<Record<string, Operation>> = {
  'a path that cannot be decoded': refused(() => withBody('POST /v1/%ff', SMALL, JSON_TYPE), 400, 'BAD_REQUEST'),
  'more than 100 header lines': refused(
    () => withBody('POST /v1/auth/login', SMALL, ...Array<string>(150).fill('X: y')),
    400,
    'BAD_REQUEST',
  ),
  'headers of 24 KiB': refused(() => withBody('POST /v1/auth/login', SMALL, ...LONG_LINES), 431, 'BAD_REQUEST'),
  'JSON that is too long': refused(() => withBody('POST /v1/auth/login', LARGE, JSON_TYPE), 413, 'PAYLOAD_TOO_LARGE'),
  'chunks of JSON that are too long': refused(
    () => requestBytes('POST /v1/auth/login', [JSON_TYPE, ...CHUNKED], chunked(smuggling(LARGE))),
    413,
    'PAYLOAD_TOO_LARGE',
  ),
  'a message of Slack that is too long': refused(
    () => withBody(`POST ${hook.path}/slack`, LARGE, JSON_TYPE),
    413,
    'PAYLOAD_TOO_LARGE',
  ),
  'a message of Slack for an unknown token': refused(
    () => withBody(`POST ${hook.path}x/slack`, SMALL, JSON_TYPE),
    404,
    'UNKNOWN_WEBHOOK',
  ),
  'an upload that is longer than planned': refused(
    async () => withBody(`PUT ${await plannedPath(1000)}`, LARGE),
    413,
    'PAYLOAD_TOO_LARGE',
  ),
  'an upload whose chunks are longer than planned': refused(
    async () => requestBytes(`PUT ${await plannedPath(1000)}`, CHUNKED, chunked(smuggling(LARGE))),
    413,
    'PAYLOAD_TOO_LARGE',
  ),
  'an upload without a capability': refused(
    async () => withBody(`PUT ${(await plannedPath(SMALL)).split('?')[0]}`, SMALL),
    401,
    'UNAUTHORIZED',
  ),
  'an export without a credential': refused(() => withBody(`POST ${EXPORT}`, LARGE, JSON_TYPE), 401, 'UNAUTHORIZED'),
  'an unknown route': refused(() => withBody('PUT /nowhere', LARGE), 404, 'NOT_FOUND'),
};

/** The open files of exports. They have no name, so they are found by the descriptors of this process. */
function openExports(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    const path = `/proc/self/fd/${descriptor}`;
    try {
      return /\/spool\/[^/]+ \(deleted\)$/.test(readlinkSync(path)) ? [path] : [];
    } catch {
      // The descriptor of the folder itself is closed by now.
      return [];
    }
  });
}

/** Starts an export that the client does not read any further once its response has begun. */
async function stalledExport(port: number, who: Persona): Promise<{ socket: Socket; file: string }> {
  expect(openExports()).toEqual([]);
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(exportRequest(who));
  await once(socket, 'readable');
  const [file = ''] = openExports();
  expect((await stat(file)).size).toBeGreaterThan(EXPORTED_MESSAGES * MESSAGE_BYTES);
  return { socket, file };
}

/** Changes of the file of an export between its declaration and its last byte. */
const SPOILED: Readonly<Record<string, (file: string) => Promise<void>>> = {
  'that has grown': (file) => appendFile(file, STOLEN),
  'that has shrunk': async (file) => truncate(file, (await stat(file)).size - 100),
};

/** The number of bytes of a response that may end early, without its head. */
async function bytesUntilClosed(socket: Socket): Promise<{ declared: number; received: number; last: string }> {
  let [head, last, received] = ['', '', 0];
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (!head.includes('\r\n\r\n')) head += chunk.toString('latin1');
    last = (last + chunk.toString('latin1')).slice(-1024);
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  const declared = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
  return { declared, received: received - head.indexOf('\r\n\r\n') - 4, last };
}

describe.each([null, 'nginx', 'haproxy'] as const)('RFC 9112 section 6.3: behind %s', (name) => {
  describeUnless(name === null ? undefined : missing(name))(name ?? 'no proxy', () => {
    let proxy: ReusingProxy | undefined;
    let port: number;
    beforeAll(async () => {
      proxy = name === null ? undefined : await reusingProxy(name, service.port);
      port = proxy?.port ?? service.port;
    });
    afterAll(() => proxy?.close());

    afterEach(async () => expect(await messagesOf(target)).toEqual([]));

    test.each(Object.entries(KEPT))('%s gets its own response, and so does the next request', async (_, operation) => {
      const bytes = await operation.request();
      await expectOwnAccounts(port, victims);
      connections = 0;
      operation.expectOwn(await ownResponse(port, bytes));
      await expectOwnAccounts(port, victims);
      if (proxy) expect(connections).toBeLessThanOrEqual(1);
    });

    test.each(Object.entries(REJECTED))(
      '%s gets its own error, and its body starts no request',
      async (_, operation) => {
        const bytes = await operation.request();
        const [before, count] = [await staged(), (await messagesOf(hook)).length];
        await expectOwnAccounts(port, victims);
        operation.expectOwn(await ownResponse(port, bytes));
        await expectOwnAccounts(port, victims);
        expect([await staged(), (await messagesOf(hook)).length]).toEqual([before, count]);
      },
    );

    test('an upload that breaks off stores nothing, and its body starts no request', async () => {
      const path = await plannedPath(LARGE);
      const [before, whole] = [await staged(), withBody(`PUT ${path}`, LARGE)];
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {});
      socket.write(whole.subarray(0, whole.length - SMALL));
      const begun = () => service.sql("SELECT 1 FROM media_capability WHERE state = 'busy'");
      await until(async () => (await begun()).length > 0);
      await expectOwnAccounts(port, victims);
      socket.destroy();
      await until(async () => (await begun()).length === 0);
      await expectOwnAccounts(port, victims);
      expect(await staged()).toEqual(before);
    });

    test.each(Object.entries(SPOILED))('an export whose file %s ends early', async (_, spoil) => {
      await expectOwnAccounts(port, victims);
      const { socket, file } = await stalledExport(port, hoarder);
      await spoil(file);
      await expectOwnAccounts(port, victims);
      const { declared, received, last } = await bytesUntilClosed(socket);
      expect(received).toBeLessThan(declared);
      expect(last).not.toContain('stolen');
      await expectOwnAccounts(port, victims);
      expect(openExports()).toEqual([]);
    });

    test('an export whose client disconnects is closed, and the next one is complete', async () => {
      const { socket } = await stalledExport(port, hoarder);
      socket.destroy();
      await until(() => openExports().length === 0);
      await expectOwnAccounts(port, victims);
      const { status, headers, text, body } = await ownResponse(port, exportRequest(hoarder));
      expect([status, Number(headers.get('content-length'))]).toEqual([200, Buffer.byteLength(text)]);
      expect(body.webhook_messages).toHaveLength(EXPORTED_MESSAGES);
      await expectOwnAccounts(port, victims);
    });

    test('32 parallel requests get their own responses', async () => {
      const all = [...Object.entries(KEPT), ...Object.entries(REJECTED)].filter(([title]) => title !== 'an export');
      const crowd = Array.from({ length: 32 }, (_, n) => all[n % all.length]?.[1] as Operation);
      const requests = await Promise.all(crowd.map(({ request }) => request()));
      await Promise.all([
        expectOwnAccounts(port, victims),
        ...crowd.map(async ({ expectOwn }, n) => expectOwn(await ownResponse(port, requests[n] as Buffer))),
      ]);
      await expectOwnAccounts(port, victims);
    });
  });
});
