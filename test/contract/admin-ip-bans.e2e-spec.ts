import { IpBans } from '../../src/bans/ip-bans.service.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { administrator, auditOf, setAcls, withoutAudit } from '../support/admin.js';
import {
  ban as banAddress,
  type Client,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
} from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse({
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      IP_BAN_EXEMPT: '198.51.100.0/24,2001:db8:ffff::/48',
      APPEAL_EMAIL: 'us@example.com',
    },
  });
  root = await person(behind('198.51.100.1'), 'root');
  await setAcls(service, root, ['*']);
});
afterAll(() => service.close());

/** The service as a client with this IP address reaches it through the proxy. */
function behind(address: string): Gatehouse {
  const through = (client: Client) => client.with({ 'x-forwarded-for': address });
  return { ...service, anonymous: through(service.anonymous), as: (credential) => through(service.as(credential)) };
}

const ENTRIES = '/v1/admin/blocklists/ip/entries';
const office = () => behind('198.51.100.1').as(root);
const ban = (ip: unknown) => office().post(ENTRIES, { ip });
const entry = (value: string) => `${ENTRIES}/${encodeURIComponent(value)}`;
const isBanned = async (value: string) => {
  const { status, body } = await office().get(entry(value));
  expect(status).toBe(200);
  return body.banned;
};
const visit = (address: string) => behind(address).anonymous.get('/.well-known/service');

describe('admin.md 8 a banned IP address', () => {
  test('is blocked immediately and permanently, on every route, before its credential is checked', async () => {
    expect((await visit('203.0.113.9')).status).toBe(200);
    const { status, text, headers } = await ban('203.0.113.9');
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null]);
    const members = {
      ip_address: '203.0.113.9',
      ban_kind: 'permanent',
      expires_at: null,
      appeal_email: 'us@example.com',
      appeals_supported: true,
    };
    expectApiError(await visit('203.0.113.9'), 'GLOBAL_IP_BANNED', members);
    expectApiError(await behind('203.0.113.9').as(root).get('/v1/admin/acls'), 'GLOBAL_IP_BANNED', members);
    expect((await behind('203.0.113.9').anonymous.get('/health/live')).status).toBe(200);
    expect((await visit('203.0.113.10')).status).toBe(200);
    expect(await isBanned('203.0.113.9')).toBe(true);
    expect(await isBanned('203.0.113.10')).toBe(false);
  });

  test('in IPv6 is banned by its /64, in any spelling', async () => {
    await ban('2001:DB8:1:2:0:0:0:7');
    for (const address of ['2001:db8:1:2::7', '2001:db8:1:2:ffff::1']) {
      expectApiError(await visit(address), 'GLOBAL_IP_BANNED', { ip_address: address });
      expect(await isBanned(address)).toBe(true);
    }
    expect((await visit('2001:db8:1:3::7')).status).toBe(200);
    expect((await auditOf(service, 'ban_ip')).at(-1)).toMatchObject({
      target_type: 'ip_ban',
      target_id: '2001:db8:1:2::7',
      metadata: { value: '2001:db8:1:2::7' },
    });
  });

  test('can be a range of either kind', async () => {
    await ban('203.0.112.0/25');
    await ban('2001:db8:a000::/36');
    for (const address of ['203.0.112.0', '203.0.112.127', '2001:db8:afff:1::1']) {
      expectApiError(await visit(address), 'GLOBAL_IP_BANNED');
      expect(await isBanned(address)).toBe(true);
    }
    for (const address of ['203.0.112.128', '2001:db8:b000::1']) expect((await visit(address)).status).toBe(200);
  });

  test('written as IPv4-mapped IPv6 equals the IPv4 address', async () => {
    await ban('::ffff:203.0.113.77');
    expectApiError(await visit('203.0.113.77'), 'GLOBAL_IP_BANNED');
    expect(await isBanned('::ffff:203.0.113.77')).toBe(true);
    expect((await office().delete(entry('203.0.113.77'))).status).toBe(204);
    expect((await visit('203.0.113.77')).status).toBe(200);
  });

  test('is allowed again immediately when the ban is lifted, and lifting is repeatable', async () => {
    await ban('203.0.113.20');
    for (let n = 0; n < 2; n++) expect((await office().delete(entry('203.0.113.20'))).status).toBe(204);
    expect((await visit('203.0.113.20')).status).toBe(200);
    expect((await auditOf(service, 'unban_ip')).slice(-2).map(({ target_id }) => target_id)).toEqual([
      '203.0.113.20',
      '203.0.113.20',
    ]);
  });

  test('stays banned by a range that contains it if only its own ban is lifted', async () => {
    await ban('203.0.115.0/24');
    await ban('203.0.115.5');
    await office().delete(entry('203.0.115.5'));
    expectApiError(await visit('203.0.115.5'), 'GLOBAL_IP_BANNED');
    await office().delete(entry('203.0.115.0/24'));
    expect((await visit('203.0.115.5')).status).toBe(200);
  });
});

