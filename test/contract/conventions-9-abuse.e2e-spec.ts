import { createHash, randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { IpBans } from '../../src/bans/ip-bans.service.js';
import { MetricsReader } from '../../src/core/metrics.js';
import { SharedStore } from '../../src/platform/store/shared-store.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  ban,
  basic,
  type Client,
  eventually,
  expectApiError,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

const token = (): string => `flx_${randomBytes(18).toString('hex')}`;
const WINDOW_SECONDS = 300;
let next = 1;
/** Basic credentials with every character percent-encoded. */
const spelt = (id: string, secret: string): string => {
  const every = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  return Buffer.from(`${every(id)}:${every(secret)}`).toString('base64');
};
/** Returns a public IP address that no other test uses. */
const address = (): string => `9.9.${next >> 8}.${next++ & 255}`;

async function boot(env: Record<string, string> = {}): Promise<Gatehouse> {
  return gatehouse({
    env: {
      ...{ TRUSTED_PROXIES: '127.0.0.1', APPEAL_EMAIL: 'appeals@example.com', CORS_ORIGINS: 'https://app.example' },
      ...{ PUBLIC_ORIGIN: 'http://localhost:8080', ...env },
    },
  });
}

describe('conventions 9 repeated failures of an IP address', () => {
  let service: Gatehouse;
  let alice: Persona;
  beforeAll(async () => {
    service = await boot({ IP_BAN_EXEMPT: '9.8.0.0/16' });
    alice = await person({ ...service, anonymous: service.anonymous.with({ 'x-forwarded-for': address() }) }, 'alice');
  });
  // Each test starts at the beginning of a window, so that all its failures fall into one window.
  beforeEach(() => service.clock.advance({ seconds: WINDOW_SECONDS - (service.clock.seconds() % WINDOW_SECONDS) }));
  afterAll(() => service.close());

  const from = (ip: string, credential?: string) =>
    (credential === undefined ? service.anonymous : service.as(credential)).with({ 'x-forwarded-for': ip });
  const me = (ip: string, credential?: string): Promise<TestResponse> => from(ip, credential).get('/v1/users/@me');
  const isBanned = async (ip: string): Promise<boolean> => {
    // A failure is counted after its response is sent. Counting starts at the latest with the next request.
    await me(ip, alice.authorization);
    await service.idle();
    return (await me(ip, alice.authorization)).status === 403;
  };

  test('9.1 twenty different invalid credentials in one window ban immediately, for a day', async () => {
    const ip = address();
    for (let i = 0; i < 19; i++) expectApiError(await me(ip, token()), 'UNAUTHORIZED');
    expect(await isBanned(ip)).toBe(false);
    await me(ip, token());
    expect(await isBanned(ip)).toBe(true);
    const refused = await from(ip).get('/.well-known/service');
    expectApiError(refused, 'GLOBAL_IP_TEMPORARILY_BANNED', {
      ip_address: ip,
      ban_kind: 'temporary_24h',
      appeal_email: 'appeals@example.com',
      appeals_supported: false,
    });
    expect(await service.sql('SELECT reason, signals FROM ip_ban WHERE value = $1', [ip])).toEqual([
      {
        reason: 'automatic',
        signals: { trigger: 'rejected_credentials', score: expect.any(Number), rejected_credentials: 20, windows: 0 },
      },
    ]);
    // The database uses its own clock.
    const left = Date.parse(refused.body.expires_at) - Date.now();
    expect(Math.abs(left - 86_400_000)).toBeLessThan(60_000);
    expect((await me(address(), alice.authorization)).status).toBe(200);
  });

  test('9.1 IPv6 counts by its /64', async () => {
    const host = (part: number) => `2a00:1450:4001:81b::${part.toString(16)}`;
    for (let i = 1; i <= 20; i++) await me(host(i), token());
    expect(await isBanned(host(99))).toBe(true);
    expect(await isBanned('2a00:1450:4001:81c::1')).toBe(false);
  });

  test('9.1 repetitions of one credential count once; a score of 60 is a strike, three strikes in an hour ban', async () => {
    const ip = address();
    const same = token();
    for (let window = 1; window <= 3; window++) {
      // Each request scores 0.75 for the 401 and 1 for the rejected credential.
      for (let i = 0; i < 35; i++) await me(ip, same);
      expect(await isBanned(ip)).toBe(window === 3);
      service.clock.advance({ minutes: 5 });
    }
  });

  test('9.1 failed client authentication and a rejected Identify also count as invalid credentials', async () => {
    const client = address();
    for (let i = 0; i < 20; i++) {
      const response = await from(client).form('/v1/oauth2/token', {
        client_id: '1',
        client_secret: token(),
        grant_type: 'refresh_token',
      });
      expectApiError(response, 'INVALID_CLIENT');
    }
    expect(await isBanned(client)).toBe(true);
    const socket = address();
    for (let i = 0; i < 20; i++) {
      const gateway = await GatewayClient.open(service, '', { 'x-forwarded-for': socket });
      await gateway.next();
      gateway.send({ op: 2, d: { token: token() } });
      expect(await gateway.closed()).toEqual([4004, 'Invalid token']);
    }
    expect(await isBanned(socket)).toBe(true);
  });

  const hex = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));
  const secrets = hex.map((text) => `secret-${text}`);
  const names = hex.map((text) => `name-${text}`);
  interface Way {
    readonly name: string;
    readonly form: Record<string, string>;
    readonly authorization?: string;
  }
  const guesses = async (work: (from: Client, ip: string) => Promise<void>) => {
    const ip = address();
    await work(from(ip), ip);
    return isBanned(ip);
  };

  test('9.1 distinct guesses are counted: one wrong secret in any form and under any name is one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ id: fc.constantFrom('1', '2', 'no id', ''), secret: secrets }),
        fc.array(names, { minLength: 6, maxLength: 6 }),
        async ({ id, secret }, given) => {
          const ways = given.flatMap((name): Way[] => [
            { name, form: { client_id: id, client_secret: secret } },
            { name, form: { client_id: id, client_secret: secret, grant_type: name } },
            { name, form: {}, authorization: basic(id, secret) },
            { name, form: { client_id: id }, authorization: basic(id, secret).replace('Basic', 'bAsIc') },
            { name, form: {}, authorization: `Basic ${spelt(id, secret)}` },
          ]);
          const isOut = await guesses(async (caller) => {
            for (const { name, form, authorization } of ways) {
              const client = authorization ? caller.with({ authorization }) : caller;
              const response = await client.with({ 'x-request-id': name }).form('/v1/oauth2/token', form);
              expectApiError(response, 'INVALID_CLIENT');
            }
          });
          // 30 guesses score 52.5, which is below a strike. As distinct guesses, they would exceed the limit.
          expect(isOut).toBe(false);
        },
      ),
      { numRuns: 4 },
    );
  });

  test('9.1 guesses are counted separately even if they share parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<'form' | 'basic' | 'session' | 'bot' | 'bearer'>('form', 'basic', 'session', 'bot', 'bearer'),
        names,
        fc.uniqueArray(secrets, { minLength: 20, maxLength: 20 }),
        async (kind, shared, tried) => {
          const isOut = await guesses(async (caller) => {
            const client = caller.with({ 'x-request-id': shared, 'user-agent': shared });
            for (const secret of tried) {
              const scheme = { session: '', bot: 'Bot 1.', bearer: 'Bearer ' }[kind as 'bot'];
              if (kind === 'form') await client.form('/v1/oauth2/token', { client_id: '1', client_secret: secret });
              else if (kind === 'basic') {
                await client.with({ authorization: basic('1', secret) }).form('/v1/oauth2/introspect', {});
              } else await client.with({ authorization: scheme + secret }).get('/v1/users/@me');
            }
          });
          expect(isOut).toBe(true);
        },
      ),
      { numRuns: 5 },
    );
  });

  test('9.1 a token is the same guess in every spelling, and at the gateway', async () => {
    const same = token();
    const isOut = await guesses(async (caller, ip) => {
      const gateway = await GatewayClient.open(service, '', { 'x-forwarded-for': ip });
      await gateway.next();
      gateway.send({ op: 2, d: { token: same } });
      expect(await gateway.closed()).toEqual([4004, 'Invalid token']);
      for (let i = 0; i < 12; i++) {
        expectApiError(await caller.with({ authorization: same }).get('/v1/users/@me'), 'UNAUTHORIZED');
        expectApiError(await caller.with({ authorization: `Bearer ${same}` }).get('/v1/users/@me'), 'UNAUTHORIZED');
      }
    });
    expect(isOut).toBe(false);
  });

  const FOREIGN: [string, Record<string, string>][] = [
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['the Origin of another site', { origin: 'https://elsewhere.example' }],
    ['the Origin null', { origin: 'null' }],
    ['an Origin that begins like ours', { origin: 'http://localhost:8080.elsewhere.example' }],
  ];
  const HOME: [string, Record<string, string>][] = [
    ['neither header', {}],
    ['our own Origin', { origin: 'http://localhost:8080' }],
    ['an Origin of CORS_ORIGINS', { origin: 'https://app.example', 'sec-fetch-site': 'same-site' }],
    ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin' }],
    ['Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
  ];
  /** Sends 20 of each kind of request that a page could send and that is an abuse signal. */
  const misbehave = async (ip: string, headers: Record<string, string>) => {
    const caller = from(ip).with(headers);
    for (let i = 0; i < 20; i++) {
      await caller.form('/v1/oauth2/token', { client_id: '1', client_secret: token(), grant_type: 'refresh_token' });
      await caller.post('/v1/auth/login', {});
      await caller.get('/v1/nowhere');
    }
  };

  test.each(FOREIGN)('9.1 a page of another site does not cause a ban: %s', async (_, headers) => {
    const ip = address();
    const counted = () => service.app.get(MetricsReader).series('gatehouse_abuse_signals_total');
    const before = await counted();
    await misbehave(ip, headers);
    expect(await counted()).toEqual(before);
    expect(await isBanned(ip)).toBe(false);
  });

  test.each(FOREIGN)(
    '9.1 a request with Authorization counts, even if marked as cross-site: %s',
    async (_, headers) => {
      const ip = address();
      for (let i = 0; i < 20; i++)
        expectApiError(await from(ip, token()).with(headers).get('/v1/users/@me'), 'UNAUTHORIZED');
      expect(await isBanned(ip)).toBe(true);
    },
  );

  test('9.1 parallel guesses write one ban for each IP address and window, and new IP addresses are banned', async () => {
    const spy = jest.spyOn(service.app.get(IpBans), 'add');
    const guess = (ip: string) => Promise.all(Array.from({ length: 60 }, () => me(ip, token())));
    const addresses = Array.from({ length: 6 }, address);
    await Promise.all(addresses.map(guess));
    await service.idle();
    const banned = spy.mock.calls.map(([, { value }]) => value);
    expect(banned.sort()).toEqual([...addresses].sort());
    const late = address();
    await guess(late);
    await service.idle();
    expect(spy.mock.calls.map(([, { value }]) => value).filter((value) => value === late)).toEqual([late]);
    spy.mockRestore();
    for (const ip of [...addresses, late]) expect(await isBanned(ip)).toBe(true);
  });

  test.each(HOME)('9.1 every other misbehaving client is banned: %s', async (_, headers) => {
    const ip = address();
    await misbehave(ip, headers);
    expect(await isBanned(ip)).toBe(true);
  });

  const identify = async (ip: string, headers: Record<string, string>, payload: () => object) => {
    for (let i = 0; i < 20; i++) {
      const gateway = await GatewayClient.open(service, '', { 'x-forwarded-for': ip, ...headers });
      await gateway.next();
      gateway.send(payload());
      expect(await gateway.closed()).toEqual([4004, 'Invalid token']);
    }
  };
  const STARTS: [string, () => object][] = [
    ['Identify', () => ({ op: 2, d: { token: token() } })],
    ['Resume', () => ({ op: 6, d: { token: token(), session_id: 'a'.repeat(32), seq: 1 } })],
  ];

  test.each(STARTS)(
    '9.1 a page of another site that sends %s does not cause a ban; other clients are banned',
    async (_, payload) => {
      for (const [, headers] of FOREIGN.slice(0, 2)) {
        const ip = address();
        await identify(ip, headers, payload);
        expect(await isBanned(ip)).toBe(false);
      }
      const ip = address();
      await identify(ip, { origin: 'https://app.example' }, payload);
      expect(await isBanned(ip)).toBe(true);
    },
  );

  test('gateway.md 1: pages of other sites have at most eight sockets at the same time from one IP address', async () => {
    const ip = address();
    const open = (headers: Record<string, string>) =>
      GatewayClient.open(service, '', { 'x-forwarded-for': ip, ...headers });
    const foreign = { origin: 'https://elsewhere.example' };
    const sockets = await Promise.all(Array.from({ length: 8 }, () => open(foreign)));
    for (const socket of sockets) expect((await socket.next()).op).toBe(10);
    expect(await (await open(foreign)).closed()).toEqual([4008, 'Too many connections']);
    expect(await (await open({ 'sec-fetch-site': 'cross-site' })).closed()).toEqual([4008, 'Too many connections']);
    for (const headers of [{}, { origin: 'https://app.example' }] as Record<string, string>[]) {
      const own = await open(headers);
      expect((await own.next()).op).toBe(10);
      own.socket.terminate();
    }
    // Another IP address has its own limit, and closing a socket frees capacity.
    const elsewhere = await GatewayClient.open(service, '', { 'x-forwarded-for': address(), ...foreign });
    expect((await elsewhere.next()).op).toBe(10);
    for (const socket of [elsewhere, ...sockets.splice(0, 1)]) socket.socket.close();
    await eventually('room', async () => {
      const again = await open(foreign);
      const isIn = await Promise.race([again.next().then(() => true), again.closed().then(() => false)]);
      if (isIn) sockets.push(again);
      return isIn ? true : undefined;
    });
    for (const socket of sockets) socket.socket.terminate();
  });

  test('9.1 broken /media requests of an embedding page do not ban its viewer', async () => {
    await withGatehouse(
      { env: { TRUSTED_PROXIES: '127.0.0.1', IP_BAN_SCORE: '5', IP_BAN_STRIKES: '1', ABUSE_BANS: 'on' } },
      async (strict) => {
        const viewer = address();
        const broken = [
          ...['attachments/1/2/a.png', 'attachments/%2e%2e/a.png', 'avatars/1/x.png', 'banners/1/2/3.png'],
          ...['attachments/1/2/a.png?width=0', `external/${'A'.repeat(43)}/v2/aa`, 'external/'],
        ];
        const look = (ip: string, method: string, path: string) =>
          strict.anonymous.with({ 'x-forwarded-for': ip, 'sec-fetch-site': 'same-site' }).send(method, path);
        for (let n = 0; n < 42; n++) {
          const { status } = await look(viewer, n % 2 ? 'GET' : 'HEAD', `/media/${broken[n % broken.length]}`);
          expect([400, 401, 404]).toContain(status);
          await strict.idle();
        }
        expect((await look(viewer, 'GET', '/.well-known/service')).status).toBe(200);
        // Clients that request nonexistent paths are banned.
        const prober = address();
        for (let n = 0; n < 21; n++) {
          await look(prober, 'GET', `/v1/nothing/${n}`);
          await strict.idle();
        }
        await look(prober, 'GET', '/.well-known/service');
        await strict.idle();
        expectApiError(await look(prober, 'GET', '/.well-known/service'), 'GLOBAL_IP_TEMPORARILY_BANNED', {
          ...{ ip_address: prober, ban_kind: 'temporary_24h', expires_at: expect.any(String) },
          ...{ appeal_email: null, appeals_supported: false },
        });
      },
    );
  });

  test('9.1 digests of guesses are keyed, and are deleted with their window', async () => {
    const store = service.app.get(SharedStore);
    const kept: { key: string; member: string; seconds: number; at: number }[] = [];
    const distinct = store.distinct.bind(store);
    const spy = jest.spyOn(store, 'distinct').mockImplementation((key, member, seconds) => {
      kept.push({ key, member, seconds, at: service.clock.seconds() });
      return distinct(key, member, seconds);
    });
    const secret = token();
    for (const times of [1, 2]) {
      service.clock.advance({ seconds: 100 });
      await me(address(), secret);
      await eventually('a digest is kept', async () => kept.length === times || undefined);
    }
    spy.mockRestore();
    for (const { member, seconds, at } of kept) {
      // A second may begin before this test reads the clock.
      expect([0, 1]).toContain((at + seconds) % 300);
      for (const text of [secret, `session ${secret}`]) {
        expect(member).not.toBe(createHash('sha256').update(text).digest('base64url'));
      }
    }
    expect(kept[0]?.member).toBe(kept[1]?.member);
  });

  test.each([
    ['a documentation address', () => '203.0.113.7'],
    ['a private address', () => '10.1.2.3'],
    ['an exempt address', () => '9.8.7.6'],
  ])('9.1 %s causes no ban', async (_, of) => {
    for (let i = 0; i < 25; i++) await me(of(), token());
    expect(await isBanned(of())).toBe(false);
  });

  test('9.1 an Admin value elsewhere, and any value for a credential-free route, do not count as invalid credentials', async () => {
    const ip = address();
    for (let i = 0; i < 25; i++) await from(ip, `Admin fa_1_${randomBytes(16).toString('hex')}`).get('/v1/users/@me');
    expect(await isBanned(ip)).toBe(false);
    const free = address();
    for (let i = 0; i < 25; i++) await from(free, token()).get('/.well-known/service');
    expect(await isBanned(free)).toBe(false);
  });
});

