import { administrator, adminKey, setAcls, superuser } from '../support/admin.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
let clerk: Persona;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
  clerk = await administrator(service, 'user:lookup');
  alice = await person(service, 'alice');
  await service.sql("UPDATE account SET last_active_ip = '2001:db8::7', last_active_at = now() WHERE id = $1", [
    alice.id,
  ]);
});
afterAll(() => service.close());

const USERS = '/v1/admin/users';
const MEMBERS = [
  ...['id', 'username', 'discriminator', 'global_name', 'avatar', 'banner', 'bio', 'pronouns', 'locale'],
  ...['accent_color', 'bot', 'system', 'flags', 'email', 'email_verified', 'email_bounced', 'has_verified_phone'],
  ...['suspicious_activity_flags', 'banned', 'temp_banned_until', 'pending_deletion_at', 'deletion_reason_code'],
  ...['deletion_public_reason', 'acls', 'traits', 'has_totp', 'authenticator_types', 'sso_linked', 'created_at'],
  ...['last_active_at', 'last_active_ip'],
];

describe('admin.md 5.1 the Admin user', () => {
  test('has exactly the members of the contract, and no secret among them', async () => {
    const { body } = await service.as(root).get(`${USERS}/${alice.id}`);
    expect(Object.keys(body.users[0]).sort()).toEqual([...MEMBERS].sort());
    expect(body.users[0]).toMatchObject({
      id: alice.id,
      username: 'alice',
      discriminator: expect.stringMatching(/^\d{4}$/),
      flags: '0',
      email: alice.email,
      suspicious_activity_flags: 0,
      banned: false,
      temp_banned_until: null,
      acls: [],
      has_totp: false,
      authenticator_types: [],
      sso_linked: false,
      created_at: expect.stringMatching(/Z$/),
      last_active_ip: '2001:db8::7',
    });
  });

  test('email and IP address are redacted without the ACLs that show them', async () => {
    await service.sql('UPDATE account SET email_verified = true, email_bounced = true WHERE id = $1', [alice.id]);
    const read = async () => (await service.as(clerk).get(`${USERS}/${alice.id}`)).body.users[0];
    const hidden = { email: null, email_verified: false, email_bounced: false };
    expect(await read()).toMatchObject({ ...hidden, last_active_ip: null });
    await setAcls(service, clerk, ['admin:authenticate', 'user:lookup', 'user:view:email']);
    expect(await read()).toMatchObject({
      email: alice.email,
      email_verified: true,
      email_bounced: true,
      last_active_ip: null,
    });
    await setAcls(service, clerk, ['admin:authenticate', 'user:lookup', 'user:view:ip']);
    expect(await read()).toMatchObject({ ...hidden, last_active_ip: '2001:db8::7' });
    await setAcls(service, clerk, ['admin:authenticate', 'user:lookup']);
  });

  test('a key sees only what both the key and its owner may see', async () => {
    const key = await adminKey(service, root, 'user:lookup', 'user:view:ip');
    const { body } = await service.as(key).get(`${USERS}/${alice.id}`);
    expect(body.users[0]).toMatchObject({ email: null, last_active_ip: '2001:db8::7' });
  });

  test('the high bits of the flags are kept as an unsigned decimal', async () => {
    const flags = (1n << 62n) | (1n << 47n) | 1n;
    await service.sql('UPDATE account SET flags = $2 WHERE id = $1', [alice.id, String(flags)]);
    expect((await service.as(clerk).get(`${USERS}/${alice.id}`)).body.users[0].flags).toBe(String(flags));
    await service.sql('UPDATE account SET flags = 0 WHERE id = $1', [alice.id]);
  });
});

