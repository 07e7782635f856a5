import { administrator, adminKey, auditOf, superuser, withoutAudit } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

const KEYS = '/v1/admin/api-keys';

describe('admin.md 4 Admin API keys', () => {
  test('a key is shown once, has the form fa_<key_id>_<32>, and is listed without its secret', async () => {
    const { status, body } = await service
      .as(root)
      .post(KEYS, { name: '  robot  ', acls: ['user:lookup', 'user:lookup'] });
    expect(status).toBe(200);
    expect(body).toEqual({
      key_id: expect.stringMatching(/^\d+$/),
      key: expect.stringMatching(new RegExp(`^fa_${body.key_id}_[A-Za-z0-9]{32}$`)),
      name: 'robot',
      acls: ['user:lookup'],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: null,
    });
    const shown = await service.as(root).get(`${KEYS}/${body.key_id}`);
    const { key: _, ...rest } = body;
    expect(shown.body).toEqual({ ...rest, created_by_user_id: root.id, last_used_at: null });
    const list = await service.as(root).get(KEYS);
    expect(list.body[0]).toEqual(shown.body);
    expect(list.text).not.toContain(body.key.slice(-32));
    const [stored] = await service.sql('SELECT digest FROM admin_key WHERE id = $1', [body.key_id]);
    expect(Buffer.from(stored?.digest)).toHaveLength(32);
  });

  test('expiry is days from now; an expired key is 401, unlisted and unknown', async () => {
    const { body } = await service.as(root).post(KEYS, { name: 'short', acls: ['user:lookup'], expires_in_days: 30 });
    const days = (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    const client = service.as(`Admin ${body.key}`);
    expect((await client.get('/v1/admin/users/1')).status).toBe(200);
    await service.sql("UPDATE admin_key SET expires_at = expires_at - interval '31 days' WHERE id = $1", [body.key_id]);
    expectApiError(await client.get('/v1/admin/users/1'), 'UNAUTHORIZED');
    expectApiError(await service.as(root).get(`${KEYS}/${body.key_id}`), 'ADMIN_API_KEY_NOT_FOUND');
    expectApiError(await service.as(root).patch(`${KEYS}/${body.key_id}`, { name: 'x' }), 'ADMIN_API_KEY_NOT_FOUND');
    expectApiError(await service.as(root).delete(`${KEYS}/${body.key_id}`), 'ADMIN_API_KEY_NOT_FOUND');
    const list = await service.as(root).get(KEYS);
    expect(list.body.map(({ key_id }: { key_id: string }) => key_id)).not.toContain(body.key_id);
  });

  test('input is validated member by member, and an invalid request creates nothing', async () => {
    const bad = (body: object) => withoutAudit(service, () => service.as(root).post(KEYS, body));
    expectInvalid(await bad({}), 'name: INVALID_FORMAT', 'acls: INVALID_FORMAT');
    expectInvalid(await bad({ name: '   ', acls: [] }), 'name: INVALID_FORMAT');
    expectInvalid(await bad({ name: 'x'.repeat(101), acls: [] }), 'name: INVALID_FORMAT');
    expectInvalid(
      await bad({ name: 'x', acls: ['user:lookup', 'user:*', 7] }),
      'acls.1: INVALID_FORMAT',
      'acls.2: INVALID_FORMAT',
    );
    for (const days of [0, 366, 1.5, '30', null]) {
      expectInvalid(await bad({ name: 'x', acls: [], expires_in_days: days }), 'expires_in_days: INVALID_FORMAT');
    }
    expectInvalid(await service.as(root).get(`${KEYS}/abc`), 'key_id: INVALID_SNOWFLAKE_FORMAT');
  });

  test('no administrator puts an ACL on a key that they do not have themselves, at creation or later', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage', 'user:lookup');
    for (const acls of [['*'], ['user:lookup', 'audit_log:view']]) {
      expectApiError(
        await withoutAudit(service, () => service.as(clerk).post(KEYS, { name: 'x', acls })),
        'MISSING_ACL',
      );
    }
    const key = await adminKey(service, clerk, 'user:lookup');
    const edit = () => service.as(clerk).patch(`${KEYS}/${key.id}`, { acls: ['*'] });
    expectApiError(await withoutAudit(service, edit), 'MISSING_ACL');
    expect((await service.as(clerk).get(`${KEYS}/${key.id}`)).body.acls).toEqual(['user:lookup']);
  });

  test('an edit replaces name and ACLs, never secret or expiry; the ACLs apply from the next request', async () => {
    const { body } = await service.as(root).post(KEYS, { name: 'a', acls: ['user:lookup'], expires_in_days: 3 });
    const client = service.as(`Admin ${body.key}`);
    const edited = await service.as(root).patch(`${KEYS}/${body.key_id}`, { acls: [], expires_in_days: 300, key: 'x' });
    expect(edited.body).toMatchObject({ name: 'a', acls: [], expires_at: body.expires_at });
    expectApiError(await client.get('/v1/admin/users/1'), 'MISSING_ACL');
    await service.as(root).patch(`${KEYS}/${body.key_id}`, { name: 'b', acls: ['audit_log:view'] });
    expect((await client.get('/v1/admin/audit-logs?limit=1')).status).toBe(200);
    expectInvalid(await service.as(root).patch(`${KEYS}/${body.key_id}`, { name: null }), 'name: INVALID_FORMAT');
  });

  test('a revoked key is rejected from the next request; revoking it again is 404', async () => {
    const key = await adminKey(service, root, 'user:lookup');
    const revoked = await service.as(root).delete(`${KEYS}/${key.id}`);
    expect([revoked.status, revoked.body]).toEqual([200, { success: true }]);
    expectApiError(await service.as(key).get('/v1/admin/users/1'), 'UNAUTHORIZED');
    expectApiError(
      await withoutAudit(service, () => service.as(root).delete(`${KEYS}/${key.id}`)),
      'ADMIN_API_KEY_NOT_FOUND',
    );
  });

  test('keys of other accounts are unknown, even with the wildcard', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage');
    const key = await adminKey(service, clerk);
    const path = `${KEYS}/${key.id}`;
    expectApiError(await service.as(root).get(path), 'ADMIN_API_KEY_NOT_FOUND');
    expectApiError(await service.as(root).patch(path, { name: 'mine' }), 'ADMIN_API_KEY_NOT_FOUND');
    expectApiError(await service.as(root).delete(path), 'ADMIN_API_KEY_NOT_FOUND');
    expect((await service.as(clerk).get(KEYS)).body).toHaveLength(1);
  });

  test('a key reads keys but cannot create, strengthen or revoke them', async () => {
    const key = await adminKey(service, root, '*');
    const client = service.as(key);
    expect((await client.get(`${KEYS}/${key.id}`)).status).toBe(200);
    for (const refused of [
      () => client.post(KEYS, { name: 'x', acls: [] }),
      () => client.patch(`${KEYS}/${key.id}`, { acls: ['*'] }),
      () => client.delete(`${KEYS}/${key.id}`),
    ]) {
      expectApiError(await withoutAudit(service, refused), 'ACCESS_DENIED');
    }
  });

  test('members that name another owner are ignored', async () => {
    const victim = await administrator(service, 'admin_api_key:manage');
    const { body } = await service
      .as(root)
      .post(KEYS, { name: 'x', acls: [], user_id: victim.id, created_by_user_id: victim.id, owner_id: victim.id });
    expect((await service.as(root).get(`${KEYS}/${body.key_id}`)).body.created_by_user_id).toBe(root.id);
    expect((await service.as(victim).get(KEYS)).body).toEqual([]);
  });

  test('last_used_at is written when the key is used', async () => {
    const key = await adminKey(service, root, 'admin_api_key:manage');
    expect((await service.as(key).get(`${KEYS}/${key.id}`)).body.last_used_at).toEqual(expect.any(String));
  });

  test('other forms of a key are 401', async () => {
    const { authorization } = await adminKey(service, root, 'user:lookup');
    const key = authorization.slice('Admin '.length);
    const forms = [
      `admin ${key}`,
      `Admin ${key.toUpperCase()}`,
      `Admin ${key.slice(0, -1)}`,
      `Admin ${key}a`,
      `Bearer ${key}`,
    ];
    for (const form of [
      ...forms,
      key,
      `Bot ${key}`,
      `Admin ${key.slice(3)}`,
      `Admin  ${key}`,
      `Admin ${key.replace('fa_', 'fa_0')}`,
    ]) {
      expectApiError(await service.as(form).get('/v1/admin/users/1'), 'UNAUTHORIZED');
    }
  });

  test('at most 50 active keys, also for parallel requests; expired ones do not count', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage');
    const make = () => service.as(clerk).post(KEYS, { name: 'x', acls: [] });
    for (let n = 0; n < 30; n++) await make();
    const responses = await Promise.all(Array.from({ length: 32 }, make));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectApiError(response, 'MAX_ADMIN_API_KEYS');
    await service.sql(
      'UPDATE admin_key SET expires_at = now() WHERE id = (SELECT max(id) FROM admin_key WHERE owner_id = $1)',
      [clerk.id],
    );
    expect((await make()).status).toBe(200);
  });

  test('every mutation is audited with key and ACLs in registry order, never with the key itself', async () => {
    const { body } = await service
      .as(root)
      .with({ 'x-audit-log-reason': ' quarterly rotation ' })
      .post(KEYS, { name: 'audited', acls: ['user:lookup', 'acl:set:user'] });
    await service.as(root).patch(`${KEYS}/${body.key_id}`, { acls: ['audit_log:view'] });
    await service.as(root).delete(`${KEYS}/${body.key_id}`);
    const entries = (await auditOf(service)).filter(({ target_id }) => target_id === body.key_id);
    expect(entries.map(({ action, reason, metadata }) => [action, reason, metadata])).toEqual([
      ['create_api_key', 'quarterly rotation', { key_id: body.key_id, acls: 'acl:set:user,user:lookup' }],
      [
        'update_api_key',
        null,
        { key_id: body.key_id, old_acls: 'acl:set:user,user:lookup', new_acls: 'audit_log:view' },
      ],
      ['revoke_api_key', null, { key_id: body.key_id }],
    ]);
  });
});

describe('admin.md 4 deletion of the owner', () => {
  test('deletes the keys', async () => {
    const clerk = await administrator(service, 'admin_api_key:manage');
    const key = await adminKey(service, clerk);
    await service.sql("UPDATE account SET deletion_at = now() - interval '1 second' WHERE id = $1", [clerk.id]);
    await runCleanup(service);
    expect(await service.sql('SELECT id FROM admin_key WHERE id = $1', [key.id])).toEqual([]);
    expectApiError(await service.as(key).get(KEYS), 'UNAUTHORIZED');
  });
});