describe('conventions 9.2 expired bans', () => {
  test('are removed from the memory of every replica, and active ones stay', async () => {
    await withGatehouse({}, async (service) => {
      const bans = service.app.get(IpBans);
      const passing = ['9.9.9.1', '9.9.8.0/24', '2a00:1450:4001:81b::/64', '2a00:1450::/32'];
      for (const value of passing) await ban(service, value, 60);
      await ban(service, '9.9.9.2', null);
      await ban(service, '9.9.9.3', 600);
      expect(bans.size).toBe(6);
      bans.sweep();
      expect(bans.size).toBe(6);
      service.clock.advance({ seconds: 61 });
      bans.sweep();
      expect(bans.size).toBe(2);
      expect([bans.find('9.9.9.1'), bans.find('2a00:1450:4001:81b::1')]).toEqual([null, null]);
      expect([bans.find('9.9.9.2')?.kind, bans.find('9.9.9.3')?.kind]).toEqual(['permanent', 'temporary_24h']);
      await ban(service, '9.9.9.1', 600);
      expect(bans.find('9.9.9.1')).not.toBeNull();
    });
  });
});

describe('conventions 9.1 the off switch', () => {
  test('signals are counted, and no IP address is banned', async () => {
    const service = await boot({ ABUSE_BANS: 'off' });
    const client = (credential: string) => service.as(credential).with({ 'x-forwarded-for': '9.9.255.1' });
    for (let i = 0; i < 25; i++) expectApiError(await client(token()).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await client(token()).get('/v1/users/@me'), 'UNAUTHORIZED');
    await service.close();
  });
});
