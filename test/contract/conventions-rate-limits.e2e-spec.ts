import { createHash } from 'node:crypto';
import { Controller, Get, HttpCode, Module, Param, Post } from '@nestjs/common';
import { Text } from '../../src/http/input.js';
import { bucketId, Limiter } from '../../src/platform/store/limits.js';
import { SharedStore } from '../../src/platform/store/shared-store.js';
import {
  AdminAcl,
  Authenticated,
  CredentialFree,
  OAuthScope,
  Public,
  RateLimit,
  UserOnly,
} from '../../src/policy/decorators.js';
import { defineFeature } from '../../src/policy/feature.js';
import { Routes } from '../../src/policy/routes.js';
import {
  type CredentialSet,
  type CredentialSetOptions,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  PRODUCTION_HASHES,
  RawConnection,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

const SLOW = 1_000_000;
const probe = defineFeature('probe', {
  buckets: {
    'probe:two': [2, SLOW],
    'probe:per': [2, SLOW],
    'probe:many': [1_000_000, 1],
    'probe:timed': [4, 60],
    'probe:exempt': [100_000, 1, { countsGlobally: false }],
  },
});

declare module '../../src/core/merged.js' {
  interface Features {
    probeOfLimits: typeof probe;
  }
}

class TokenPath {
  @Text({ max: 100 }) id: string;
}

@Controller('v1/probe')
class ProbeController {
  constructor(private readonly limiter: Limiter) {}

  @Get('two')
  @Public()
  @RateLimit('probe:two')
  two() {
    return {};
  }

  @Get('closed')
  @Authenticated()
  @OAuthScope('identify')
  @RateLimit('probe:two')
  closed() {
    return {};
  }

  @Get('free')
  @CredentialFree()
  @RateLimit('probe:two')
  free() {
    return {};
  }

  @Get('per/:id')
  @CredentialFree()
  @RateLimit('probe:per', { per: 'id' })
  per(@Param() _path: TokenPath) {
    return {};
  }

  @Get('plain')
  @Public()
  plain() {
    return {};
  }

  @Get('timed')
  @Public()
  @RateLimit('probe:timed')
  timed() {
    return {};
  }

  @Get('many')
  @Public()
  @RateLimit('probe:many')
  many() {
    return {};
  }

  @Get('exempt')
  @CredentialFree()
  @RateLimit('probe:exempt')
  exempt() {
    return {};
  }

  @Post('allowance')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('probe:many')
  allowance() {
    return this.limiter.chargeOrThrow('probe', 'everyone', 2, 3600);
  }
}

@Controller('v1/admin/probe')
class AdminProbeController {
  @Get()
  @AdminAcl('audit_log:view')
  @RateLimit('probe:two')
  get() {
    return {};
  }
}

@Module({ controllers: [ProbeController, AdminProbeController] })
class ProbeModule {}

const HEADERS = ['scope', 'global', 'limit', 'remaining', 'reset', 'reset-after', 'bucket'];

/** Returns the rate-limit headers of a response by their short names. */
const limits = ({ headers }: TestResponse): Record<string, string> => {
  const found = HEADERS.map((name) => [name, headers.get(`x-ratelimit-${name}`)]);
  const retry = headers.get('retry-after');
  return Object.fromEntries([...found, ['retry-after', retry]].filter(([, value]) => value !== null));
};

const idOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);

