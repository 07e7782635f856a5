import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { administrator, adminKey, auditOf, setAcls, superuser, withoutAudit } from '../support/admin.js';
import { createCredentialSet } from '../support/all-credentials.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  logIn,
  type Persona,
  person,
  signIn,
  verifiedPerson,
} from '../support/index.js';
import { inboxAfterDelivery, inboxOf, mailTo } from '../support/mail.js';

let service: Gatehouse;
let root: Persona;
const revoked: Record<string, unknown>[] = [];
beforeAll(async () => {
  service = await gatehouse();
  service.app.get(ReplicaBus).on('revoked', (data) => void revoked.push(data));
  root = await superuser(service);
});
afterAll(() => service.close());

const of = ({ id }: { id: string }, what: string) => `/v1/admin/users/${id}/${what}`;
const lastMetadata = async (action: string) => (await auditOf(service, action)).at(-1)?.metadata;
const noticesTo = async ({ email }: Persona, event: string) =>
  (await inboxAfterDelivery(service, email, 'security_notice')).filter(({ metadata }) => metadata.event === event);
const hours = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 3_600_000;

/** Asserts that the action revokes every session of the account and raises its epoch, which invalidates sudo proofs. */
async function expectShutOut(target: Persona, act: () => Promise<unknown>): Promise<void> {
  const second = await signIn(service, target);
  const epochOf = async () => (await service.sql('SELECT epoch FROM account WHERE id = $1', [target.id]))[0]?.epoch;
  const epoch = await epochOf();
  revoked.length = 0;
  await act();
  for (const credential of [target.authorization, second]) {
    expectApiError(await service.as(credential).get('/v1/users/@me'), 'UNAUTHORIZED');
  }
  const [notice, ...repeated] = revoked;
  expect(notice).toEqual({ sessions: [expect.any(String), expect.any(String)], owners: [target.id] });
  // If the journal is read before the commit returns, the bus delivers the same notice once more.
  expect([[], [notice]]).toContainEqual(repeated);
  expect(await epochOf()).toBeGreaterThan(epoch);
}

