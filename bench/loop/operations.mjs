import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import sharp from 'sharp';
import { WebSocket } from 'ws';

const MIB = 2 ** 20;
const PIPELINED = 16;

const noise = (side) =>
  sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();

/** `size` bytes of JSON: `members`, and an unknown member that every operation ignores. */
function padded(members, size) {
  const text = JSON.stringify({ ...members, unknown: '' });
  return `${text.slice(0, -2)}${'x'.repeat(size - text.length)}"}`;
}

/** A message as large as the limits allow. */
export const message = () => ({
  content: 'word '.repeat(800).trim(),
  embeds: Array.from({ length: 10 }, (_, n) => ({
    title: `embed ${n}`,
    url: `https://example.com/${'p'.repeat(2000)}`,
    fields: Array.from({ length: 25 }, (_, field) => ({ name: `name ${field}`, value: 'some value' })),
  })),
});

/** A push with as many commits as fit into the size limit of the body. */
function push(size) {
  const commit = (n) => ({
    id: randomBytes(20).toString('hex'),
    message: `Change ${n}`,
    url: `https://github.com/example/project/commit/${n}`,
    author: { name: 'Alice', email: 'alice@example.com', username: 'alice' },
    ...{ added: ['a', 'b'], removed: [], modified: ['c', 'd', 'e'] },
  });
  const fixed = {
    ref: 'refs/heads/main',
    compare: 'https://github.com/example/project/compare/a...b',
    sender: { login: 'alice', html_url: 'https://github.com/alice', avatar_url: 'https://github.com/alice.png' },
    repository: { name: 'project', full_name: 'example/project', html_url: 'https://github.com/example/project' },
  };
  const one = JSON.stringify(commit(10_000)).length + 1;
  const count = Math.floor((size - 2000) / one);
  return padded({ ...fixed, commits: Array.from({ length: count }, (_, n) => commit(n)) }, size);
}

/**
 * The operations with the largest allowed input or output.
 * @returns rows of name, work and the number of tries, if it is not the default
 */
export async function operations({ url, port }, { session, email, password, webhook, id }) {
  const json = { 'content-type': 'application/json' };
  const send = async (method, path, { body, headers = {}, authorization = session } = {}) => {
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      body,
      headers: { ...(authorization ? { authorization } : {}), ...headers },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${bytes.subarray(0, 300)}`);
    return bytes;
  };
  const get = (path) => () => send('GET', path);
  const post = (path, body, headers = {}) => send('POST', path, { body, headers: { ...json, ...headers } });

  /** Sends requests in one write. Resolves when all are answered. */
  const pipelined = (path) => () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      const head = (last) =>
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${session}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
      let answers = 0;
      socket.on('data', (data) => {
        answers += data.toString('latin1').split('HTTP/1.1 200').length - 1;
      });
      socket.on('error', reject);
      socket.on('close', () =>
        answers === PIPELINED
          ? resolve()
          : reject(new Error(`${answers} of ${PIPELINED} pipelined ${path} were answered`)),
      );
      socket.write(Array.from({ length: PIPELINED }, (_, n) => head(n === PIPELINED - 1)).join(''));
    });

  const identify = () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/gateway`, { perMessageDeflate: false });
      socket.on('message', (data) => {
        const { op, t } = JSON.parse(data.toString());
        if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token: session } }));
        if (t === 'READY') socket.close(1000);
      });
      socket.on('error', reject);
      socket.on('close', (code) => (code === 1000 ? resolve() : reject(new Error(`closed with ${code}`))));
    });

  // At most 2 MiB after decoding.
  const images = await Promise.all([noise(830), noise(830)]);
  const [avatar, banner] = images.map((image) => image.toString('base64'));
  const photograph = await noise(2900);
  const upload = async () => {
    const planned = { id: 0, filename: 'photograph.png', file_size: photograph.length, content_type: 'image/png' };
    const answer = await post('/v1/media/uploads', JSON.stringify({ attachments: [planned] }));
    const [{ upload_url: to, upload_filename: name }] = JSON.parse(answer).attachments;
    const { pathname, search } = new URL(to);
    await send('PUT', pathname + search, {
      body: photograph,
      headers: { 'content-type': 'image/png' },
      authorization: null,
    });
    const done = await post('/v1/media/uploads/complete', JSON.stringify({ uploads: [{ upload_filename: name }] }));
    return new URL(JSON.parse(done).uploads[0].url).pathname;
  };

  const hook = `/v1/webhooks/${webhook.id}/${webhook.token}`;
  const many = { unknown_list: Array.from({ length: 9900 }, (_, n) => n) };
  const file = randomBytes(25 * MIB);
  const withFiles = (count) => {
    const form = new FormData();
    form.set('payload_json', JSON.stringify(message()));
    for (let n = 0; n < count; n++) form.set(`files[${n}]`, new Blob([file]), `file-${n}.bin`);
    return send('POST', `${hook}?wait=true`, { body: form, authorization: null });
  };

  return [
    ['/openapi.json', get('/openapi.json')],
    ['/asyncapi.json', get('/asyncapi.json')],
    ['/docs', get('/docs')],
    ['sign-in by password', () => post('/v1/auth/login', JSON.stringify({ email, password }))],
    [
      'JSON of 6 MiB: profile with two images of 2 MiB',
      () => send('PATCH', '/v1/users/@me', { headers: json, body: padded({ avatar, banner }, 6 * MIB) }),
    ],
    [
      'JSON of 256 KiB with 10,000 elements',
      () => send('PATCH', '/v1/users/@me', { headers: json, body: padded({ ...many, bio: 'text' }, 256 * 1024) }),
    ],
    ['webhook message, largest JSON', () => post(`${hook}?wait=true`, JSON.stringify(message()))],
    ['webhook message, a file of 25 MiB', () => withFiles(1)],
    ['webhook message, 10 files of 25 MiB', () => withFiles(10), 1],
    ['webhook of GitHub, push of 1 MiB', () => post(`${hook}/github`, push(MIB), { 'x-github-event': 'push' })],
    [
      'webhook of Slack, 256 KiB with 100,000 elements',
      () => post(`${hook}/slack`, padded({ text: 'text', unknown_list: Array(99_000).fill(0) }, 256 * 1024)),
    ],
    ['webhook messages, page of 100', get(`/v1/webhooks/${webhook.id}/messages?limit=100`)],
    ['own sessions, 250', get('/v1/auth/sessions')],
    ['admin: sessions of an account', get(`/v1/admin/users/${id}/sessions`)],
    ['admin: accounts, page of 200', get('/v1/admin/users?limit=200')],
    ['admin: audit entries, page of 200', get('/v1/admin/audit-logs?limit=200')],
    ['image of 24 MiB: upload', upload],
    ['image of 24 MiB: scaled', async () => send('GET', `${await upload()}?width=640&format=webp`), 3],
    ['self-export of 40,000 rows, 30 MB', () => post('/v1/users/@me/export', JSON.stringify({ password }))],
    [`${PIPELINED} pipelined /v1/users/@me`, pipelined('/v1/users/@me')],
    [`${PIPELINED} pipelined /openapi.json`, pipelined('/openapi.json')],
    [`${PIPELINED} pipelined pages of 200 audit entries`, pipelined('/v1/admin/audit-logs?limit=200')],
    ['Identify to READY', identify],
  ];
}