describe('conventions.md 7: rate limits', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({
      features: [probe],
      modules: [ProbeModule],
      env: {
        RATE_LIMITS: 'on',
        TRUSTED_PROXIES: '127.0.0.1',
        RATE_LIMIT_OVERRIDES: '{"webhook:execute": "100000/1", "instance:info": "3/1000000"}',
      },
    });
  });
  afterAll(() => service.close());

  let lastAddress = 0;
  const freshAddress = (): string => `198.51.${Math.floor(++lastAddress / 250)}.${(lastAddress % 250) + 1}`;
  const from = (address: string, authorization?: string) =>
    (authorization ? service.as(authorization) : service.anonymous).with({ 'x-forwarded-for': address });
  const wearing = (options: CredentialSetOptions = {}): Promise<CredentialSet> => createCredentialSet(service, options);

  /** Sends one request per caller and returns for each of them whether it was within the limit. */
  async function admitted(...callers: [path: string, address: string, authorization?: string][]): Promise<boolean[]> {
    const responses: boolean[] = [];
    for (const [path, address, authorization] of callers) {
      responses.push((await from(address, authorization).get(path)).status !== 429);
    }
    return responses;
  }

  test('a public bucket name is the first 16 hex digits of the digest of its name', () => {
    expect(bucketId('gateway:bot_info')).toBe('f4196f01e6edbe58');
    for (const { policy, bucketId: id } of service.app.get(Routes).all) {
      expect(id).toBe(policy.bucket && idOf(policy.bucket.name));
    }
  });

  test('a success shows the limit, the remaining requests and the time when the bucket is empty', async () => {
    const client = from(freshAddress());
    const before = Math.floor(Date.now() / 1000);
    const first = limits(await client.get('/v1/probe/timed'));
    expect(first).toEqual({
      limit: '4',
      remaining: '3',
      reset: expect.stringMatching(/^\d+$/),
      'reset-after': expect.stringMatching(/^1[45]\.\d{3}$/),
      bucket: idOf('probe:timed'),
    });
    expect(Number(first.reset) - before).toBeGreaterThanOrEqual(15);
    expect(Number(first.reset) - before).toBeLessThanOrEqual(20);
    expect(limits(await client.get('/v1/probe/timed'))).toMatchObject({ remaining: '2' });
  });

  test('an empty allowance is 429 with the same headers, a scope, and the time until the next request', async () => {
    const client = from(freshAddress());
    for (let i = 0; i < 4; i++) await client.get('/v1/probe/timed');
    const response = await client.get('/v1/probe/timed');
    expectApiError(response, 'RATE_LIMITED', { global: false });
    expect(Object.keys(response.body).sort()).toEqual(['code', 'global', 'message', 'retry_after']);
    const { retry_after: retryAfter } = response.body;
    expect(retryAfter).toBeGreaterThan(10);
    expect(retryAfter).toBeLessThanOrEqual(15);
    expect(retryAfter).toBe(Math.ceil(retryAfter * 1000) / 1000);
    expect(limits(response)).toEqual({
      'retry-after': String(Math.ceil(retryAfter)),
      scope: 'user',
      limit: '4',
      remaining: '0',
      reset: expect.stringMatching(/^\d+$/),
      'reset-after': expect.stringMatching(/^\d+\.\d{3}$/),
      bucket: idOf('probe:timed'),
    });
  });

  test('responses of every other status have the headers also', async () => {
    const shown = { limit: '2', remaining: '1', bucket: idOf('probe:two') };
    const unauthorised = await from(freshAddress()).get('/v1/probe/closed');
    expect([unauthorised.status, limits(unauthorised)]).toEqual([401, expect.objectContaining(shown)]);
    const invalid = await from(freshAddress()).get(`/v1/probe/per/${'x'.repeat(101)}`);
    const bucket = idOf('probe:per');
    expect([invalid.status, limits(invalid)]).toEqual([400, expect.objectContaining({ ...shown, bucket })]);
    const { bearer } = await wearing();
    const denied = await from(freshAddress(), bearer).get('/v1/probe/closed');
    expect([denied.body.code, limits(denied)]).toEqual(['MISSING_OAUTH_SCOPE', expect.objectContaining(shown)]);
  });

  test('the global bucket is checked first: it returns its own numbers and no bucket, and the route is not charged', async () => {
    const { session } = await wearing();
    const connection = await RawConnection.open(service);
    const lines = ['GET /v1/probe/many HTTP/1.1', 'Host: x', `X-Forwarded-For: ${freshAddress()}`];
    const request = [...lines, `Authorization: ${session}`, '', ''].join('\r\n');
    connection.send(request.repeat(200));
    const responses = [];
    for (let i = 0; i < 200; i++) responses.push(await connection.readResponse());
    connection.close();
    const refused = responses.filter(({ status }) => status === 429);
    const passed = responses.filter(({ status }) => status === 200);
    expect(passed.length).toBeGreaterThanOrEqual(50);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body).toEqual({
      code: 'RATE_LIMITED',
      message: 'Too many requests.',
      global: true,
      retry_after: expect.any(Number),
    });
    expect(refused[0]?.body.retry_after).toBeLessThanOrEqual(0.02);
    expect(refused[0]?.body.retry_after).toBeGreaterThanOrEqual(0.001);
    expect(limits(refused[0] as TestResponse)).toEqual({
      'retry-after': '1',
      scope: 'global',
      global: 'true',
      limit: '50',
      remaining: '0',
      reset: expect.stringMatching(/^\d+$/),
      'reset-after': expect.stringMatching(/^[01]\.\d{3}$/),
    });
  });

  test('50 a second for an account, 1200 for a trusted one', async () => {
    const store = service.app.get(SharedStore);
    const taken: [limit: number, seconds: number][] = [];
    const take = store.take.bind(store);
    store.take = (key, limit, seconds) => {
      taken.push([limit, seconds]);
      return take(key, limit, seconds);
    };
    try {
      for (const flags of [0n, 1n << 33n]) {
        await from(freshAddress(), (await wearing({ flags })).session).get('/v1/probe/plain');
      }
    } finally {
      Reflect.deleteProperty(store, 'take');
    }
    expect(taken).toEqual([
      [50, 1],
      [1200, 1],
    ]);
  });

  test('an exempt bucket does not charge the global one', async () => {
    const address = freshAddress();
    const connection = await RawConnection.open(service);
    const request = `GET /v1/probe/exempt HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    connection.send(request.repeat(120));
    for (let i = 0; i < 120; i++) expect((await connection.readResponse()).status).toBe(200);
    connection.close();
    expect((await from(address).get('/v1/probe/plain')).status).toBe(200);
  });

  test('an account that bypasses limits has no limits and no headers; allowances of handlers still apply', async () => {
    const { session } = await wearing({ flags: 1n << 47n });
    const client = from(freshAddress(), session);
    for (let i = 0; i < 4; i++) {
      const response = await client.get('/v1/probe/two');
      expect([response.status, limits(response)]).toEqual([200, {}]);
    }
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await client.post('/v1/probe/allowance')).status);
    expect(statuses).toEqual([204, 204, 429]);
  });

  test("a handler's allowance returns its own numbers and no bucket", async () => {
    const { session } = await wearing();
    const client = from(freshAddress(), session);
    let response = await client.post('/v1/probe/allowance');
    for (let i = 0; i < 2; i++) response = await client.post('/v1/probe/allowance');
    expectApiError(response, 'RATE_LIMITED', { global: false });
    expect(limits(response)).toEqual({
      'retry-after': expect.stringMatching(/^\d+$/),
      scope: 'user',
      limit: '2',
      remaining: '0',
      reset: expect.stringMatching(/^\d+$/),
      'reset-after': expect.stringMatching(/^\d+\.\d{3}$/),
    });
    expect(Number(limits(response)['retry-after'])).toBe(Math.ceil(response.body.retry_after));
  });

  test.each<
    [
      title: string,
      callers: (a: CredentialSet, b: CredentialSet) => [string, string | null, string?][],
      admitted: boolean[],
    ]
  >([
    [
      'an address is one caller',
      () => [
        ['/v1/probe/two', 'A'],
        ['/v1/probe/two', 'A'],
        ['/v1/probe/two', 'A'],
      ],
      [true, true, false],
    ],
    [
      'another address is another',
      () => [
        ['/v1/probe/two', 'A'],
        ['/v1/probe/two', 'A'],
        ['/v1/probe/two', 'B'],
      ],
      [true, true, true],
    ],
    [
      'one account from many addresses is one caller',
      ({ session }) => ['A', 'B', 'C'].map((address) => ['/v1/probe/two', address, session]),
      [true, true, false],
    ],
    [
      'Bearer with a session token is the session',
      ({ session }) => [
        ['/v1/probe/two', 'A', session],
        ['/v1/probe/two', 'A', `Bearer ${session}`],
        ['/v1/probe/two', 'A', session],
      ],
      [true, true, false],
    ],
    [
      'accounts behind one address are many callers',
      (a, b) => [
        ['/v1/probe/two', 'A', a.session],
        ['/v1/probe/two', 'A', a.session],
        ['/v1/probe/two', 'A', b.session],
      ],
      [true, true, true],
    ],
    [
      'session, bot and bearer of one account are three callers',
      (a) =>
        [a.session, a.session, a.bot, a.bot, a.bearer, a.bearer, a.bearer].map((value) => [
          '/v1/probe/two',
          'A',
          value,
        ]),
      [true, true, true, true, true, true, false],
    ],
    [
      'the bearers of two applications are two callers',
      (a) =>
        [a.bearer, a.bearer, a.adminBearer, a.adminBearer, a.adminBearer].map((value) => ['/v1/probe/two', 'A', value]),
      [true, true, true, true, false],
    ],
    [
      'an Admin key is a caller by itself',
      (a) => [a.session, a.session, a.adminKey, a.adminKey, a.adminKey].map((value) => ['/v1/admin/probe', 'A', value]),
      [true, true, true, true, false],
    ],
    [
      'a credential that resolves to nothing is its address',
      (a) => [`${a.session}x`, 'Bearer x', 'Bot x'].map((value) => ['/v1/probe/two', 'A', value]),
      [true, true, false],
    ],
    [
      'failed and malformed requests count',
      () => [
        ['/v1/probe/closed', 'A'],
        ['/v1/probe/closed', 'A', 'Basic x y'],
        ['/v1/probe/two', 'A'],
      ],
      [true, true, false],
    ],
    [
      'where no credential is read, the address counts',
      (a, b) => [
        ['/v1/probe/free', 'A', a.session],
        ['/v1/probe/free', 'A', b.session],
        ['/v1/probe/free', 'A', a.bot],
      ],
      [true, true, false],
    ],
    [
      'IPv6 counts by its /64',
      () => [
        ['/v1/probe/two', '2001:db8:ID::1'],
        ['/v1/probe/two', '2001:DB8:ID:0:ffff::2'],
        ['/v1/probe/two', '2001:db8:ID::3'],
      ],
      [true, true, false],
    ],
    [
      'the next /64 is another caller',
      () => [
        ['/v1/probe/two', '2001:db8:ID::1'],
        ['/v1/probe/two', '2001:db8:ID::1'],
        ['/v1/probe/two', '2001:db8:ID:1::1'],
      ],
      [true, true, true],
    ],
    [
      'IPv4 in an IPv6 spelling is IPv4',
      () => [
        ['/v1/probe/two', 'A'],
        ['/v1/probe/two', '::ffff:A'],
        ['/v1/probe/two', '::FFFF:A'],
      ],
      [true, true, false],
    ],
    [
      'routes that share a bucket share the allowance, whatever the query',
      (a) => [
        ['/v1/probe/two?a=1', 'A', a.session],
        ['/v1/probe/closed', 'A', a.session],
        ['/v1/probe/two?b', 'A', a.session],
      ],
      [true, true, false],
    ],
    [
      'one allowance for every value of a path parameter',
      () => [
        ['/v1/probe/per/1', 'A'],
        ['/v1/probe/per/1', 'A'],
        ['/v1/probe/per/2', 'A'],
        ['/v1/probe/per/%31', 'A'],
      ],
      [true, true, true, false],
    ],
  ])('%s', async (_title, callers, expected) => {
    const names: Record<string, string> = { A: freshAddress(), B: freshAddress(), C: freshAddress() };
    const id = (++lastAddress).toString(16);
    const address = (name: string | null) =>
      (name ?? '').replace('ID', id).replace(/[ABC]$/, (letter) => names[letter] ?? letter);
    const [a, b] = [await wearing({ acls: ['*'] }), await wearing()];
    const found = await admitted(...callers(a, b).map(([path, from, value]) => [path, address(from), value] as never));
    expect(found).toEqual(expected);
  });

  test('values of a parameter do not affect other allowances, and are not stored', async () => {
    const [address, other] = [freshAddress(), freshAddress()];
    for (let i = 0; i < 2; i++) await from(address).get('/v1/probe/per/1');
    const near = ['1%2F', '%201', '01', '1%00', `1%2F${other}`, '1:1', '1%0A'];
    for (const value of near) expect((await from(address).get(`/v1/probe/per/${value}`)).status).not.toBe(429);
    expect((await from(address).get('/v1/probe/per/1')).status).toBe(429);
    expect((await from(other).get('/v1/probe/per/1')).status).toBe(200);
  });

  test('HEAD counts as GET', async () => {
    const client = from(freshAddress());
    await client.send('HEAD', '/v1/probe/two');
    await client.send('HEAD', '/v1/probe/two');
    expect((await client.get('/v1/probe/two')).status).toBe(429);
  });

  test('an override replaces the numbers of its bucket', async () => {
    const client = from(freshAddress());
    expect(limits(await client.get('/.well-known/service'))).toMatchObject({ limit: '3', remaining: '2' });
  });

  test('a rate-limited request revokes nothing', async () => {
    const { session } = await wearing();
    const client = from(freshAddress(), session);
    for (let i = 0; i < 3; i++) await client.get('/v1/probe/two');
    expect((await client.get('/v1/users/@me')).status).toBe(200);
  });
});

describe('conventions.md 7.1: switches', () => {
  test('RATE_LIMITS=off turns limits and headers off, and logs a warning', async () => {
    await withGatehouse({ features: [probe], modules: [ProbeModule] }, async (service) => {
      for (let i = 0; i < 4; i++) {
        const response = await service.anonymous.get('/v1/probe/two');
        expect([response.status, limits(response)]).toEqual([200, {}]);
      }
      const warnings = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
      // Outside production, the allowances are off by default, so no warning names them.
      expect(warnings.map(({ msg }) => msg).filter((text) => / is off$/.test(text))).toEqual(['RATE_LIMITS is off']);
    });
  });

  test('in production every limit is on by default, and the log names each limit that is off', async () => {
    const production = {
      ...{ NODE_ENV: 'production', EMBEDDED_DATABASE: 'true', MAIL_TRANSPORT: 'none' },
      ...{ PUBLIC_ORIGIN: 'https://id.example.com', ...PRODUCTION_HASHES },
    };
    const names = ['RATE_LIMITS', 'LOGIN_ALLOWANCES', 'REGISTRATION_ALLOWANCES', 'ABUSE_BANS'];
    for (const [value, expected] of [
      ['', []],
      ['off', names.map((name) => `${name} is off`)],
    ] as const) {
      const limits = Object.fromEntries(names.map((name) => [name, value]));
      await withGatehouse({ env: { ...production, ...limits } }, async (service) => {
        const warnings = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
        expect(warnings.map(({ msg }) => msg).filter((text) => / is off$/.test(text))).toEqual(expected);
      });
    }
  });
});
