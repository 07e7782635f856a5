import '../../src/app.js';
import { Routes } from '../../src/policy/routes.js';
import { administrator, adminKey, setAcls, superuser } from '../support/admin.js';
import { createCredentialSet } from '../support/all-credentials.js';
import { expectApiError, type Gatehouse, gatehouse, type Persona, person, sendRaw } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

const adminRoutes = () => service.app.get(Routes).all.filter(({ path }) => path.startsWith('/v1/admin/'));
/** Replaces the parameters of a path with IDs. Every request is rejected before its handler runs. */
const filled = (path: string) => path.replace(/[:*][^/]+/g, '1');

describe('5.6 who reaches the Admin API', () => {
  test('5.5 no credential, a malformed one and a bot token are 401 on every Admin route', async () => {
    const { bot } = await createCredentialSet(service, { acls: ['*'] });
    for (const { method, path } of adminRoutes()) {
      for (const credential of ['', 'nonsense', bot, 'Admin fa_1_short', `Admin fa_1_${'a'.repeat(32)}`]) {
        const client = credential === '' ? service.anonymous : service.as(credential);
        expectApiError(await client.send(method, filled(path)), 'UNAUTHORIZED');
      }
    }
  });

  test('5.6.4 a session without admin:authenticate is rejected on every Admin route, with any other ACLs', async () => {
    const clerk = await person(service, 'clerk');
    const everything = (await service.as(root).get('/v1/admin/acls')).body.acls as string[];
    const others = everything.filter((acl) => acl !== '*' && acl !== 'admin:authenticate');
    for (const acls of [[], others, ['admin:*'], ['**', ' *', 'ADMIN:AUTHENTICATE', 'admin:authenticate ']]) {
      await setAcls(service, clerk, acls);
      for (const { method, path } of adminRoutes()) {
        expectApiError(await service.as(clerk).send(method, filled(path)), 'MISSING_PERMISSIONS');
      }
    }
  });

  test('5.6.5 a session with admin:authenticate alone is MISSING_ACL wherever the operation names another ACL', async () => {
    const clerk = await administrator(service);
    for (const { method, path, policy } of adminRoutes()) {
      if (policy.acl?.acls.every((acl) => acl === 'admin:authenticate')) continue;
      expectApiError(await service.as(clerk).send(method, filled(path)), 'MISSING_ACL');
    }
  });

  test('5.6.3 a bearer token is accepted only from the built-in Admin application', async () => {
    const { accountId, bearer, adminBearer } = await createCredentialSet(service, {
      acls: ['*'],
      scopes: ['identify', 'email'],
    });
    for (const { method, path } of adminRoutes()) {
      expectApiError(await service.as(bearer).send(method, filled(path)), 'ACCESS_DENIED');
    }
    const { status, body } = await service.as(adminBearer).get('/v1/admin/users/@me');
    expect([status, body.user.id]).toEqual([200, accountId]);
  });

  test('a bearer token of another application is ACCESS_DENIED before the ACLs of its account are checked', async () => {
    const { bearer, adminBearer } = await createCredentialSet(service);
    expectApiError(await service.as(bearer).get('/v1/admin/acls'), 'ACCESS_DENIED');
    expectApiError(await service.as(adminBearer).get('/v1/admin/acls'), 'MISSING_PERMISSIONS');
  });

  test('5.6.6 no suspicious-activity gate applies to Admin operations', async () => {
    const clerk = await administrator(service);
    await service.sql('UPDATE account SET suspicious_flags = 255 WHERE id = $1', [clerk.id]);
    expect((await service.as(clerk).get('/v1/admin/acls')).status).toBe(200);
    expectApiError(await service.as(clerk).get('/v1/users/@me/nothing'), 'NOT_FOUND');
  });

  test('ACLs are checked before validation, and validation comes before every lookup', async () => {
    const clerk = await administrator(service);
    expectApiError(await service.as(clerk).get('/v1/admin/users/x'), 'MISSING_ACL');
    await setAcls(service, clerk, ['admin:authenticate', 'user:lookup']);
    expectApiError(await service.as(clerk).get('/v1/admin/users/x'), 'INVALID_FORM_BODY');
  });

  test('the scheme Admin is unknown outside /v1/admin, and other spellings of the path reach no route', async () => {
    const key = await adminKey(service, root, '*', 'admin:authenticate');
    for (const path of ['/v1/users/@me', '/v1/auth/sessions']) {
      expectApiError(await service.as(key).get(path), 'UNAUTHORIZED');
    }
    for (const path of [
      '/V1/ADMIN/acls',
      '/v1/admin/acls/',
      '//v1/admin/acls',
      '/v1/Admin/acls',
      '/v1/admin/acls;a=b',
    ]) {
      expectApiError(await service.as(key).get(path), 'NOT_FOUND');
    }
  });

  test('ADM-19 unusual spellings of a path reach the same guards, or no route', async () => {
    const { bearer } = await createCredentialSet(service, { acls: ['*'] });
    const ask = (target: string, value: string) =>
      sendRaw(service, [`GET ${target} HTTP/1.1`, `Authorization: ${value}`, 'Connection: close']);
    for (const target of ['/v1/%61dmin/acls', '/v1/./admin/acls', '/v1/x/../admin/acls', '/v1/admin%2facls']) {
      expect([401, 403, 404]).toContain((await ask(target, bearer)).status);
    }
    const absolute = `http://127.0.0.1:${service.port}/v1/admin/acls`;
    expectApiError(await ask(absolute, bearer), 'ACCESS_DENIED');
    expect((await ask(absolute, root.authorization)).status).toBe(200);
  });
});

