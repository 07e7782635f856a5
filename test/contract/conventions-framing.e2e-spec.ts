import {
  type CredentialSet,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  RawConnection,
  type RawResponse,
  sendRaw,
  withGatehouse,
} from '../support/index.js';

const PLATFORMS = ['express', 'fastify'] as const;
const services = {} as Record<(typeof PLATFORMS)[number], Gatehouse>;
const callers = {} as Record<(typeof PLATFORMS)[number], CredentialSet>;
/** Connections with an incomplete request. The service closes each of them after ten seconds. */
const unfinished = {} as Record<(typeof PLATFORMS)[number], RawConnection>;
beforeAll(async () => {
  for (const platform of PLATFORMS) {
    services[platform] = await gatehouse({
      env: { HTTP_PLATFORM: platform, PUBLIC_ORIGIN: 'https://gate.example', BUILD_ID: 'build-7' },
    });
    callers[platform] = await createCredentialSet(services[platform]);
    unfinished[platform] = (await RawConnection.open(services[platform])).send('GET / HTTP/1.1\r\nHost:');
  }
});
afterAll(async () => {
  for (const platform of PLATFORMS) await services[platform]?.close();
});

const ME = '/v1/users/@me';
const NEVER_SENT = [
  'www-authenticate',
  'set-cookie',
  'access-control-allow-credentials',
  'server',
  'x-powered-by',
  'allow',
];

/** Checks the headers that every response must have, no matter which code writes it. */
function expectFixedHeaders({ headers }: RawResponse): void {
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(headers.get('x-service-version')).toBe('build-7');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  for (const name of NEVER_SENT) expect([name, headers.has(name)]).toEqual([name, false]);
}

/** Returns the status of a response and, for an error, its code. */
const shown = ({ status, body }: RawResponse): string => `${status} ${body?.code ?? ''}`.trim();

