import { Body, Controller, Delete, Get, HttpCode, Module, Param, Post, Query } from '@nestjs/common';
import { AnyObject, Bool, Int, ListOf, OneOf, Snowflake, Text } from '../../src/http/input.js';
import { Accepts, Public, UserOnly } from '../../src/policy/decorators.js';
import {
  type CredentialSet,
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  RawConnection,
  type RawResponse,
  sendRaw,
} from '../support/index.js';

class AnyInput {
  @AnyObject({ optional: true }) any?: object;
  @Text({ max: 300_000, optional: true, nullable: true }) text?: string | null;
  @Text({ min: 2, max: 3, optional: true }) short?: string;
  @Snowflake({ optional: true }) id?: string;
  @Bool({ optional: true }) bool?: boolean;
  @Int({ min: -5, max: 5, optional: true }) int?: number;
  @OneOf(['a', 'b'], { optional: true }) one?: string;
  @ListOf({ max: 3, optional: true }, (item) => (typeof item === 'string' ? undefined : 'INVALID_FORMAT'))
  list?: string[];
}

class IdPath {
  @Snowflake() id: string;
}

class PageQuery {
  @Int({ min: 1, max: 100, optional: true, text: true }) limit?: number;
  @Text({ max: 10, optional: true }) search?: string;
}

@Controller('v1/probe')
class ProbeController {
  @Post('body')
  @HttpCode(200)
  @Public()
  body(@Body() input: AnyInput) {
    return input;
  }

  @Post('small')
  @HttpCode(200)
  @Public()
  @Accepts('json', { limit: 20 })
  small(@Body() input: AnyInput) {
    return input;
  }

  @Post('closed')
  @HttpCode(200)
  @UserOnly()
  closed(@Body() input: AnyInput) {
    return input;
  }

  @Post('none')
  @HttpCode(204)
  @Public()
  none() {}

  @Delete('none')
  @HttpCode(204)
  @Public()
  remove() {}

  @Get(':id')
  @Public()
  get(@Param() path: IdPath, @Query() query: PageQuery) {
    return { ...path, ...query };
  }