describe('admin.md 5.2 reads', () => {
  test('GET /users/{user_id} lists one account or none', async () => {
    expect((await service.as(clerk).get(`${USERS}/${alice.id}`)).body.users).toHaveLength(1);
    expect((await service.as(clerk).get(`${USERS}/1`)).body).toEqual({ users: [] });
    expectInvalid(await service.as(clerk).get(`${USERS}/one`), 'user_id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await service.as(clerk).get(`${USERS}/9223372036854775808`), 'user_id: SNOWFLAKE_OUT_OF_RANGE');
  });

  test("GET /users/@me shows the operator's own data unredacted, with the account's ACLs also for a key", async () => {
    const { body } = await service.as(clerk).get(`${USERS}/@me`);
    expect(body.user).toMatchObject({ id: clerk.id, email: clerk.email, acls: ['admin:authenticate', 'user:lookup'] });
    const key = await adminKey(service, root, 'admin:authenticate');
    expect((await service.as(key).get(`${USERS}/@me`)).body.user).toMatchObject({
      id: root.id,
      email: root.email,
      acls: ['*'],
    });
  });

  test('GET /users without a selector pages through all accounts, newest first', async () => {
    const all = (await service.as(clerk).get(USERS)).body;
    const ids = all.users.map(({ id }: { id: string }) => id);
    expect(all.total).toBe(ids.length);
    expect(ids).toEqual([...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? 1 : -1)));
    const page = (await service.as(clerk).get(USERS, { query: { limit: '1', offset: '1' } })).body;
    expect([page.total, page.users.map(({ id }: { id: string }) => id)]).toEqual([all.total, [ids[1]]]);
  });

  test('GET /users selects by IDs, tag, ID text, email and IP address', async () => {
    const found = async (query: string, as = root) => {
      const { status, body } = await service.as(as).get(`${USERS}?${query}`);
      expect(status).toBe(200);
      expect(body.total).toBe(body.users.length);
      return body.users.map(({ id }: { id: string }) => id);
    };
    const [{ discriminator }] = (await service.as(root).get(`${USERS}/${alice.id}`)).body.users;
    expect(await found(`user_id=${alice.id}`)).toEqual([alice.id]);
    expect(await found(`user_id=${alice.id}&user_id=${root.id}&user_id=1`)).toEqual([alice.id, root.id]);
    expect(await found(`resolve=ALICE%23${discriminator}`)).toEqual([alice.id]);
    expect(await found(`resolve=${alice.id}`)).toEqual([alice.id]);
    expect(await found(`resolve=${encodeURIComponent(alice.email.toUpperCase())}`)).toEqual([alice.id]);
    expect(await found(`email=${encodeURIComponent(alice.email)}`)).toEqual([alice.id]);
    expect(await found('email=%25')).toEqual([]);
    expect(await found('last_active_ip=2001:DB8:0::7')).toEqual([alice.id]);
    expect(await found('last_active_ip=2001:db8::8')).toEqual([]);
  });

  test('an email selector needs user:view:email, an IP address selector user:view:ip', async () => {
    const get = (query: string) => service.as(clerk).get(`${USERS}?${query}`);
    for (const query of ['email=a@example.com', 'resolve=a@example.com', 'last_active_ip=192.0.2.1']) {
      expectApiError(await get(query), 'MISSING_ACL');
    }
    expect((await get('resolve=1')).status).toBe(200);
  });

  test('selectors and pages are validated', async () => {
    const get = (query: string) => service.as(root).get(`${USERS}?${query}`);
    expectInvalid(await get('user_id=1&email=a@example.com'), 'root: INVALID_FORMAT');
    expectInvalid(await get('resolve=alice'), 'resolve: INVALID_FORMAT');
    expectInvalid(await get('resolve='), 'resolve: INVALID_FORMAT');
    expectInvalid(await get(`resolve=${'@'.repeat(321)}`), 'resolve: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await get('user_id=x'), 'user_id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await get('user_id=1&user_id=x'), 'user_id.1: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await get('user_id=1&'.repeat(101)), 'user_id: INVALID_FORMAT');
    expectInvalid(await get('last_active_ip=somewhere'), 'last_active_ip: INVALID_FORMAT');
    expectInvalid(await get(`email=${'x'.repeat(255)}`), 'email: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(await get('limit=201'), 'limit: INVALID_FORMAT');
    expectInvalid(await get('limit=1000000'), 'limit: INVALID_FORMAT');
    expectInvalid(await get('limit=1&limit=2'), 'limit: INVALID_FORMAT');
    expectInvalid(await get('offset=-1'), 'offset: INVALID_FORMAT');
  });
});
