import {
  administrator,
  adminKey,
  auditOf,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  race,
  superuser,
  withoutAudit,
} from '../support/index.js';

const ROLES = '/v1/admin/roles';
const UNKNOWN = '1501314428688998182';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());
beforeEach(() => service.sql('DELETE FROM admin_role'));

type Role = { readonly id: string; readonly name: string; readonly acls: readonly string[] };

const stored = () => service.sql('SELECT id, name, name_key, acls FROM admin_role ORDER BY id');
const list = async (): Promise<Role[]> => (await service.as(root).get(ROLES).expect(200)).body.roles;
const create = async (name: string, ...acls: string[]): Promise<Role> =>
  (await service.as(root).post(ROLES, { name, acls }).expect(200)).body;
const aclsOf = async ({ id }: { id: string }) =>
  (await service.sql('SELECT acls FROM account WHERE id = $1', [id]))[0]?.acls;

/** Asserts that the rejected request changes no role and adds no entry to the audit log. */
async function withoutEffect<T>(refused: () => Promise<T>): Promise<T> {
  const before = await stored();
  const response = await withoutAudit(service, refused);
  expect(await stored()).toEqual(before);
  return response;
}

describe('admin.md roles', () => {
  test('are created, listed in the order of their creation, changed and deleted', async () => {
    expect(await list()).toEqual([]);
    const { status, body } = await service
      .as(root)
      .post(ROLES, { name: '  Support\u202e  ', acls: ['user:view:email', 'user:lookup', 'user:lookup'] });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'Support',
      acls: ['user:lookup', 'user:view:email'],
    });
    const auditor = await create('Auditor', 'audit_log:view');
    expect(await list()).toEqual([body, auditor]);
    const edited = await service.as(root).patch(`${ROLES}/${body.id}`, { name: 'Help desk', acls: ['ban:ip:check'] });
    expect([edited.status, edited.body]).toEqual([200, { id: body.id, name: 'Help desk', acls: ['ban:ip:check'] }]);
    const renamed = await service.as(root).patch(`${ROLES}/${body.id}`, { name: 'HELP DESK' });
    expect(renamed.body).toEqual({ id: body.id, name: 'HELP DESK', acls: ['ban:ip:check'] });
    const emptied = await service.as(root).patch(`${ROLES}/${body.id}`, { acls: [] });
    expect(emptied.body).toEqual({ id: body.id, name: 'HELP DESK', acls: [] });
    const removed = await service.as(root).delete(`${ROLES}/${body.id}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await list()).toEqual([auditor]);
  });

  test('the list requires acl:set:user, and every change requires *', async () => {
    const role = await create('Support', 'user:lookup');
    const path = `${ROLES}/${role.id}`;
    const setter = await administrator(service, 'acl:set:user');
    const registry: string[] = (await service.as(root).get('/v1/admin/acls')).body.acls;
    const [everyOther, reader, user] = [
      await administrator(service, ...registry.filter((acl) => acl !== '*')),
      await administrator(service, ...registry.filter((acl) => acl !== '*' && acl !== 'acl:set:user')),
      await person(service, 'user'),
    ];
    for (const by of [setter, everyOther]) {
      expect((await service.as(by).get(ROLES)).body).toEqual({ roles: [role] });
      for (const change of [
        () => service.as(by).post(ROLES, { name: 'Mine', acls: [] }),
        () => service.as(by).patch(path, { acls: ['*'] }),
        () => service.as(by).delete(path),
      ]) {
        expectApiError(await withoutEffect(change), 'MISSING_ACL');
      }
    }
    expectApiError(await withoutEffect(() => service.as(reader).get(ROLES)), 'MISSING_ACL');
    for (const [by, code] of [
      [service.as(user), 'MISSING_PERMISSIONS'],
      [service.anonymous, 'UNAUTHORIZED'],
    ] as const) {
      expectApiError(await by.get(ROLES), code);
      expectApiError(await withoutEffect(() => by.post(ROLES, { name: 'Mine', acls: [] })), code);
      expectApiError(await withoutEffect(() => by.patch(path, { name: 'Mine' })), code);
      expectApiError(await withoutEffect(() => by.delete(path)), code);
    }
  });

  test('an Admin API key needs * itself, and its owner also', async () => {
    const weak = await adminKey(service, root, 'acl:set:user');
    expect((await service.as(weak).get(ROLES)).status).toBe(200);
    const make = (by: { authorization: string }, name: string) => service.as(by).post(ROLES, { name, acls: [] });
    expectApiError(await withoutEffect(() => make(weak, 'Weak')), 'MISSING_ACL');
    const owner = await superuser(service);
    const strong = await adminKey(service, owner, '*');
    expect((await make(strong, 'Strong')).status).toBe(200);
    const [entry] = (await auditOf(service, 'create_role')).slice(-1);
    expect(entry).toMatchObject({ admin_user_id: owner.id, api_key_id: strong.id });
    await service.sql(`UPDATE account SET acls = '{admin:authenticate,acl:set:user}' WHERE id = $1`, [owner.id]);
    expect((await service.as(strong).get(ROLES)).status).toBe(200);
    expectApiError(await withoutEffect(() => make(strong, 'Stronger')), 'MISSING_ACL');
  });

  test('invalid input is rejected member by member and changes nothing', async () => {
    const role = await create('Support', 'user:lookup');
    const post = (body: object) => withoutEffect(() => service.as(root).post(ROLES, body));
    const patch = (body: object) => withoutEffect(() => service.as(root).patch(`${ROLES}/${role.id}`, body));
    expectInvalid(await post({}), 'name: INVALID_FORMAT', 'acls: INVALID_FORMAT');
    for (const name of ['', '   ', '\u202e', '\u200b\u2800', 'x'.repeat(65), 7, null]) {
      expectInvalid(await post({ name, acls: [] }), 'name: INVALID_FORMAT');
      expectInvalid(await patch({ name }), 'name: INVALID_FORMAT');
    }
    const acls = ['user:lookup', 'user:*', 'user:fly', 7];
    const faults = ['acls.1', 'acls.2', 'acls.3'].map((path) => `${path}: INVALID_FORMAT`);
    expectInvalid(await post({ name: 'Other', acls }), ...faults);
    expectInvalid(await patch({ acls }), ...faults);
    for (const list of [null, 'user:lookup', {}]) {
      expectInvalid(await post({ name: 'Other', acls: list }), 'acls: INVALID_FORMAT');
      expectInvalid(await patch({ acls: list }), 'acls: INVALID_FORMAT');
    }
    for (const call of [
      () => service.as(root).patch(`${ROLES}/first`, { name: 'Other' }),
      () => service.as(root).delete(`${ROLES}/first`),
    ]) {
      expectInvalid(await withoutEffect(call), 'role_id: INVALID_SNOWFLAKE_FORMAT');
    }
    expect((await create('😀'.repeat(64))).name).toBe('😀'.repeat(64));
  });

  test('an unknown role is 404', async () => {
    const role = await create('Support');
    await service.as(root).delete(`${ROLES}/${role.id}`).expect(204);
    for (const id of [role.id, UNKNOWN]) {
      const path = `${ROLES}/${id}`;
      expectApiError(await withoutEffect(() => service.as(root).patch(path, { name: 'Other' })), 'UNKNOWN_ROLE');
      expectApiError(await withoutEffect(() => service.as(root).delete(path)), 'UNKNOWN_ROLE');
    }
  });

  test('names are unique whatever their case or compatibility form', async () => {
    const IN_USE = 'name: ROLE_NAME_ALREADY_IN_USE';
    await create('Équipe 1');
    const other = await create('Other', 'user:lookup');
    for (const name of ['Équipe 1', 'éQUIPE 1', ' E\u0301quipe 1 ', 'Équipe １']) {
      expectInvalid(await withoutEffect(() => service.as(root).post(ROLES, { name, acls: [] })), IN_USE);
      const edit = () => service.as(root).patch(`${ROLES}/${other.id}`, { name, acls: ['*'] });
      expectInvalid(await withoutEffect(edit), IN_USE);
    }
    await service.as(root).patch(`${ROLES}/${other.id}`, { name: 'Renamed' }).expect(200);
    expect((await create('other')).name).toBe('other');
  });

  test('ACLs that no feature declares any more are left out of responses', async () => {
    const { id } = await create('Old', 'user:lookup');
    await service.sql(`UPDATE admin_role SET acls = '{gone:acl,user:lookup}' WHERE id = $1`, [id]);
    expect(await list()).toEqual([{ id, name: 'Old', acls: ['user:lookup'] }]);
  });
});

describe('admin.md roles at the limit', () => {
  const fill = (count: number) =>
    service.sql(
      `INSERT INTO admin_role (id, name, name_key, acls)
       SELECT n, 'role ' || n, 'role ' || n, '{}' FROM generate_series(1, $1) n`,
      [count],
    );

  test('32 parallel creations share the places that are left, and the 51st role is rejected', async () => {
    await fill(39);
    const admins = [root, await superuser(service)];
    const entries = (await auditOf(service, 'create_role')).length;
    const { statuses, codes } = await race(32, (n) =>
      service.as(admins[n % 2] as Persona).post(ROLES, { name: `Raced ${n}`, acls: [] }),
    );
    expect({ statuses, codes }).toEqual({ statuses: { 200: 11, 400: 21 }, codes: { MAX_ROLES: 21 } });
    expect(await stored()).toHaveLength(50);
    expect(await auditOf(service, 'create_role')).toHaveLength(entries + 11);
    const again = () => service.as(root).post(ROLES, { name: 'role 1', acls: [] });
    expectApiError(await withoutEffect(again), 'MAX_ROLES');
    await service.as(root).delete(`${ROLES}/1`).expect(204);
    expect((await again()).status).toBe(200);
  });

  test('32 parallel creations with one name create one role', async () => {
    const { of, statuses } = await race(32, (n) =>
      service.as(root).post(ROLES, { name: n % 2 ? 'Raced' : 'raced', acls: [] }),
    );
    expect(statuses).toEqual({ 200: 1, 400: 31 });
    for (const response of of(400)) expectInvalid(response, 'name: ROLE_NAME_ALREADY_IN_USE');
    expect(await stored()).toHaveLength(1);
  });

  test('32 parallel changes to one name leave it to one role', async () => {
    await fill(32);
    const { of, statuses } = await race(32, (n) => service.as(root).patch(`${ROLES}/${n + 1}`, { name: 'Raced' }));
    expect(statuses).toEqual({ 200: 1, 400: 31 });
    for (const response of of(400)) expectInvalid(response, 'name: ROLE_NAME_ALREADY_IN_USE');
    expect((await list()).filter(({ name }) => name === 'Raced')).toHaveLength(1);
  });

  test('32 parallel deletions delete a role once', async () => {
    const { id } = await create('Raced');
    const entries = (await auditOf(service, 'delete_role')).length;
    const { statuses, codes } = await race(32, () => service.as(root).delete(`${ROLES}/${id}`));
    expect({ statuses, codes }).toEqual({ statuses: { 204: 1, 404: 31 }, codes: { UNKNOWN_ROLE: 31 } });
    expect(await auditOf(service, 'delete_role')).toHaveLength(entries + 1);
  });
});

describe('admin.md roles and accounts', () => {
  test('changing or deleting a role changes no account', async () => {
    const role = await create('Support', 'admin:authenticate', 'user:lookup');
    const clerk = await person(service, 'clerk');
    await service.as(root).put(`/v1/admin/users/${clerk.id}/acls`, { acls: role.acls }).expect(200);
    const facts = async () => [
      // Requests of the administrator update when and from where the account was last active.
      await service.sql(
        "SELECT to_jsonb(a) - '{last_active_at,last_active_ip}'::text[] AS facts FROM account a ORDER BY id",
      ),
      await service.sql('SELECT count(*)::int AS n FROM outbox'),
    ];
    const before = await facts();
    await service
      .as(root)
      .patch(`${ROLES}/${role.id}`, { name: 'Everything', acls: ['*'] })
      .expect(200);
    expect(await facts()).toEqual(before);
    await service.as(root).delete(`${ROLES}/${role.id}`).expect(204);
    expect(await facts()).toEqual(before);
    expect(await aclsOf(clerk)).toEqual(['admin:authenticate', 'user:lookup']);
    expect((await service.as(clerk).get('/v1/admin/users/1')).status).toBe(200);
  });

  test('the ACLs of a role are assigned under the rules of PUT /users/{user_id}/acls', async () => {
    const role = await create('Bans', 'ban:ip:check', 'ban:ip:add');
    const clerk = await person(service, 'clerk');
    const setter = await administrator(service, 'acl:set:user', 'ban:ip:check');
    const assign = () => service.as(setter).put(`/v1/admin/users/${clerk.id}/acls`, { acls: role.acls });
    expectApiError(await withoutAudit(service, assign), 'MISSING_ACL');
    expect(await aclsOf(clerk)).toEqual([]);
    await service.sql('UPDATE account SET acls = $2 WHERE id = $1', [
      setter.id,
      ['admin:authenticate', 'acl:set:user', ...role.acls],
    ]);
    expect((await assign()).body.user.acls).toEqual(role.acls);
  });
});

describe('admin.md audit of roles', () => {
  test('every change records the difference, with the reason', async () => {
    const by = service.as(root).with({ 'x-audit-log-reason': 'new team' });
    const { body: role } = await by.post(ROLES, { name: 'Support', acls: ['user:view:email', 'user:lookup'] });
    const path = `${ROLES}/${role.id}`;
    await service.as(root).patch(path, { acls: ['audit_log:view', 'acl:set:user'] });
    await service.as(root).patch(path, {});
    await service.as(root).delete(path);
    const entries = (await auditOf(service)).filter(({ target_id }) => target_id === role.id);
    expect(entries.map(({ admin_user_id, target_type }) => [admin_user_id, target_type])).toEqual(
      Array(4).fill([root.id, 'role']),
    );
    const acls = 'acl:set:user,audit_log:view';
    expect(entries.map(({ action, reason, metadata }) => [action, reason, metadata])).toEqual([
      ['create_role', 'new team', { name: 'Support', acls: 'user:lookup,user:view:email' }],
      [
        'update_role',
        null,
        { old_name: 'Support', new_name: 'Support', old_acls: 'user:lookup,user:view:email', new_acls: acls },
      ],
      ['update_role', null, { old_name: 'Support', new_name: 'Support', old_acls: acls, new_acls: acls }],
      ['delete_role', null, { name: 'Support', acls }],
    ]);
  });
});