describe.each(PLATFORMS)('conventions.md 1 on %s: routing', (platform) => {
  const ask = (target: string, method = 'GET', ...lines: string[]) =>
    sendRaw(services[platform], [
      ...[`${method} ${target} HTTP/1.1`, `Authorization: ${callers[platform].session}`],
      ...lines,
    ]);

  test.each([
    [ME, '200'],
    [`${ME}?a=1`, '200'],
    [`${ME}?`, '200'],
    ['/v1/%75sers/@me', '200'],
    ['/v1/users/@%6d%65', '200'],
    [`http://elsewhere.example${ME}`, '200'],
    [`HTTPS://elsewhere.example:99${ME}?a=1`, '200'],
    ['http://elsewhere.example', '404 NOT_FOUND'],
    ['http://elsewhere.example?a', '400 BAD_REQUEST'],
    [`ftp://elsewhere.example${ME}`, '400 BAD_REQUEST'],
    ['/V1/users/@me', '404 NOT_FOUND'],
    ['/v1/Users/@me', '404 NOT_FOUND'],
    ['/v1/users/@ME', '404 NOT_FOUND'],
    [`${ME}/`, '404 NOT_FOUND'],
    [`/${ME}`, '404 NOT_FOUND'],
    ['/v1//users/@me', '404 NOT_FOUND'],
    ['/v1/./users/@me', '404 NOT_FOUND'],
    ['/v1/x/../users/@me', '404 NOT_FOUND'],
    ['/v1/x/%2e%2e/users/@me', '404 NOT_FOUND'],
    ['/v1/users%2f@me', '404 NOT_FOUND'],
    ['/v1/users/%40me', '404 NOT_FOUND'],
    ['/v1/users/%2540me', '404 NOT_FOUND'],
    ['/v1\\users/@me', '404 NOT_FOUND'],
    [`${ME};a=1`, '404 NOT_FOUND'],
    [`${ME}%20`, '404 NOT_FOUND'],
    [`${ME}%00`, '404 NOT_FOUND'],
    [`${ME}.json`, '404 NOT_FOUND'],
    [`${ME}%23`, '404 NOT_FOUND'],
    [`${ME}%3Fa`, '404 NOT_FOUND'],
    [`${ME}#a`, '400 BAD_REQUEST'],
    [`${ME}/%`, '400 BAD_REQUEST'],
    [`${ME}/%zz`, '400 BAD_REQUEST'],
    [`${ME}/%ff`, '400 BAD_REQUEST'],
    [`${ME}/%c0%ae`, '400 BAD_REQUEST'],
    [`${ME}/%ed%a0%80`, '400 BAD_REQUEST'],
    ['/users/@me', '404 NOT_FOUND'],
    ['/v0/users/@me', '404 NOT_FOUND'],
    ['/v2/users/@me', '404 NOT_FOUND'],
    ['/v1.0/users/@me', '404 NOT_FOUND'],
    ['/v1', '404 NOT_FOUND'],
    ['/debug', '404 NOT_FOUND'],
    ['/test', '404 NOT_FOUND'],
    ['/health', '404 NOT_FOUND'],
    ['/__proto__', '404 NOT_FOUND'],
    ['/constructor/prototype', '404 NOT_FOUND'],
    [`/${'a'.repeat(15_000)}`, '404 NOT_FOUND'],
    ['/a'.repeat(7_000), '404 NOT_FOUND'],
    ['/%61'.repeat(3_500), '404 NOT_FOUND'],
  ])('%.60s is %s', async (target, expected) => {
    const response = await ask(target);
    expect(shown(response)).toBe(expected);
    expectFixedHeaders(response);
    if (expected.includes(' ')) expectApiError(response, expected.split(' ')[1] ?? '');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LINK', 'M-SEARCH', 'SOURCE', 'PURGE'])(
    '%s on a path without it is 404 without Allow',
    async (method) => {
      const response = await ask(ME, method);
      expectApiError(response, 'NOT_FOUND');
      expectFixedHeaders(response);
    },
  );

  test('the method is only read from the request line', async () => {
    const overrides = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map((name) => `${name}: POST`);
    expect((await ask(`${ME}?_method=POST`, 'GET', ...overrides)).status).toBe(200);
    expectApiError(await ask(`${ME}?_method=GET`, 'POST', 'X-HTTP-Method-Override: GET'), 'NOT_FOUND');
    expect((await ask(ME, 'GET', 'X-Original-URL: /nope', 'X-Rewrite-URL: /nope')).status).toBe(200);
  });

  test('HEAD returns the headers of GET, without the body', async () => {
    for (const target of [ME, '/health/live', '/.well-known/service', '/openapi.json', '/nope', '/v1/auth/login']) {
      const [get, head] = [await ask(target), await ask(target, 'HEAD')];
      expect(head.text).toBe('');
      const kept = ({ status, lines }: RawResponse) => [
        status,
        ...lines.filter(([name]) => !['date', 'x-request-id'].includes(name.toLowerCase())),
      ];
      expect([target, kept(head)]).toEqual([target, kept(get)]);
    }
  });

  test('an unauthenticated HEAD meets the same guards', async () => {
    const response = await sendRaw(services[platform], [`HEAD ${ME} HTTP/1.1`]);
    expect([response.status, response.text]).toEqual([401, '']);
  });

  test('an empty response has neither body nor Content-Type', async () => {
    const { session } = await createCredentialSet(services[platform]);
    const lines = ['POST /v1/auth/logout HTTP/1.1', `Authorization: ${session}`, 'Content-Length: 0'];
    const response = await sendRaw(services[platform], lines);
    expect([response.status, response.text, response.headers.has('content-type')]).toEqual([204, '', false]);
    expectFixedHeaders(response);
  });

  test('URLs come from configuration, regardless of host headers', async () => {
    const plain = await sendRaw(services[platform], ['GET /.well-known/service HTTP/1.1']);
    expect(plain.body.endpoints.api).toBe('https://gate.example/v1');
    const tricks = [
      ['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: ftp', 'X-Forwarded-Port: 1', 'X-Forwarded-Prefix: /evil'],
      ['Forwarded: host=evil.example;proto=http', 'X-Host: evil.example', 'X-Original-Host: evil.example'],
      ['Origin: https://evil.example', 'Referer: https://evil.example/'],
    ];
    for (const lines of tricks) {
      const response = await sendRaw(services[platform], ['GET /.well-known/service HTTP/1.1', ...lines]);
      expect(response.text).toBe(plain.text);
    }
    const connection = await RawConnection.open(services[platform]);
    connection.send('GET http://evil.example/.well-known/service HTTP/1.1\r\nHost: evil.example:80\r\n\r\n');
    expect((await connection.readResponse()).text).toBe(plain.text);
    connection.close();
  });

  test('a valid X-Request-ID is kept, any other is replaced', async () => {
    for (const id of ['a', 'A-z_0.9', 'x'.repeat(64)]) {
      expect((await ask(ME, 'GET', `X-Request-ID: ${id}`)).headers.get('x-request-id')).toBe(id);
    }
    const others = ['', 'x'.repeat(65), 'a b', 'a,b', 'ä', '"a"', 'a/b'].map((id) => [`X-Request-ID: ${id}`]);
    for (const lines of [...others, ['X-Request-ID: a', 'X-Request-ID: b']]) {
      const id = (await ask(ME, 'GET', ...lines)).headers.get('x-request-id');
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});

/** Sends bytes, reads the only response, and checks that the service then closes the connection without more data. */
async function lastWord(platform: (typeof PLATFORMS)[number], bytes: string): Promise<RawResponse> {
  const connection = await RawConnection.open(services[platform]);
  try {
    connection.send(bytes);
    const response = await connection.readResponse();
    await connection.closed;
    expect(connection.unread).toBe('');
    return response;
  } finally {
    connection.close();
  }
}

const SMUGGLED = `GET ${ME} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (...lines: string[]): string => ['POST /v1/auth/login HTTP/1.1', ...lines, '', ''].join('\r\n');
const chunked = '2\r\n{}\r\n0\r\n\r\n';

/** Messages whose end two servers could see in different places (request smuggling), and malformed messages. */
const FAULTY: [title: string, bytes: string][] = [
  ['length and chunks', post('Host: x', 'Content-Length: 4', 'Transfer-Encoding: chunked') + chunked],
  ['chunks and length', post('Host: x', 'Transfer-Encoding: chunked', 'Content-Length: 4') + chunked],
  ['two lengths', `${post('Host: x', 'Content-Length: 2', 'Content-Length: 3')}{}`],
  ['one length twice', `${post('Host: x', 'Content-Length: 2', 'Content-Length: 2')}{}`],
  ['a list of lengths', `${post('Host: x', 'Content-Length: 2, 2')}{}`],
  ['a signed length', `${post('Host: x', 'Content-Length: +2')}{}`],
  ['a negative length', `${post('Host: x', 'Content-Length: -2')}{}`],
  ['a hexadecimal length', `${post('Host: x', 'Content-Length: 0x2')}{}`],
  ['a length that overflows', `${post('Host: x', 'Content-Length: 99999999999999999999')}{}`],
  ['an empty length', `${post('Host: x', 'Content-Length: ')}{}`],
  ['an unknown coding', post('Host: x', 'Transfer-Encoding: xchunked')],
  ['a coding before chunks', post('Host: x', 'Transfer-Encoding: gzip, chunked') + chunked],
  ['chunks before a coding', post('Host: x', 'Transfer-Encoding: chunked, gzip') + chunked],
  ['identity', post('Host: x', 'Transfer-Encoding: identity')],
  ['chunks twice in a line', post('Host: x', 'Transfer-Encoding: chunked, chunked') + chunked],
  ['chunks in two lines', post('Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + chunked],
  ['quoted chunks', post('Host: x', 'Transfer-Encoding: "chunked"')],
  ['an empty coding', post('Host: x', 'Transfer-Encoding: ')],
  ['a vertical tab before chunks', post('Host: x', 'Transfer-Encoding: \u000bchunked')],
  ['a blank before the colon', post('Host: x', 'Transfer-Encoding : chunked') + chunked],
  ['a folded coding', post('Host: x', 'Transfer-Encoding:', ' chunked') + chunked],
  ['a bare line feed', 'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nX: a\nTransfer-Encoding: chunked\r\n\r\n'],
  ['a bare carriage return', post('Host: x', 'X: a\rTransfer-Encoding: chunked')],
  ['chunks in HTTP/1.0', post('Host: x', 'Transfer-Encoding: chunked').replace('1.1', '1.0') + chunked],
  ['a chunk size that is none', `${post('Host: x', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`],
  ['a chunk size that overflows', `${post('Host: x', 'Transfer-Encoding: chunked')}fffffffffffffffff\r\n{}`],
  ['a chunk without its end', `${post('Host: x', 'Transfer-Encoding: chunked')}2\r\n{}X0\r\n\r\n`],
  ['no host', `GET ${ME} HTTP/1.1\r\n\r\n`],
  ['two hosts', `GET ${ME} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`],
  ['one host twice', `GET ${ME} HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n`],
  ['no HTTP', 'HELLO WORLD\r\n\r\n'],
  ['a version that is none', `GET ${ME} HTTP/9.9\r\nHost: x\r\n\r\n`],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method in small letters', `get ${ME} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a method that is none', `FOO ${ME} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a target without a slash', 'GET v1/users/@me HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a byte beyond ASCII in the target', 'GET /v1/\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a NUL in the target', 'GET /v1/\u0000 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a name with a blank', `GET ${ME} HTTP/1.1\r\nHost: x\r\nX Y: z\r\n\r\n`],
  ['101 lines', `GET ${ME} HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(100)}\r\n`],
  ['101 lines to an operational route', `GET /health/live HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(100)}\r\n`],
  ['2000 lines', `GET ${ME} HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(2000)}\r\n`],
];

describe.each(PLATFORMS)('conventions.md 1 on %s: parser failures', (platform) => {
  test.each(FAULTY)('%s: 400 with our body, and the connection ends', async (_title, bytes) => {
    const response = await lastWord(platform, bytes + SMUGGLED);
    expect(response.status).toBe(400);
    expectApiError(response, 'BAD_REQUEST');
    expectFixedHeaders(response);
    expect(response.headers.get('connection')).toBe('close');
  });

  test.each([17, 100, 1024])('%d KiB of headers: 431 with our body, and the connection ends', async (kib) => {
    const response = await lastWord(platform, `GET ${ME} HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(kib * 1024)}\r\n\r\n`);
    expect([response.status, response.body.code]).toEqual([431, 'BAD_REQUEST']);
    expectFixedHeaders(response);
  });

  test('100 lines and 15 KiB are accepted', async () => {
    const { session } = callers[platform];
    const lines = [`GET ${ME} HTTP/1.1`, 'Host: x', ...Array(98).fill('X: y'), `Authorization: ${session}`];
    expect((await sendAll(`${lines.join('\r\n')}\r\n\r\n`)).status).toBe(200);
    const large = `GET ${ME} HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(15_000)}\r\nAuthorization: ${session}\r\n\r\n`;
    expect((await sendAll(large)).status).toBe(200);
  });

  test('a request that does not arrive is 408 with our body', async () => {
    const response = await unfinished[platform].readResponse();
    expect([response.status, response.body.code]).toEqual([408, 'BAD_REQUEST']);
    expectFixedHeaders(response);
    await unfinished[platform].closed;
  });

  test('CONNECT opens no tunnel', async () => {
    const response = await lastWord(platform, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expectApiError(response, 'NOT_FOUND');
    expectFixedHeaders(response);
  });

  // The responses to the requests before it need a database lookup. The response to the last message does not.
  test.each([
    ['CONNECT', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'NOT_FOUND'],
    ['nonsense', 'nonsense\r\n\r\n', 'BAD_REQUEST'],
    ['headers that are too long', `GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 'BAD_REQUEST'],
  ])('%s after other requests gets its response after theirs, and the connection ends', async (_title, bytes, code) => {
    const connection = await RawConnection.open(services[platform]);
    const ids = ['r0', 'r1', 'r2'];
    const { session } = callers[platform];
    const me = (id: string) =>
      `GET ${ME} HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\nAuthorization: ${session}\r\n\r\n`;
    connection.send(ids.map(me).join('') + bytes);
    for (const id of ids) {
      const response = await connection.readResponse();
      expect([response.status, response.headers.get('x-request-id')]).toEqual([200, id]);
    }
    const last = await connection.readResponse();
    expect(last.body.code).toBe(code);
    expectFixedHeaders(last);
    await connection.closed;
    expect(connection.unread).toBe('');
  });

  test('an error after a response is sent after it, and only once', async () => {
    const connection = await RawConnection.open(services[platform]);
    connection.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.readResponse()).status).toBe(200);
    connection.send('nonsense\r\n\r\n').send('more nonsense\r\n\r\n');
    expectApiError(await connection.readResponse(), 'BAD_REQUEST');
    await connection.closed;
    expect(connection.unread).toBe('');
  });

  test('pipelined requests get responses in their order; an error leaves the connection usable', async () => {
    const connection = await RawConnection.open(services[platform]);
    const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
    const targets = ['/nope', '/health/live', ME, '/v1/auth/login'];
    connection.send(
      ids.map((id, i) => `GET ${targets[i % 4]} HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\n\r\n`).join(''),
    );
    const answered: string[] = [];
    for (const _ of ids) answered.push((await connection.readResponse()).headers.get('x-request-id') ?? '');
    expect(answered).toEqual(ids);
    connection.close();
  });

  async function sendAll(bytes: string): Promise<RawResponse> {
    const connection = await RawConnection.open(services[platform]);
    const response = await connection.send(bytes).readResponse();
    connection.close();
    return response;
  }
});

describe('conventions.md 1: both platforms respond in the same way', () => {
  test('status, header names in their order, and body', async () => {
    const requests = [
      [`GET ${ME} HTTP/1.1`],
      ['GET /nope HTTP/1.1'],
      ['GET /.well-known/service HTTP/1.1'],
      ['GET /.well-known/service HTTP/1.1', 'Origin: https://elsewhere.example'],
      [`OPTIONS ${ME} HTTP/1.1`, 'Origin: https://gate.example', 'Access-Control-Request-Method: GET'],
      [`GET ${ME} HTTP/1.1`, 'Origin: https://gate.example'],
      ['POST /v1/auth/login HTTP/1.1', 'Content-Type: text/plain', 'Content-Length: 0'],
      ['DELETE /health/live HTTP/1.1'],
      ['GET /health/ready HTTP/1.1'],
      ['TRACE / HTTP/1.1'],
    ];
    for (const lines of requests) {
      const shapes = [];
      for (const platform of PLATFORMS) {
        const { status, lines: headers, text } = await sendRaw(services[platform], lines);
        shapes.push({ status, text, names: headers.map(([name]) => name.toLowerCase()) });
      }
      expect([lines[0], shapes[1]]).toEqual([lines[0], shapes[0]]);
    }
  });
});

describe('KEEP_ALIVE_SECONDS: how long an idle connection stays open', () => {
  test.each(PLATFORMS)('%s: 65 by default, and sent to the client', async (platform) => {
    const { headers } = await sendRaw(services[platform], ['GET /health/live HTTP/1.1']);
    expect(headers.get('keep-alive')).toMatch(/^timeout=65\b/);
  });

  test.each(PLATFORMS)(
    '%s: configurable, and the service closes connections that stay idle longer',
    async (platform) => {
      const env = { HTTP_PLATFORM: platform, KEEP_ALIVE_SECONDS: '1' };
      await withGatehouse({ env }, async (service) => {
        const connection = await RawConnection.open(service);
        const { status, headers } = await connection
          .send('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n')
          .readResponse();
        expect([status, headers.get('keep-alive')]).toEqual([200, expect.stringMatching(/^timeout=1\b/)]);
        await connection.closed;
      });
    },
  );
});