describe('5.6.2 an Admin key is limited by its own ACLs and by those of its owner', () => {
  test('if the owner has the ACL and the key does not: MISSING_ACL on every route that names one', async () => {
    const key = await adminKey(service, root);
    for (const { method, path } of adminRoutes()) {
      expectApiError(await service.as(key).send(method, filled(path)), 'MISSING_ACL');
    }
  });

  test('if the key has the ACL and the owner lost it: MISSING_ACL from the next request', async () => {
    const owner = await administrator(service, 'user:lookup', 'admin_api_key:manage');
    const key = await adminKey(service, owner, 'user:lookup');
    expect((await service.as(key).get('/v1/admin/users/1')).status).toBe(200);
    await setAcls(service, owner, ['admin:authenticate']);
    expectApiError(await service.as(key).get('/v1/admin/users/1'), 'MISSING_ACL');
    await setAcls(service, owner, ['user:lookup']);
    expectApiError(await service.as(key).get('/v1/admin/users/1'), 'MISSING_PERMISSIONS');
    await setAcls(service, owner, ['*']);
    expect((await service.as(key).get('/v1/admin/users/1')).status).toBe(200);
  });

  test('a wildcard key of a narrow owner reaches what the owner reaches, and nothing more', async () => {
    const owner = await administrator(service, 'user:lookup', 'admin_api_key:manage');
    const key = await adminKey(service, owner);
    await service.sql("UPDATE admin_key SET acls = '{*}' WHERE id = $1", [key.id]);
    expect((await service.as(key).get('/v1/admin/users/1')).status).toBe(200);
    expectApiError(await service.as(key).get('/v1/admin/audit-logs'), 'MISSING_ACL');
  });

  test('prefix wildcards, white space and other spellings authorize nothing', async () => {
    const key = await adminKey(service, root);
    for (const acl of ['user:*', 'USER:LOOKUP', ' user:lookup', 'user:lookup ', '**', ' *', 'user']) {
      await service.sql('UPDATE admin_key SET acls = $2 WHERE id = $1', [key.id, [acl]]);
      expectApiError(await service.as(key).get('/v1/admin/users/1'), 'MISSING_ACL');
    }
  });

  test('admin:authenticate is needed on the key only where the operation names it', async () => {
    const key = await adminKey(service, root, 'user:lookup');
    expect((await service.as(key).get('/v1/admin/users')).status).toBe(200);
    expectApiError(await service.as(key).get('/v1/admin/acls'), 'MISSING_ACL');
    expectApiError(await service.as(key).get('/v1/admin/users/@me'), 'MISSING_ACL');
    const named = await adminKey(service, root, 'admin:authenticate');
    expect((await service.as(named).get('/v1/admin/acls')).status).toBe(200);
  });

  test('the key of a deleted, disabled or banned owner is 401, and works again when the owner is restored', async () => {
    const owner = await administrator(service, 'user:lookup', 'admin_api_key:manage');
    const key = await adminKey(service, owner, 'user:lookup');
    const bits = { deleted: 34n, suspicious: 35n, selfDeleted: 36n, disabled: 38n };
    for (const bit of Object.values(bits)) {
      await service.sql('UPDATE account SET flags = $2 WHERE id = $1', [owner.id, String(1n << bit)]);
      expectApiError(await service.as(key).get('/v1/admin/users/1'), 'UNAUTHORIZED');
    }
    await service.sql('UPDATE account SET flags = 0, banned = true WHERE id = $1', [owner.id]);
    expectApiError(await service.as(key).get('/v1/admin/users/1'), 'UNAUTHORIZED');
    await service.sql('UPDATE account SET banned = false WHERE id = $1', [owner.id]);
    expect((await service.as(key).get('/v1/admin/users/1')).status).toBe(200);
  });
});

describe('admin.md 2.1 the ACL registry', () => {
  test('lists the ACLs in the order of the contract', async () => {
    const { status, body } = await service.as(root).get('/v1/admin/acls');
    expect(status).toBe(200);
    expect(body.acls.slice(0, 8)).toEqual([
      '*',
      'acl:set:user',
      'admin_api_key:manage',
      'application:lookup',
      'application:list:by_owner',
      'application:transfer_ownership',
      'audit_log:view',
      'admin:authenticate',
    ]);
    expect(body.acls).toHaveLength(33);
    expect(body.acls).toContain('user:update:traits');
  });
});