describe('admin.md 5.3 ban', () => {
  test('temporary: sessions end, sign-in reports it, and the first attempt after its end lifts it', async () => {
    const target = await verifiedPerson(service, 'target');
    await expectShutOut(target, async () => {
      const put = { duration_hours: 24, reason: 'spam' };
      const { body } = await service.as(root).put(of(target, 'ban'), put);
      expect(body.user).toMatchObject({ banned: true, flags: String(1n << 38n) });
      expect(hours(new Date().toISOString(), body.user.temp_banned_until)).toBeCloseTo(24, 1);
      const banned_until = body.user.temp_banned_until;
      expect(await lastMetadata('temp_ban')).toEqual({ duration_hours: '24', reason: 'spam', banned_until });
    });
    expectApiError(await logIn(service, target), 'ACCOUNT_SUSPENDED_TEMPORARILY');
    expect(await noticesTo(target, 'account_suspended')).toHaveLength(1);
    await service.sql("UPDATE account SET banned_until = now() - interval '1 second' WHERE id = $1", [target.id]);
    const { body } = await logIn(service, target);
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
    const { body: after } = await service.as(root).get(`/v1/admin/users/${target.id}`);
    expect(after.users[0]).toMatchObject({ banned: false, temp_banned_until: null, flags: '0' });
  });

  test('permanent: a repetition replaces it; after it is lifted, the account can sign in again', async () => {
    const target = await verifiedPerson(service, 'target');
    const put = (duration_hours: number) => service.as(root).put(of(target, 'ban'), { duration_hours });
    await put(5);
    expect((await put(0)).body.user).toMatchObject({ banned: true, temp_banned_until: null });
    expectApiError(await logIn(service, target), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    const lifted = await service.as(root).delete(of(target, 'ban'));
    expect(lifted.body.user).toMatchObject({ banned: false, temp_banned_until: null, flags: '0' });
    expect((await logIn(service, target)).status).toBe(200);
    expect(await noticesTo(target, 'account_reinstated')).toHaveLength(1);
    await service.as(root).delete(of(target, 'ban'));
    expect(await noticesTo(target, 'account_reinstated')).toHaveLength(1);
    expect(await auditOf(service, 'unban')).toHaveLength(2);
  });

  test('lifting it keeps the suspicious-activity disablement', async () => {
    const target = await verifiedPerson(service, 'target');
    const flags = String((1n << 35n) | (1n << 38n));
    await service.sql('UPDATE account SET flags = $2, banned = true WHERE id = $1', [target.id, flags]);
    expect((await service.as(root).delete(of(target, 'ban'))).body.user.flags).toBe(String(1n << 35n));
  });

  test('Admin keys of a banned account are 401, and work again after the ban', async () => {
    const target = await administrator(service, 'admin_api_key:manage', 'user:lookup');
    const key = await adminKey(service, target, 'user:lookup');
    await service.as(root).put(of(target, 'ban'), { duration_hours: 0 });
    expectApiError(await service.as(key).get('/v1/admin/users'), 'UNAUTHORIZED');
    await service.as(root).delete(of(target, 'ban'));
    expect((await service.as(key).get('/v1/admin/users')).status).toBe(200);
  });

  test('the token of a banned bot is rejected until the ban is over', async () => {
    const { applicationId: id, bot } = await createCredentialSet(service);
    const check = () => service.as(bot).post('/v1/auth/logout');
    expect((await check()).status).toBe(204);
    revoked.length = 0;
    await service.as(root).put(of({ id }, 'ban'), { duration_hours: 1 });
    expectApiError(await check(), 'UNAUTHORIZED');
    // The bus may deliver it once more, as above.
    expect(new Set(revoked.map((notice) => notice.bot))).toEqual(new Set([id]));
    await service.sql("UPDATE account SET banned_until = now() - interval '1 second' WHERE id = $1", [id]);
    expect((await check()).status).toBe(204);
  });

  test('an operator cannot ban themselves, and the duration has limits', async () => {
    const ban = (body: object, target = root) => service.as(root).put(of(target, 'ban'), body);
    expectApiError(await withoutAudit(service, () => ban({ duration_hours: 1 })), 'ACCESS_DENIED');
    const target = await person(service, 'target');
    for (const duration_hours of [-1, 8761, 0.5, '1', null, undefined]) {
      expectInvalid(await ban({ duration_hours }, target), 'duration_hours: INVALID_FORMAT');
    }
    const long = { duration_hours: 1, reason: 'x'.repeat(513) };
    expectInvalid(await ban(long, target), 'reason: CONTENT_EXCEEDS_MAX_LENGTH');
    expect((await ban({ duration_hours: 8760, reason: null }, target)).status).toBe(200);
  });
});

describe('admin.md 5.3 suspicious-activity disablement', () => {
  test('removes the password and ends the sessions; only a recovery restores the account, with its requirements', async () => {
    const target = await verifiedPerson(service, 'target');
    await expectShutOut(target, async () => {
      const { body } = await service.as(root).put(of(target, 'suspicious-activity-disablement'), { flags: 2 });
      expect(body.user).toMatchObject({ flags: String(1n << 35n), suspicious_activity_flags: 2 });
    });
    expect(await lastMetadata('disable_suspicious_activity')).toEqual({ flags: '2' });
    expectInvalid(
      await logIn(service, target),
      'email: INVALID_EMAIL_OR_PASSWORD',
      'password: INVALID_EMAIL_OR_PASSWORD',
    );
    expect(await noticesTo(target, 'suspicious_activity')).toHaveLength(1);
    await service.anonymous.post('/v1/auth/forgot', { email: target.email });
    const { metadata } = await mailTo(service, target.email, 'password_reset');
    const reset = await service.anonymous.post('/v1/auth/reset', {
      token: metadata.token,
      password: 'another long password',
    });
    expect(reset.status).toBe(200);
    const { body } = await service.as(root).get(`/v1/admin/users/${target.id}`);
    expect(body.users[0]).toMatchObject({ flags: '0', suspicious_activity_flags: 2 });
  });

  test('clearing it clears the flag only, and is idempotent', async () => {
    const target = await person(service, 'target');
    await service.as(root).put(of(target, 'suspicious-activity-disablement'), { flags: 129 });
    for (let n = 0; n < 2; n++) {
      const { body } = await service.as(root).delete(of(target, 'suspicious-activity-disablement'));
      expect(body.user).toMatchObject({ flags: '0', suspicious_activity_flags: 129 });
    }
  });

  test("rejects bots and the operator's own account, and allows bits 0 to 7 only", async () => {
    const { applicationId } = await createCredentialSet(service);
    for (const id of [applicationId, root.id]) {
      const refused = () => service.as(root).put(of({ id }, 'suspicious-activity-disablement'), { flags: 1 });
      expectApiError(await withoutAudit(service, refused), 'ACCESS_DENIED');
    }
    const target = await person(service, 'target');
    const response = await service.as(root).put(of(target, 'suspicious-activity-disablement'), { flags: 256 });
    expectInvalid(response, 'flags: INVALID_FORMAT');
    expect((await service.as(target).get('/v1/users/@me')).status).toBe(200);
  });
});

describe('admin.md 5.3 scheduled deletion', () => {
  test('ends the sessions, notifies the owner, and a sign-in does not cancel it', async () => {
    const target = await verifiedPerson(service, 'target');
    await expectShutOut(target, async () => {
      const put = { reason_code: 5, public_reason: 'by order', days_until_deletion: 90 };
      const { body } = await service.as(root).put(of(target, 'deletion'), put);
      expect(body.user).toMatchObject({
        username: 'target',
        flags: String(1n << 34n),
        deletion_reason_code: 5,
        deletion_public_reason: 'by order',
      });
      expect(hours(new Date().toISOString(), body.user.pending_deletion_at)).toBeCloseTo(90 * 24, 1);
      const { metadata } = await mailTo(service, target.email, 'account_deletion_scheduled');
      expect(metadata.deadline).toBe(body.user.pending_deletion_at);
    });
    expect(await lastMetadata('schedule_deletion')).toEqual({ days: '90', reason_code: '5' });
    expectInvalid(
      await logIn(service, target),
      'email: INVALID_EMAIL_OR_PASSWORD',
      'password: INVALID_EMAIL_OR_PASSWORD',
    );
    const { body } = await service.as(root).get(`/v1/admin/users/${target.id}`);
    expect(body.users[0].flags).toBe(String(1n << 34n));
  });

  test.each([
    [1, undefined, 60],
    [1, 1, 14],
    [1, 30, 30],
    [2, 1, 60],
    [3, 365, 365],
  ])('reason %i with %s days requested takes %i', async (reason_code, days_until_deletion, days) => {
    const target = await person(service, 'target');
    await service.as(root).put(of(target, 'deletion'), { reason_code, days_until_deletion });
    expect(await lastMetadata('schedule_deletion')).toEqual({ days: String(days), reason_code: String(reason_code) });
  });

  test('canceling clears both flags and all its members, and is repeatable', async () => {
    const target = await person(service, 'target');
    await service.as(root).put(of(target, 'deletion'), { reason_code: 4, public_reason: 'x' });
    await service.sql('UPDATE account SET flags = flags | $2::bigint WHERE id = $1', [target.id, String(1n << 36n)]);
    for (let n = 0; n < 2; n++) {
      const { body } = await service.as(root).delete(of(target, 'deletion'));
      expect(body.user).toMatchObject({
        flags: '0',
        pending_deletion_at: null,
        deletion_reason_code: null,
        deletion_public_reason: null,
      });
    }
    expect((await logIn(service, target)).status).toBe(200);
  });

  test("rejects bots and the operator's own account, and the days have limits", async () => {
    const { applicationId } = await createCredentialSet(service);
    for (const id of [applicationId, root.id]) {
      const refused = () => service.as(root).put(of({ id }, 'deletion'), { reason_code: 2 });
      expectApiError(await withoutAudit(service, refused), 'ACCESS_DENIED');
    }
    const target = await person(service, 'target');
    const put = (body: object) => service.as(root).put(of(target, 'deletion'), body);
    for (const reason_code of [0, 6, '1', undefined]) {
      expectInvalid(await put({ reason_code }), 'reason_code: INVALID_FORMAT');
    }
    for (const days_until_deletion of [0, 366]) {
      expectInvalid(await put({ reason_code: 2, days_until_deletion }), 'days_until_deletion: INVALID_FORMAT');
    }
    expect((await service.as(target).get('/v1/users/@me')).status).toBe(200);
  });
});

describe('admin.md 5.3 sessions', () => {
  test('are all ended and counted; keys and bot tokens stay', async () => {
    const target = await administrator(service, 'admin_api_key:manage', 'user:lookup');
    const key = await adminKey(service, target, 'user:lookup');
    await expectShutOut(target, () => service.as(root).delete(of(target, 'sessions')));
    expect(await lastMetadata('terminate_sessions')).toEqual({ count: '2' });
    expect((await service.as(key).get('/v1/admin/users')).status).toBe(200);
    await service.as(root).delete(of(target, 'sessions'));
    expect(await lastMetadata('terminate_sessions')).toEqual({ count: '0' });
    expect(await inboxOf(service, target.email, 'security_notice')).toEqual([]);
  });

  test("end the account's grant of the built-in Admin application, and no other grant", async () => {
    const {
      accountId: id,
      adminBearer,
      bearer,
    } = await createCredentialSet(service, { acls: ['*'], scopes: ['identify'] });
    expect((await service.as(adminBearer).get('/v1/admin/acls')).status).toBe(200);
    await service.as(root).delete(of({ id }, 'sessions'));
    expectApiError(await service.as(adminBearer).get('/v1/admin/acls'), 'UNAUTHORIZED');
    expect((await service.as(bearer).get('/v1/users/@me')).status).toBe(200);
  });

  test('are listed active first, then those that ended within 30 days; the IP address needs user:view:ip', async () => {
    const target = await person(service, 'target');
    const second = await signIn(service, target);
    const third = await signIn(service, target);
    await service.as(target).post('/v1/auth/logout');
    await service.as(third).post('/v1/auth/logout');
    const clerk = await administrator(service, 'user:list:sessions');
    const list = async () => (await service.as(clerk).get(of(target, 'sessions'))).body.sessions;
    const [live, ...ended] = await list();
    expect(live).toEqual({
      session_id_hash: (await service.as(second).get('/v1/auth/sessions')).body[0].id_hash,
      created_at: expect.stringMatching(/Z$/),
      approx_last_used_at: expect.stringMatching(/Z$/),
      client_ip: '[redacted]',
      client_os: null,
      client_platform: null,
      deleted_at: null,
    });
    expect(ended.map(({ deleted_at }: { deleted_at: string }) => typeof deleted_at)).toEqual(['string', 'string']);
    expect(Date.parse(ended[0].created_at)).toBeGreaterThan(Date.parse(ended[1].created_at));
    await setAcls(service, clerk, ['admin:authenticate', 'user:list:sessions', 'user:view:ip']);
    expect((await list())[0].client_ip).toBe('127.0.0.1');
    await service.sql(
      "UPDATE session SET revoked_at = now() - interval '31 days' WHERE account_id = $1 AND revoked_at IS NOT NULL",
      [target.id],
    );
    expect(await list()).toHaveLength(1);
    expect((await auditOf(service, 'list_user_sessions')).map(({ metadata }) => metadata.session_count)).toEqual([
      '3',
      '3',
      '1',
    ]);
    const unknown = () => service.as(clerk).get(of({ id: '1' }, 'sessions'));
    expectApiError(await withoutAudit(service, unknown), 'UNKNOWN_USER');
  });
});
