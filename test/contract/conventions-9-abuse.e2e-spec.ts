import { randomBytes } from 'node:crypto';
import { GatewayClient } from '../support/gateway-client.js';
import { type Answer, expectRefusal, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

const token = (): string => `flx_${randomBytes(18).toString('hex')}`;
let next = 1;
/** A public address that no other test uses. */
const address = (): string => `9.9.${next >> 8}.${next++ & 255}`;

async function boot(env: Record<string, string> = {}): Promise<Gatehouse> {
  return gatehouse({ env: { TRUSTED_PROXIES: '127.0.0.1', APPEAL_EMAIL: 'appeals@example.com', ...env } });
}

describe('conventions 9 repeated failures of an address', () => {
  let service: Gatehouse;
  let alice: Persona;
  beforeAll(async () => {
    service = await boot({ IP_BAN_EXEMPT: '9.8.0.0/16' });
    alice = await person({ ...service, anonymous: service.anonymous.with({ 'x-forwarded-for': address() }) }, 'alice');
  });
  afterAll(() => service.close());

  const from = (ip: string, credential?: string) =>
    (credential === undefined ? service.anonymous : service.as(credential)).with({ 'x-forwarded-for': ip });
  const me = (ip: string, credential?: string): Promise<Answer> => from(ip, credential).get('/v1/users/@me');
  const isBanned = async (ip: string): Promise<boolean> => {
    // The signal is recorded after the answer: a banned address is refused within a few more requests.
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await me(ip, alice.authorization)).status === 403) return true;
    }
    return false;
  };

  test('9.1 twenty different dead credentials in one window ban at once, for a day', async () => {
    const ip = address();
    for (let i = 0; i < 19; i++) expectRefusal(await me(ip, token()), 'UNAUTHORIZED');
    expect(await isBanned(ip)).toBe(false);
    await me(ip, token());
    expect(await isBanned(ip)).toBe(true);
    const refused = await from(ip).get('/.well-known/service');
    expectRefusal(refused, 'GLOBAL_IP_TEMPORARILY_BANNED', {
      ip_address: ip,
      ban_kind: 'temporary_24h',
      appeal_email: 'appeals@example.com',
      appeals_supported: false,
    });
    const left = Date.parse(refused.body.expires_at) - service.clock.now();
    expect(Math.abs(left - 86_400_000)).toBeLessThan(60_000);
    expect((await me(address(), alice.authorization)).status).toBe(200);
  });

  test('9.1 IPv6 counts by its /64', async () => {
    const host = (part: number) => `2a00:1450:4001:81b::${part.toString(16)}`;
    for (let i = 1; i <= 20; i++) await me(host(i), token());
    expect(await isBanned(host(99))).toBe(true);
    expect(await isBanned('2a00:1450:4001:81c::1')).toBe(false);
  });

  test('9.1 one credential, however often, is one; a score of 60 is a strike, three strikes in an hour ban', async () => {
    const ip = address();
    const same = token();
    for (let window = 1; window <= 3; window++) {
      // 0.75 for the 401 and 1 for the dead credential.
      for (let i = 0; i < 35; i++) await me(ip, same);
      expect(await isBanned(ip)).toBe(window === 3);
      service.clock.advance({ minutes: 5 });
    }
  });

  test('9.1 failed client authentication and a refused Identify are dead credentials too', async () => {
    const client = address();
    for (let i = 0; i < 20; i++) {
      const answer = await from(client).form('/v1/oauth2/token', {
        client_id: '1',
        client_secret: token(),
        grant_type: 'refresh_token',
      });
      expectRefusal(answer, 'INVALID_CLIENT');
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

  test.each([
    ['a documentation address', () => '203.0.113.7'],
    ['a private address', () => '10.1.2.3'],
    ['an exempt address', () => '9.8.7.6'],
  ])('9.1 %s earns no ban', async (_, of) => {
    for (let i = 0; i < 25; i++) await me(of(), token());
    expect(await isBanned(of())).toBe(false);
  });

  test('9.1 an Admin value elsewhere, and what a credential-free route is sent, are no dead credentials', async () => {
    const ip = address();
    for (let i = 0; i < 25; i++) await from(ip, `Admin fa_1_${randomBytes(16).toString('hex')}`).get('/v1/users/@me');
    expect(await isBanned(ip)).toBe(false);
    const free = address();
    for (let i = 0; i < 25; i++) await from(free, token()).get('/.well-known/service');
    expect(await isBanned(free)).toBe(false);
  });
});

describe('conventions 9.1 the off switch', () => {
  test('signals are counted, nothing is banned', async () => {
    const service = await boot({ ABUSE_BANS: 'off' });
    const client = (credential: string) => service.as(credential).with({ 'x-forwarded-for': '9.9.255.1' });
    for (let i = 0; i < 25; i++) expectRefusal(await client(token()).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectRefusal(await client(token()).get('/v1/users/@me'), 'UNAUTHORIZED');
    await service.close();
  });
});