describe('admin.md 8 temporary bans', () => {
  const automatic = (value: string, seconds: number) => banAddress(service, value, seconds);

  test('expire, and return the time', async () => {
    await automatic('203.0.113.30', 3600);
    const { body } = await visit('203.0.113.30');
    expect(body).toMatchObject({
      code: 'GLOBAL_IP_TEMPORARILY_BANNED',
      ban_kind: 'temporary_24h',
      appeals_supported: false,
    });
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    service.clock.advance({ minutes: 61 });
    expect((await visit('203.0.113.30')).status).toBe(200);
    service.clock.advance({ minutes: -61 });
  });

  test('are lifted by IP address, also for the /64 of an IPv6 address', async () => {
    await automatic('2001:db8:5:6::/64', 3600);
    expectApiError(await visit('2001:db8:5:6::99'), 'GLOBAL_IP_TEMPORARILY_BANNED');
    await office().delete(entry('2001:db8:5:6::99'));
    expect((await visit('2001:db8:5:6::99')).status).toBe(200);
  });

  test('never replace a permanent ban, which replaces them', async () => {
    await automatic('203.0.113.31', 3600);
    await ban('203.0.113.31');
    expectApiError(await visit('203.0.113.31'), 'GLOBAL_IP_BANNED');
    await automatic('203.0.113.31', 3600);
    expectApiError(await visit('203.0.113.31'), 'GLOBAL_IP_BANNED');
  });
});

