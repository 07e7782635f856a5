import { expectApiError, type Gatehouse, gatehouse, person } from '../support/index.js';

const BALANCER = '127.0.0.9';

describe('conventions.md 1: the client address behind a proxy', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { TRUSTED_PROXIES: `${BALANCER},127.0.0.10`, RATE_LIMITS: 'on' } });
  });
  afterAll(() => service.close());

  const through = (forwarded?: string) =>
    service.anonymous.from(BALANCER).with(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
  const warnings = () => service.log.filter((line) => line.includes('TRUSTED_PROXIES'));
  /** Returns the remaining rate limit. Each IP address has its own, so the value shows which IP address was used. */
  const left = async (forwarded: string): Promise<number> => {
    const { status, headers } = await through(forwarded).get('/.well-known/service');
    expect(status).toBe(200);
    return Number(headers.get('x-ratelimit-remaining'));
  };

  test('if every hop is trusted, the leftmost counts', async () => {
    expect(await left('127.0.0.10')).toBe(59);
    expect(await left(`127.0.0.10, ${BALANCER}`)).toBe(58);
    expect(await left(`${BALANCER}, 127.0.0.10`)).toBe(59);
    expect(await left(`198.51.100.7, 127.0.0.10, ${BALANCER}`)).toBe(59);
    expect(await left(`127.0.0.10, 198.51.100.7, ${BALANCER}`)).toBe(58);
  });

  test('a port of a hop is removed; a malformed port is rejected', async () => {
    expect(await left('198.51.100.20')).toBe(59);
    expect(await left('198.51.100.20:443')).toBe(58);
    expect(await left(`198.51.100.20:65535, 127.0.0.10:8080, ${BALANCER}:1`)).toBe(57);
    expect(await left('[::ffff:198.51.100.20]:443')).toBe(56);
    expect(await left('2001:db8:7::1')).toBe(59);
    expect(await left('[2001:db8:7::1]:443')).toBe(58);
    // Without brackets, the last group is part of the IP address.
    expect(await left('2001:db8:7::1:443')).toBe(57);
    const unreadable = [
      ...['198.51.100.20:', '198.51.100.20:x', '198.51.100.20:65536', '198.51.100.20:443:1', ':443', '[]:443'],
      ...[
        '[2001:db8:7::1]:',
        '[2001:db8:7::1]:-1',
        '[2001:db8:7::1',
        '[198.51.100.20]:443',
        '010.0.0.1:80',
        '1.2.3:80',
      ],
      ...['[fe80::1%eth0]:443', 'localhost:443', `[${':'.repeat(8000)}`],
    ];
    for (const forwarded of unreadable) {
      expectApiError(await through(forwarded).get('/.well-known/service'), 'FORBIDDEN');
    }
    // The cause is logged once per minute. After 61 s, the next warning belongs to the next test.
    service.clock.advance({ seconds: 61 });
  });

  test('requests of a proxy that omits the client address are rejected, and logged once a minute', async () => {
    const before = warnings().length;
    const account = { email: 'ada@example.com', password: 'a long enough password' };
    for (const forwarded of [undefined, '', 'unknown', '198.51.100.7, nonsense']) {
      for (let time = 0; time < 3; time++) {
        expectApiError(await through(forwarded).post('/v1/auth/register', account), 'FORBIDDEN');
      }
    }
    expect(await service.sql("SELECT 1 FROM account WHERE email = 'ada@example.com'")).toEqual([]);
    expect(warnings()).toHaveLength(before + 1);
    expect(JSON.parse(warnings().at(-1) as string)).toMatchObject({
      level: 40,
      msg: 'requests rejected: a proxy in TRUSTED_PROXIES sends no X-Forwarded-For',
      peer: BALANCER,
    });
    service.clock.advance({ seconds: 61 });
    expectApiError(await through('unknown').get('/v1/users/@me'), 'FORBIDDEN');
    expectApiError(await through('unknown').get('/v1/users/@me'), 'FORBIDDEN');
    expect(warnings()).toHaveLength(before + 2);
    expect(warnings().at(-1)).toContain('an invalid X-Forwarded-For');
  });

  test('requests from the same machine and probes of the proxy itself are accepted', async () => {
    const direct = service.anonymous.from('127.0.0.1');
    expect((await direct.get('/.well-known/service')).status).toBe(200);
    expect((await through().get('/health/live')).status).toBe(200);
    expect((await through().get('/health/ready')).status).toBe(200);
    expect((await person(service)).authorization).toMatch(/^flx_/);
  });
});