  @Post(':id')
  @HttpCode(200)
  @Public()
  all(@Param() path: IdPath, @Query() query: PageQuery, @Body() input: AnyInput) {
    return { ...path, ...query, ...input };
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

let service: Gatehouse;
let alice: CredentialSet;
beforeAll(async () => {
  service = await gatehouse({ modules: [ProbeModule] });
  alice = await createCredentialSet(service);
});
afterAll(() => service.close());

interface Sent {
  path?: string;
  type?: string | null;
  headers?: string[];
}

function send(body: string | Buffer, { path = '/v1/probe/body', type = 'application/json', headers = [] }: Sent = {}) {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const lines = [...(type === null ? [] : [`Content-Type: ${type}`]), `Content-Length: ${bytes.length}`, ...headers];
  return sendRaw(service, [`POST ${path} HTTP/1.1`, ...lines], { body: bytes });
}

/** Sends a request with chunked transfer encoding, so that no length is announced. */
function sendChunked(body: string, { path = '/v1/probe/body' }: Sent = {}, size = 16_384) {
  const parts = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.slice(at, at + size);
    parts.push(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  const head = [`POST ${path} HTTP/1.1`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  return sendRaw(service, head, { body: `${parts.join('')}0\r\n\r\n` });
}

const nested = (depth: number): string => `${'{"any":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

describe('conventions.md 1: content type and encoding', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', ' application/json ;x=y'])(
    '%j is accepted',
    async (type) => expect((await send('{"bool":true}', { type })).body).toEqual({ bool: true }),
  );

  test.each([
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json'],
    ...[
      'application/problem+json',
      'application/jsonp',
      'json',
      '*/*',
      '',
      ';;;',
      'application/',
      '"application/json"',
    ],
  ])('%j is 415', async (type) => {
    for (const path of ['/v1/probe/body', '/v1/probe/none']) {
      expectApiError(await send('{"bool":true}', { path, type }), 'UNSUPPORTED_MEDIA_TYPE');
    }
  });

  test('no content type is 415', async () => {
    expectApiError(await send('{"bool":true}', { type: null }), 'UNSUPPORTED_MEDIA_TYPE');
  });

  test.each(['gzip', 'br', 'deflate', 'x-gzip', 'identity, gzip', 'zstd', 'unknown', ''])(
    'Content-Encoding %j is 415',
    async (encoding) => {
      const headers = [`Content-Encoding: ${encoding}`];
      expectApiError(await send('{"bool":true}', { headers }), 'UNSUPPORTED_MEDIA_TYPE');
    },
  );

  test.each(['identity', 'IDENTITY'])('Content-Encoding %j is accepted', async (encoding) => {
    expect((await send('{}', { headers: [`Content-Encoding: ${encoding}`] })).status).toBe(200);
  });

  test.each(['', ' ', '\r\n\t '])('an empty body %j equals {}, regardless of its type', async (body) => {
    for (const type of ['application/json', 'text/plain', null]) {
      expect((await send(body, { type })).body).toEqual({});
    }
    expect((await sendChunked(body)).body).toEqual({});
  });
});

describe('conventions.md 1: text and shape', () => {
  test.each([
    ...['{', '{"a":1', '{"a":1,}', "{'a':1}", '{"a":1}{}', '{"a":NaN}', '{"a":Infinity}', '{"a":undefined}', '{a:1}'],
    ...[
      '{"a":1}x',
      '//x\n{}',
      '/* */{}',
      '{"a":01}',
      '{"a":+1}',
      '{"a":.5}',
      '{"a":"\t"}',
      '{"a":"\\x"}',
      '{"a":"\\u12"}',
    ],
    ...['[]', '[{}]', '"{}"', '1', 'null', 'true', 'x', '\u0000', '{}\u0000'],
  ])('%j is not readable', async (body) => {
    expectInvalid(await send(body), 'body: INVALID_FORMAT');
    expectInvalid(await send(body, { path: '/v1/probe/none' }), 'body: INVALID_FORMAT');
  });

  test.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['a cut character', [0xc3]],
    ['Latin-1', [0xe9]],
  ])('%s is not UTF-8', async (_title, bytes) => {
    const body = Buffer.concat([Buffer.from('{"text":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expectInvalid(await send(body), 'body: INVALID_FORMAT');
  });

  test('depth 32 is accepted, 33 is not, in objects and in arrays', async () => {
    expect((await send(nested(32))).status).toBe(200);
    expectInvalid(await send(nested(33)), 'body: INVALID_FORMAT');
    const arrays = (depth: number) => `{"any":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expectInvalid(await send(arrays(32)), 'any: INVALID_FORMAT');
    expectInvalid(await send(arrays(33)), 'body: INVALID_FORMAT');
    for (const bomb of ['{"any":'.repeat(30_000), `{"any":${'['.repeat(200_000)}`, arrays(60_000), nested(25_000)]) {
      expectInvalid(await send(bomb), 'body: INVALID_FORMAT');
    }
  });

  test('10,000 members and elements are accepted, 10,001 are not', async () => {
    const members = (count: number) =>
      JSON.stringify({ any: Object.fromEntries(Array.from({ length: count - 1 }, (_, i) => [`m${i}`, 0])) });
    const elements = (count: number) => JSON.stringify({ any: { list: Array(count - 2).fill(0) } });
    for (const make of [members, elements]) {
      expect((await send(make(10_000))).status).toBe(200);
      expectInvalid(await send(make(10_001)), 'body: INVALID_FORMAT');
    }
  });

  test.each(['__proto__', 'constructor', 'prototype'])('%s is rejected as a key at any depth', async (key) => {
    const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`;
    for (const name of [key, escaped]) {
      for (const body of [`{"${name}":1}`, `{"any":{"${name}":{}}}`, `{"any":{"list":[{"${name}":null}]}}`]) {
        expectInvalid(await send(body), 'body: INVALID_FORMAT');
      }
    }
    expect((await send(`{"text":"${key}"}`)).body).toEqual({ text: key });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('the last value of a duplicate member counts', async () => {
    expect((await send('{"text":"a","text":"b"}')).body).toEqual({ text: 'b' });
    expect((await send('{"text":"a","t\\u0065xt":"b"}')).body).toEqual({ text: 'b' });
  });

  test('unknown members are stripped; null and the empty text are unchanged', async () => {
    expect((await send('{"text":null,"unknown":1,"toString":2,"hasOwnProperty":3}')).body).toEqual({ text: null });
    expect((await send('{"text":""}')).body).toEqual({ text: '' });
    expectInvalid(await send('{"bool":null}'), 'bool: INVALID_FORMAT');
  });

  test.each<[body: string, ...faults: string[]]>([
    ['{"text":1}', 'text: INVALID_FORMAT'],
    ['{"text":{}}', 'text: INVALID_FORMAT'],
    ['{"text":["a"]}', 'text: INVALID_FORMAT'],
    ['{"text":"\\u0000"}', 'text: INVALID_FORMAT'],
    ['{"text":"a\\ud800b"}', 'text: INVALID_FORMAT'],
    ['{"text":"\\udc00\\ud800"}', 'text: INVALID_FORMAT'],
    ['{"short":"a"}', 'short: INVALID_FORMAT'],
    ['{"short":"abcd"}', 'short: CONTENT_EXCEEDS_MAX_LENGTH'],
    ['{"short":"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00"}'],
    ['{"bool":1}', 'bool: INVALID_FORMAT'],
    ['{"bool":"true"}', 'bool: INVALID_FORMAT'],
    ['{"int":"1"}', 'int: INVALID_FORMAT'],
    ['{"int":1.5}', 'int: INVALID_FORMAT'],
    ['{"int":6}', 'int: INVALID_FORMAT'],
    ['{"int":1e400}', 'int: INVALID_FORMAT'],
    ['{"int":-5}'],
    ['{"one":"c"}', 'one: INVALID_FORMAT'],
    ['{"one":["a"]}', 'one: INVALID_FORMAT'],
    ['{"list":["a",1,null]}', 'list.1: INVALID_FORMAT', 'list.2: INVALID_FORMAT'],
    ['{"list":["a","a","a","a"]}', 'list: INVALID_FORMAT'],
    ['{"list":"a"}', 'list: INVALID_FORMAT'],
    ['{"list":{"length":1,"0":"a"}}', 'list: INVALID_FORMAT'],
    ['{"any":[]}', 'any: INVALID_FORMAT'],
    ['{"any":"x"}', 'any: INVALID_FORMAT'],
    ['{"id":"0"}'],
    ['{"id":7}'],
    ['{"id":9007199254740991}'],
    ['{"id":9007199254740992}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":-1}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":1.5}', 'id: INVALID_FORMAT'],
    ['{"id":1e400}', 'id: INVALID_FORMAT'],
    ['{"id":true}', 'id: INVALID_FORMAT'],
    ['{"id":""}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":"01"}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":"+1"}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":"1 "}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":"0x1"}', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['{"id":"9223372036854775807"}'],
    ['{"id":"9223372036854775808"}', 'id: SNOWFLAKE_OUT_OF_RANGE'],
    ['{"id":["1"]}', 'id: INVALID_FORMAT'],
    ['{"id":{"$gt":""}}', 'id: INVALID_FORMAT'],
    ['{"one":"c","bool":0,"int":9}', 'bool: INVALID_FORMAT', 'int: INVALID_FORMAT', 'one: INVALID_FORMAT'],
  ])('%j', async (body, ...faults) => {
    const response = await send(body);
    if (faults.length > 0) expectInvalid(response, ...faults);
    else expect(response.status).toBe(200);
  });

  test('a rejected value is not repeated in the response', async () => {
    const { text } = await send(
      '{"one":"s3cret-value","int":"s3cret-value","id":"s3cret-value","bool":"s3cret-value"}',
    );
    expect(text).not.toContain('s3cret');
    expect((await send('{"text":"s3cret-value"')).text).not.toContain('s3cret');
  });
});

describe('conventions.md 1: path and query', () => {
  const get = (target: string): Promise<RawResponse> => sendRaw(service, [`GET /v1/probe/${target} HTTP/1.1`]);

  test.each<[target: string, ...faults: string[]]>([
    ['1'],
    ['%31'],
    ['1?limit=100&search=x&unknown=1&__proto__=1&constructor=1'],
    ['1?limit=0', 'limit: INVALID_FORMAT'],
    ['1?limit=', 'limit: INVALID_FORMAT'],
    ['1?limit=1.0', 'limit: INVALID_FORMAT'],
    ['1?limit=0x1', 'limit: INVALID_FORMAT'],
    ['1?limit=%201', 'limit: INVALID_FORMAT'],
    ['1?limit=1&limit=2', 'limit: INVALID_FORMAT'],
    ['1?limit=1&%6cimit=1', 'limit: INVALID_FORMAT'],
    ['1?search=a&search=b', 'search: INVALID_FORMAT'],
    ['1?search=%00', 'search: INVALID_FORMAT'],
    ['1?search[]=a&search[x]=b'],
    ['1?search=01234567890', 'search: CONTENT_EXCEEDS_MAX_LENGTH'],
    [`1?${'search=a&'.repeat(1500)}`, 'search: INVALID_FORMAT'],
    ['x', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['1%002', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['1%2F2', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['%252e', 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['9223372036854775808', 'id: SNOWFLAKE_OUT_OF_RANGE'],
    [`${'9'.repeat(8000)}`, 'id: INVALID_SNOWFLAKE_FORMAT'],
    ['x?limit=0', 'id: INVALID_SNOWFLAKE_FORMAT', 'limit: INVALID_FORMAT'],
  ])('%.50s', async (target, ...faults) => {
    const response = await get(target);
    if (faults.length > 0) expectInvalid(response, ...faults);
    else expect([response.status, response.body.id]).toEqual([200, '1']);
  });

  test('path, query and body are all checked before the response', async () => {
    const path = '/v1/probe/x?limit=0';
    expectInvalid(
      await send('{"bool":1}', { path }),
      ...['id: INVALID_SNOWFLAKE_FORMAT', 'limit: INVALID_FORMAT', 'bool: INVALID_FORMAT'],
    );
    expectInvalid(
      await send('{', { path }),
      ...['id: INVALID_SNOWFLAKE_FORMAT', 'limit: INVALID_FORMAT', 'body: INVALID_FORMAT'],
    );
  });

  test('at most 100 errors are listed', async () => {
    const list = JSON.stringify({ list: Array(3).fill(0), bool: 0, int: 'x', one: 'x', id: 'x', any: 1, short: '' });
    expect((await send(list)).body.errors.length).toBeLessThanOrEqual(100);
  });
});

describe('conventions.md 1: size', () => {
  const LIMIT = 256 * 1024;
  const ofSize = (size: number): string => `{"text":"${'x'.repeat(size - 11)}"}`;

  test('256 KiB are accepted, one byte more is not, with and without a declared length', async () => {
    expect((await send(ofSize(LIMIT))).status).toBe(200);
    expect((await sendChunked(ofSize(LIMIT))).status).toBe(200);
    expectApiError(await send(ofSize(LIMIT + 1)), 'PAYLOAD_TOO_LARGE');
    expectApiError(await sendChunked(ofSize(LIMIT + 1)), 'PAYLOAD_TOO_LARGE');
    expectApiError(await send(ofSize(LIMIT + 1), { path: '/v1/probe/none' }), 'PAYLOAD_TOO_LARGE');
  });

  test('an operation may declare its own limit', async () => {
    expect((await send('{"text":"123456789"}', { path: '/v1/probe/small' })).status).toBe(200);
    expectApiError(await send('{"text":"1234567890"}', { path: '/v1/probe/small' }), 'PAYLOAD_TOO_LARGE');
    expectApiError(await sendChunked('{"text":"1234567890"}', { path: '/v1/probe/small' }, 1), 'PAYLOAD_TOO_LARGE');
  });

  test('a client that sends too much can read the error', async () => {
    const responses = await Promise.all([1, 3, 7].map((mib) => send(ofSize(mib * 1024 * 1024))));
    for (const response of responses) expectApiError(response, 'PAYLOAD_TOO_LARGE');
  });

  test('a declared length over the limit is rejected before a byte of the body is read', async () => {
    const response = await sendRaw(service, [
      ...['POST /v1/probe/body HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 1000000000'],
    ]);
    expectApiError(response, 'PAYLOAD_TOO_LARGE');
  });

  test('the body of a rejected request does not become the next request', async () => {
    const connection = await RawConnection.open(service);
    const body = `GET /v1/users/@me HTTP/1.1\r\nHost: x\r\n\r\n`;
    connection.send(`POST /v1/probe/closed HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    connection.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expectApiError(await connection.readResponse(), 'UNAUTHORIZED');
    expect((await connection.readResponse()).body).toEqual({ status: 'ok' });
    connection.close();
  });
});

describe('conventions.md 1: Expect', () => {
  const expecting = (path: string, ...lines: string[]): string =>
    `${[`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Expect: 100-continue', ...lines].join('\r\n')}\r\n\r\n`;

  test('a body is requested in the order of the pipeline', async () => {
    const connection = await RawConnection.open(service);
    connection.send(expecting('/v1/probe/closed', `Authorization: ${alice.session}`, 'Content-Length: 13'));
    expect((await connection.readResponse()).status).toBe(100);
    connection.send('{"bool":true}');
    expect((await connection.readResponse()).body).toEqual({ bool: true });
    connection.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.readResponse()).status).toBe(200);
    connection.close();
  });