describe('admin.md 8 what cannot be banned', () => {
  test('exempt, private and loopback addresses, proxies and the operator: declined, audited, without effect', async () => {
    const declined = [
      ...['198.51.100.77', '198.51.0.0/16', '2001:db8:ffff::1', '2001:db8:ffff::/64'],
      ...['127.0.0.1', '127.0.0.0/8', '10.1.2.3', '10.0.0.0/8', '172.16.0.1', '192.168.0.0/24', '169.254.1.1'],
      ...['100.64.0.1', '::1', 'fc00::1', 'fe80::1', '0.0.0.0', '::ffff:10.0.0.1'],
    ];
    const before = (await auditOf(service, 'ban_ip')).length;
    for (const ip of declined) expectApiError(await ban(ip), 'IP_BAN_DECLINED');
    expect(await auditOf(service, 'ban_ip_declined')).toHaveLength(declined.length);
    expect(await auditOf(service, 'ban_ip')).toHaveLength(before);
    const own = behind('203.0.113.50').as(root).post(ENTRIES, { ip: '203.0.113.0/26' });
    expectApiError(await own, 'IP_BAN_DECLINED');
    expect(await isBanned('203.0.113.50')).toBe(false);
  });

  test('values that are not IP addresses, have host bits, or are wider than /8 and /32', async () => {
    const bad = [
      '',
      'somewhere',
      '203.0.113',
      '203.0.113.256',
      '203.0.113.07',
      '0x7f.1',
      '203.0.113.1/24',
      '203.0.113.0/33',
    ];
    const wide = ['0.0.0.0/0', '128.0.0.0/7', '2000::/31', '::/0', '203.0.113.1%eth0', 'fe80::1%1', '2001:db8::1/64'];
    for (const ip of [...bad, ...wide, 7, null, undefined, ['203.0.113.1']]) {
      expectInvalid(await withoutAudit(service, () => ban(ip)), 'ip: INVALID_FORMAT');
    }
    expectInvalid(await ban('1'.repeat(46)), 'ip: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await office().delete(entry('somewhere')), 'value: INVALID_FORMAT');
    expectInvalid(await office().delete(entry('203.0.113.1/24')), 'value: INVALID_FORMAT');
  });

  test('a check names the entry that blocks the IP address, permanent entries first', async () => {
    const check = async (value: string) => (await office().get(entry(value))).body;
    expect(await check('203.0.118.5')).toEqual({ banned: false, entry: null });
    await banAddress(service, '203.0.118.5', 3600);
    expect(await check('203.0.118.5')).toMatchObject({ banned: true, entry: { value: '203.0.118.5' } });
    await ban('203.0.118.0/24');
    expect(await check('203.0.118.5')).toEqual({
      banned: true,
      entry: {
        ...{ value: '203.0.118.0/24', kind: 'permanent', reason: 'platform_admin_enforcement', expires_at: null },
        ...{ created_at: expect.stringMatching(/Z$/), created_by_user_id: root.id, signals: null },
      },
    });
    await banAddress(service, '2001:db8:118:1::/64', 3600);
    expect(await check('2001:db8:118:1::9')).toMatchObject({ entry: { value: '2001:db8:118:1::/64' } });
  });

  test('a check of a range, of an invalid value or of an exempt address is false', async () => {
    await ban('203.0.114.0/24');
    for (const value of ['203.0.114.0/24', 'junk', '198.51.100.1', 'x'.repeat(5000), '%00', '203.0.114']) {
      expect(await isBanned(value)).toBe(false);
    }
    await service.sql("INSERT INTO ip_ban (value, kind, reason) VALUES ('198.51.100.9', 'permanent', 'automatic')");
    await service.app.get(IpBans).onModuleInit();
    expect((await visit('198.51.100.9')).status).toBe(200);
  });
});

describe('admin.md 8 the list', () => {
  test('is ordered and paged by value, without expired bans', async () => {
    await service.sql('DELETE FROM ip_ban');
    for (const ip of ['203.0.113.9', '203.0.113.10', '2001:db8::1', '203.0.112.0/24']) await ban(ip);
    await service.sql(
      "INSERT INTO ip_ban (value, kind, reason, expires_at) VALUES ('203.0.113.1', 'temporary_24h', 'automatic', now())",
    );
    const first = (await office().get(ENTRIES, { query: { limit: '3' } })).body;
    expect(first).toEqual({
      items: ['2001:db8::1', '203.0.112.0/24', '203.0.113.10'].map((value) => ({
        value,
        kind: 'permanent',
        reason: 'platform_admin_enforcement',
        expires_at: null,
        created_at: expect.stringMatching(/Z$/),
        created_by_user_id: root.id,
        signals: null,
      })),
      has_more: true,
      next_after: '203.0.113.10',
    });
    const rest = (await office().get(ENTRIES, { query: { after: first.next_after } })).body;
    expect(rest).toMatchObject({ items: [{ value: '203.0.113.9' }], has_more: false, next_after: null });
    expectInvalid(await office().get(ENTRIES, { query: { limit: '201' } }), 'limit: INVALID_FORMAT');
    expectInvalid(
      await office().get(ENTRIES, { query: { after: 'x'.repeat(65) } }),
      'after: CONTENT_EXCEEDS_MAX_LENGTH',
    );
  });

  test('each operation has its own ACL', async () => {
    const clerk = await administrator(behind('198.51.100.2'), 'ban:ip:check');
    const client = behind('198.51.100.2').as(clerk);
    expect((await client.get(ENTRIES)).status).toBe(200);
    expectApiError(await client.post(ENTRIES, { ip: '203.0.113.200' }), 'MISSING_ACL');
    expectApiError(await client.delete(entry('203.0.113.200')), 'MISSING_ACL');
  });
});

describe('IPB-11 bans on every replica', () => {
  test('a replica receives changes, and reloads everything after it lost the connection', async () => {
    const replica = service.app.get(ReplicaBus) as unknown as {
      deliver(notice: object, concerns: () => boolean): Promise<void>;
    };
    await service.sql("INSERT INTO ip_ban (value, kind, reason) VALUES ('203.0.113.60', 'permanent', 'automatic')");
    expect((await visit('203.0.113.60')).status).toBe(200);
    await replica.deliver({ topic: 'ip-ban', data: { values: ['203.0.113.60'] } }, () => true);
    expectApiError(await visit('203.0.113.60'), 'GLOBAL_IP_BANNED');
    await service.sql("DELETE FROM ip_ban WHERE value = '203.0.113.60'");
    await replica.deliver({ topic: 'resync', data: {} }, () => true);
    expect((await visit('203.0.113.60')).status).toBe(200);
  });
});
