import { administrator, auditOf, superuser } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  type Persona,
  person,
  signIn,
} from '../support/index.js';

let service: Gatehouse;
let root: Persona;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { SMS_TRANSPORT: 'inbox' } });
  root = await superuser(service);
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

const USERS = '/v1/admin/users';
const ENTRIES = '/v1/admin/blocklists/ip/entries';
const found = async (query: Record<string, string>, by: Persona = root) => {
  const { body } = await service.as(by).get(USERS, { query });
  return [body.total, body.users.map(({ id }: { id: string }) => id)];
};

describe('web.md 4 search', () => {
  test('a name without a discriminator finds all users who have it, regardless of spelling', async () => {
    const other = await person(service, 'alice');
    expect(await found({ username: 'ALICE' })).toEqual([2, [other.id, alice.id]]);
    expect(await found({ username: 'ali' })).toEqual([0, []]);
  });

  test('a verified number finds its account, if the caller may change it', async () => {
    const phone = '+493022222222';
    const me = service.as(alice);
    await me.post('/v1/users/@me/phone/send-verification', { phone });
    const { code } = (await mailTo(service, phone, 'phone_verification')).metadata;
    await me.post('/v1/users/@me/phone/verify', { phone, code });
    expect(await found({ phone })).toEqual([1, [alice.id]]);
    expect(await found({ phone: '+493022222223' })).toEqual([0, []]);
    const clerk = await administrator(service, 'user:lookup');
    expectApiError(await service.as(clerk).get(USERS, { query: { phone } }), 'MISSING_ACL');
    const wrong = await service.as(root).get(USERS, { query: { phone: '0301' } });
    expectInvalid(wrong, 'phone: PHONE_NUMBER_INVALID_FORMAT');
  });

  test('the ID hash of a session finds its account, ended or not, if the caller may see sessions', async () => {
    const session = await signIn(service, alice);
    const [{ id_hash: hash }] = (await service.as(session).get('/v1/auth/sessions')).body;
    expect(await found({ session_id_hash: hash })).toEqual([1, [alice.id]]);
    await service.as(session).post('/v1/auth/logout');
    expect(await found({ session_id_hash: hash })).toEqual([1, [alice.id]]);
    expect(await found({ session_id_hash: 'A'.repeat(43) })).toEqual([0, []]);
    const clerk = await administrator(service, 'user:lookup');
    expectApiError(await service.as(clerk).get(USERS, { query: { session_id_hash: hash } }), 'MISSING_ACL');
    for (const wrong of ['A'.repeat(42), `${'A'.repeat(42)}=`]) {
      const response = await service.as(root).get(USERS, { query: { session_id_hash: wrong } });
      expectInvalid(response, 'session_id_hash: INVALID_FORMAT');
    }
    const two = await service.as(root).get(USERS, { query: { session_id_hash: hash, username: 'alice' } });
    expectInvalid(two, 'root: INVALID_FORMAT');
  });
});

describe('web.md 4 a user', () => {
  test('networks are those that need no confirmation; reading them is audited', async () => {
    const path = `${USERS}/${alice.id}/networks`;
    await service.sql("INSERT INTO authorized_ip (account_id, ip_key) VALUES ($1, '2001:db8:7:7::/64')", [alice.id]);
    const { status, body } = await service.as(root).get(path);
    expect(status).toBe(200);
    const network = (name: string) => ({ network: name, created_at: expect.stringMatching(/Z$/) });
    expect(body).toEqual({ networks: [network('2001:db8:7:7::/64'), network('127.0.0.1')] });
    expect((await auditOf(service, 'list_user_networks')).at(-1)).toMatchObject({
      ...{ target_type: 'user', target_id: alice.id, metadata: { network_count: '2' } },
    });
    const clerk = await administrator(service, 'user:list:sessions');
    expectApiError(await service.as(clerk).get(path), 'MISSING_ACL');
    expectApiError(await service.as(root).get(`${USERS}/1/networks`), 'UNKNOWN_USER');
  });

  test('the single sign-on identity is shown only to callers who may change it', async () => {
    const path = `${USERS}/${alice.id}/sso-identity`;
    expect((await service.as(root).get(path)).body).toEqual({ identities: [] });
    const identity = { issuer: 'https://idp.example', subject: 'alice-7' };
    await service.sql('INSERT INTO sso_identity (issuer, subject, account_id) VALUES ($1, $2, $3)', [
      ...[identity.issuer, identity.subject, alice.id],
    ]);
    expect((await service.as(root).get(path)).body).toEqual({
      identities: [{ connection_id: null, ...identity }],
    });
    expectApiError(await service.as(await administrator(service, 'user:lookup')).get(path), 'MISSING_ACL');
    expectApiError(await service.as(root).get(`${USERS}/1/sso-identity`), 'UNKNOWN_USER');
  });
});

describe('web.md 4 ACLs', () => {
  test('the registry lists the ACLs that each operation requires', async () => {
    const { operations } = (await service.as(root).get('/v1/admin/acls')).body;
    const of = (wanted: string) =>
      operations.find(({ method, path }: { method: string; path: string }) => `${method} ${path}` === wanted);
    expect(of('GET /v1/admin/users/:user_id/networks')).toEqual({
      ...{ method: 'GET', path: '/v1/admin/users/:user_id/networks' },
      ...{ mode: 'all', acls: ['user:list:sessions', 'user:view:ip'] },
    });
    expect(of('GET /v1/admin/applications')).toMatchObject({ mode: 'any' });
    expect(of('GET /v1/users/@me')).toBeUndefined();
  });
});

describe('web.md 4 bans', () => {
  test('a ban expires after the given hours, and replaces the previous one', async () => {
    const ban = (body: object) => service.as(root).post(ENTRIES, { ip: '101.5.5.5', ...body });
    const entry = async () => (await service.as(root).get(ENTRIES)).body.items[0];
    expect((await ban({})).status).toBe(204);
    expect(await entry()).toMatchObject({ kind: 'permanent', expires_at: null, signals: null });
    expect((await ban({ duration_hours: 3 })).status).toBe(204);
    const { kind, reason, expires_at, created_by_user_id } = await entry();
    expect([kind, reason, created_by_user_id]).toEqual(['temporary_24h', 'platform_admin_enforcement', root.id]);
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(2.9);
    expect(hours).toBeLessThan(3.1);
    expect((await auditOf(service, 'ban_ip')).at(-1)).toMatchObject({
      metadata: { value: '101.5.5.5', duration_hours: '3' },
    });
    expect((await ban({ duration_hours: 0 })).status).toBe(204);
    expect(await entry()).toMatchObject({ kind: 'permanent', expires_at: null });
    for (const hours of [-1, 8761, 1.5, '3']) {
      expectInvalid(await ban({ duration_hours: hours }), 'duration_hours: INVALID_FORMAT');
    }
  });
});