  test.each([
    ['no credential', ['Content-Length: 1000000000'], 'UNAUTHORIZED'],
    ['a wrong credential', ['Authorization: Bearer x', 'Content-Length: 13'], 'UNAUTHORIZED'],
    ['a body that is too large', ['Content-Length: 1000000000'], 'PAYLOAD_TOO_LARGE'],
  ])('%s: the body is never requested, and the connection ends', async (_title, lines, code) => {
    const connection = await RawConnection.open(service);
    connection.send(expecting(code === 'UNAUTHORIZED' ? '/v1/probe/closed' : '/v1/probe/body', ...lines));
    expectApiError(await connection.readResponse(), code);
    await connection.closed;
    expect(connection.unread).toBe('');
  });

  test('an unknown expectation is ignored', async () => {
    expect((await send('{"bool":true}', { headers: ['Expect: tea'] })).body).toEqual({ bool: true });
  });
});

describe('credentials.md 4 an unsupported content type is rejected in the order of outcomes', () => {
  const UNREADABLE = [
    'nonsense',
    'application',
    '/',
    'a b/c',
    'text/html; charset',
    ';',
    'application/json/x',
    '\u00e9/x',
  ];

  test.each(UNREADABLE)(
    '%j: an unknown path, a missing credential and a wrong credential kind come before it',
    async (type) => {
      const headers = { 'content-type': type };
      expectApiError(await service.anonymous.post('/v1/nothing', '{}', { headers }), 'NOT_FOUND');
      expectApiError(await service.anonymous.post('/v1/probe/closed', '{}', { headers }), 'UNAUTHORIZED');
      const response = await service.anonymous.post('/v1/probe/body', '{}', { headers });
      if (type.startsWith('application/json')) expect([200, 415]).toContain(response.status);
      else expectApiError(response, 'UNSUPPORTED_MEDIA_TYPE');
    },
  );
});

test('conventions.md 2 conditions are ignored for resources without a tag', async () => {
  const conditions: Record<string, string>[] = [
    { 'if-none-match': '*' },
    { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
  ];
  for (const condition of conditions) {
    for (const path of ['/.well-known/service', '/.well-known/oauth-authorization-server', '/health/live']) {
      expect((await service.anonymous.get(path, { headers: condition })).status).toBe(200);
    }
  }
});
