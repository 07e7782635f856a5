import '../../src/app.js';
import { Routes } from '../../src/policy/routes.js';
import { administrator, adminKey, auditOf, setAcls, superuser, withoutAudit } from '../support/admin.js';
import { createCredentialSet } from '../support/all-credentials.js';
import { expectApiError, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

interface Mutation {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly acl: string;
  readonly action: string;
  readonly status?: number;
}

/** Every mutation of an account that needs no preparation, with a valid body (admin.md 5.3). */
const MUTATIONS: readonly Mutation[] = [
  { method: 'PUT', path: 'acls', body: { acls: [] }, acl: 'acl:set:user', action: 'set_acls' },
  { method: 'PATCH', path: 'flags', body: { add_flags: ['1'] }, acl: 'user:update:flags', action: 'update_flags' },
  {
    method: 'PUT',
    path: 'suspicious-activity-flags',
    body: { flags: 0 },
    acl: 'user:update:suspicious_activity',
    action: 'update_suspicious_activity_flags',
  },
  { method: 'PUT', path: 'traits', body: { traits: [] }, acl: 'user:update:traits', action: 'set_traits' },
  {
    method: 'PUT',
    path: 'phone-verification',
    body: { has_verified_phone: true },
    acl: 'user:update:phone',
    action: 'update_has_verified_phone',
  },
  {
    method: 'PUT',
    path: 'suspicious-activity-disablement',
    body: { flags: 1 },
    acl: 'user:disable:suspicious',
    action: 'disable_suspicious_activity',
  },
  {
    method: 'DELETE',
    path: 'suspicious-activity-disablement',
    acl: 'user:disable:suspicious',
    action: 'enable_suspicious_activity',
  },
  { method: 'PUT', path: 'ban', body: { duration_hours: 1 }, acl: 'user:temp_ban', action: 'temp_ban' },
  { method: 'DELETE', path: 'ban', acl: 'user:temp_ban', action: 'unban' },
  { method: 'DELETE', path: 'lockdown', acl: 'user:update:flags', action: 'end_lockdown', status: 204 },
  { method: 'DELETE', path: 'sessions', acl: 'user:update:flags', action: 'terminate_sessions' },
  { method: 'DELETE', path: 'mfa', acl: 'user:update:mfa', action: 'disable_mfa', status: 204 },
  { method: 'PATCH', path: 'email', acl: 'user:update:email', action: 'change_email' },
  { method: 'PUT', path: 'email-verification', acl: 'user:update:email', action: 'verify_email' },
  {
    method: 'PUT',
    path: 'email-bounce',
    body: { bounced: true },
    acl: 'user:update:email',
    action: 'set_email_bounce',
  },
  {
    method: 'POST',
    path: 'verification-email',
    acl: 'user:update:email',
    action: 'resend_verification_email',
    status: 204,
  },
  { method: 'POST', path: 'password-reset', acl: 'user:update:email', action: 'send_password_reset', status: 204 },
  { method: 'PUT', path: 'deletion', body: { reason_code: 3 }, acl: 'user:delete', action: 'schedule_deletion' },
  { method: 'DELETE', path: 'deletion', acl: 'user:delete', action: 'cancel_deletion' },
];
const bodyOf = ({ path, body }: Mutation) => (path === 'email' ? { email: `m${Math.random()}@example.com` } : body);
const send = (credential: { authorization: string }, id: string, mutation: Mutation, reason?: string) =>
  service
    .as(credential)
    .with(reason ? { 'x-audit-log-reason': reason } : {})
    .send(mutation.method, `/v1/admin/users/${id}/${mutation.path}`, bodyOf(mutation));

const rowOf = async ({ id }: { id: string }) => (await service.sql('SELECT * FROM account WHERE id = $1', [id]))[0];

describe('admin.md 5.3 common rules of account mutations', () => {
  test('the list of this suite contains every such route', () => {
    const prefix = '/v1/admin/users/:user_id/';
    const routes = service.app
      .get(Routes)
      .all.filter(({ method, path }) => method !== 'GET' && path.startsWith(prefix));
    const prepared = ['DELETE webauthn-credentials/:credential_id', 'PUT sso-identity', 'DELETE sso-identity'];
    prepared.push('DELETE access-tokens/:token_id');
    const named = [...MUTATIONS.map(({ method, path }) => `${method} ${path}`), ...prepared];
    expect(named).toEqual(
      expect.arrayContaining(routes.map(({ method, path }) => `${method} ${path.slice(prefix.length)}`)),
    );
  });

  test.each(MUTATIONS)(
    '$method $path succeeds, and writes one entry with reason, target and request',
    async (mutation) => {
      const clerk = await administrator(service, mutation.acl);
      const target = await person(service, 'target');
      const before = (await auditOf(service)).length;
      const { status, body, headers } = await send(clerk, target.id, mutation, 'as agreed');
      expect({ status, body }).toMatchObject({ status: mutation.status ?? 200 });
      if (mutation.status === 204 || mutation.path === 'sessions') {
        expect([body, headers.get('content-type')]).toEqual([undefined, null]);
      } else expect(body).toEqual({ user: expect.objectContaining({ id: target.id, username: 'target' }) });
      const entries = (await auditOf(service)).slice(before);
      expect(entries).toEqual([
        expect.objectContaining({
          admin_user_id: clerk.id,
          api_key_id: null,
          action: mutation.action,
          target_type: 'user',
          target_id: target.id,
          reason: 'as agreed',
          request_id: headers.get('x-request-id'),
        }),
      ]);
      for (const value of Object.values(entries[0]?.metadata)) expect(typeof value).toBe('string');
    },
  );

  test.each(MUTATIONS)('$method $path by a key records the key', async (mutation) => {
    const key = await adminKey(service, root, mutation.acl);
    const target = await person(service, 'target');
    expect((await send(key, target.id, mutation)).status).toBe(mutation.status ?? 200);
    const entries = await auditOf(service, mutation.action);
    expect(entries.at(-1)).toMatchObject({ admin_user_id: root.id, api_key_id: key.id, target_id: target.id });
  });

  test.each(MUTATIONS)(
    '$method $path: an unknown or completely deleted account is 404 and leaves no entry',
    async (mutation) => {
      const gone = await person(service, 'gone');
      await service.sql('UPDATE account SET deleted_at = now() WHERE id = $1', [gone.id]);
      for (const id of ['1', gone.id]) {
        expectApiError(await withoutAudit(service, () => send(root, id, mutation)), 'UNKNOWN_USER');
      }
    },
  );

  test.each(MUTATIONS)('$method $path: an account with more ACLs than the operator is rejected', async (mutation) => {
    const clerk = await administrator(service, mutation.acl, 'admin_api_key:manage');
    const chief = await administrator(service, mutation.acl, 'audit_log:view');
    const before = await rowOf(chief);
    expectApiError(await withoutAudit(service, () => send(clerk, chief.id, mutation)), 'MISSING_ACL');
    expectApiError(await withoutAudit(service, () => send(clerk, root.id, mutation)), 'MISSING_ACL');
    // A key can use only the ACLs that both the key and its owner have.
    await setAcls(service, clerk, ['admin:authenticate', 'admin_api_key:manage', mutation.acl, 'audit_log:view']);
    const key = await adminKey(service, clerk, mutation.acl);
    expectApiError(await withoutAudit(service, () => send(key, chief.id, mutation)), 'MISSING_ACL');
    expect(await rowOf(chief)).toEqual(before);
    expect((await send(clerk, chief.id, mutation)).status).toBe(mutation.status ?? 200);
  });

  test('an ACL outside the registry on the target does not protect it', async () => {
    const clerk = await administrator(service, 'user:update:traits');
    const target = await person(service, 'target');
    await setAcls(service, target, ['once:was:one']);
    expect((await service.as(clerk).put(`/v1/admin/users/${target.id}/traits`, { traits: [] })).status).toBe(200);
  });

  test('an invalid ID is rejected with the name of the parameter', async () => {
    for (const mutation of MUTATIONS) {
      const response = await send(root, 'abc', mutation);
      expectApiError(response, 'INVALID_FORM_BODY');
      expect(response.body.errors[0]).toMatchObject({ path: 'user_id', code: 'INVALID_SNOWFLAKE_FORMAT' });
    }
  });

  test('operations on an email address reject a bot before any other check of the target', async () => {
    const { applicationId: bot } = await createCredentialSet(service);
    const clerk = await administrator(service, 'user:update:email');
    await service.sql("UPDATE account SET acls = '{*}' WHERE id = $1", [bot]);
    for (const mutation of MUTATIONS.filter(({ acl }) => acl === 'user:update:email')) {
      const refused = () => send(clerk, bot, mutation);
      expectApiError(await withoutAudit(service, refused), 'BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    }
  });

  test('a response with the account hides members that the operator may not see', async () => {
    const clerk = await administrator(service, 'user:update:traits');
    const target = await person(service, 'target');
    const hidden = await service.as(clerk).put(`/v1/admin/users/${target.id}/traits`, { traits: [] });
    expect(hidden.body.user).toMatchObject({ email: null, last_active_ip: null });
    await setAcls(service, clerk, ['admin:authenticate', 'user:update:traits', 'user:view:email']);
    const shown = await service.as(clerk).put(`/v1/admin/users/${target.id}/traits`, { traits: [] });
    expect(shown.body.user.email).toBe(target.email);
  });

  test('unknown members change nothing', async () => {
    const target = await person(service, 'target');
    const before = await rowOf(target);
    const extra = { password: 'a new password', password_hash: 'x', id: '1', banned: true, acls: ['*'], is_bot: true };
    await service.as(root).put(`/v1/admin/users/${target.id}/traits`, { traits: [], ...extra });
    await service.as(root).patch(`/v1/admin/users/${target.id}/flags`, { ...extra, flags: '1' });
    expect(await rowOf(target)).toEqual(before);
  });
});
