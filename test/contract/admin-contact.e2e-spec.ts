import { auditOf, superuser, withoutAudit } from '../support/admin.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  person,
  verifyEmail,
} from '../support/index.js';
import { inboxAfterDelivery, mailsTo, mailTo } from '../support/mail.js';
import { passkeyAsSecondFactor, withPasskey } from '../support/passkeys.js';
import { verifiedPerson, withTotp } from '../support/personas.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

const of = ({ id }: { id: string }, what: string) => `/v1/admin/users/${id}/${what}`;
const userOf = async ({ id }: { id: string }) => (await service.as(root).get(`/v1/admin/users/${id}`)).body.users[0];
const lastMetadata = async (action: string) => (await auditOf(service, action)).at(-1)?.metadata;
const withoutAddress = async () => {
  const { body } = await service.anonymous.post('/v1/auth/register', { username: 'unclaimed' });
  return { id: body.user_id as string };
};

describe('admin.md 5.3 email', () => {
  test('a new address is unverified, the old one is notified, and links sent to it no longer work', async () => {
    const target = await person(service, 'target');
    const { metadata: verification } = await mailTo(service, target.email, 'email_verification');
    await service.anonymous.post('/v1/auth/forgot', { email: target.email });
    const { metadata: reset } = await mailTo(service, target.email, 'password_reset');
    await service.sql('UPDATE account SET email_verified = true, email_bounced = true WHERE id = $1', [target.id]);
    const email = `new.${target.email}`;
    const { body } = await service.as(root).patch(of(target, 'email'), { email: ` ${email} ` });
    expect(body.user).toMatchObject({ email, email_verified: false, email_bounced: false });
    expect(await lastMetadata('change_email')).toEqual({ old_email: target.email, new_email: email });
    const notices = await inboxAfterDelivery(service, target.email, 'security_notice');
    expect(notices.map(({ metadata }) => metadata.event)).toEqual(['email_changed']);
    expectInvalid(
      await service.anonymous.post('/v1/auth/verify', { token: verification.token }),
      'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN',
    );
    expect((await service.anonymous.get(`/v1/auth/reset/${reset.token}`)).body).toEqual({ valid: false });
    const login = { email, password: target.password };
    expect((await service.anonymous.post('/v1/auth/login', login)).status).toBe(200);
  });

  test('a taken or malformed address is rejected and nothing changes', async () => {
    const [target, other] = [await person(service, 'target'), await person(service, 'other')];
    const patch = (email: unknown) => () => service.as(root).patch(of(target, 'email'), { email });
    expectInvalid(await withoutAudit(service, patch(other.email.toUpperCase())), 'email: EMAIL_ALREADY_IN_USE');
    expectInvalid(await withoutAudit(service, patch('nobody')), 'email: INVALID_EMAIL_FORMAT');
    expectInvalid(await withoutAudit(service, patch(undefined)), 'email: INVALID_FORMAT');
    expect((await userOf(target)).email).toBe(target.email);
    expect((await mailTo(service, target.email, 'email_verification')).metadata.token).toHaveLength(64);
  });

  test('verification clears the bounce mark and the flags that only an address meets', async () => {
    const target = await person(service, 'target');
    await service.sql('UPDATE account SET suspicious_flags = 255, email_bounced = true WHERE id = $1', [target.id]);
    const { body } = await service.as(root).put(of(target, 'email-verification'));
    expect(body.user).toMatchObject({ email_verified: true, email_bounced: false, suspicious_activity_flags: 12 });
    expect(await lastMetadata('verify_email')).toEqual({ email: target.email });
  });

  test('the bounce mark withdraws the verification; removing it restores nothing', async () => {
    const target = await person(service, 'target');
    await verifyEmail(service, target);
    const put = (bounced: unknown) => service.as(root).put(of(target, 'email-bounce'), { bounced });
    expect((await put(true)).body.user).toMatchObject({ email_verified: false, email_bounced: true });
    expect((await service.as(target).get('/v1/users/@me')).body).toMatchObject({
      email_bounced: true,
      verified: false,
    });
    expect((await put(false)).body.user).toMatchObject({ email_verified: false, email_bounced: false });
    expect(await lastMetadata('set_email_bounce')).toEqual({ bounced: 'false' });
    expectInvalid(await put('yes'), 'bounced: INVALID_FORMAT');
  });

  test('an account without an address has nothing to verify', async () => {
    const target = await withoutAddress();
    const cases = [
      ['PUT', 'email-verification', 'email'],
      ['PUT', 'email-bounce', 'root'],
      ['POST', 'verification-email', 'email'],
      ['POST', 'password-reset', 'email'],
    ] as const;
    for (const [method, what, path] of cases) {
      const refused = () => service.as(root).send(method, of(target, what), { bounced: true });
      expectInvalid(await withoutAudit(service, refused), `${path}: USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS`);
    }
  });
});

describe('admin.md 5.3 emails that an administrator sends', () => {
  test('a verification token goes to the owner, unless the address is already verified', async () => {
    const target = await person(service, 'target');
    await service.as(root).post(of(target, 'verification-email'));
    const [mail] = await mailsTo(service, target.email, 'email_verification', 2);
    const verified = await service.anonymous.post('/v1/auth/verify', { token: mail?.metadata.token });
    expect(verified.status).toBe(204);
    expect((await service.as(root).post(of(target, 'verification-email'))).status).toBe(204);
    expect(await inboxAfterDelivery(service, target.email, 'email_verification')).toHaveLength(2);
    expect(await auditOf(service, 'resend_verification_email')).toHaveLength(2);
    await service.sql('UPDATE account SET suspicious_flags = 2 WHERE id = $1', [target.id]);
    await service.as(root).post(of(target, 'verification-email'));
    await mailsTo(service, target.email, 'email_verification', 3);
  });

  test('a reset token goes to the owner and sets a password once; the administrator does not see it', async () => {
    const target = await person(service, 'target');
    const response = await service.as(root).post(of(target, 'password-reset'), { password: 'chosen by the admin' });
    expect([response.status, response.text]).toEqual([204, '']);
    const { metadata } = await mailTo(service, target.email, 'password_reset');
    const reset = { token: metadata.token, password: 'another long password' };
    expect((await service.anonymous.post('/v1/auth/reset', reset)).status).toBe(200);
    expectInvalid(await service.anonymous.post('/v1/auth/reset', reset), 'token: INVALID_OR_EXPIRED_RESET_TOKEN');
    const log = await service.sql('SELECT metadata::text FROM audit_log');
    expect(JSON.stringify(log)).not.toContain(metadata.token);
    expect(await lastMetadata('send_password_reset')).toEqual({ email: target.email });
  });

  test('three of each per address, then 429', async () => {
    for (const what of ['verification-email', 'password-reset']) {
      const target = await person(service, 'target');
      for (let n = 0; n < 3; n++) expect((await service.as(root).post(of(target, what))).status).toBe(204);
      const refused = await withoutAudit(service, () => service.as(root).post(of(target, what)));
      expectApiError(refused, 'RATE_LIMITED', { global: false });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('an account whose deletion is scheduled gets no such email', async () => {
    const target = await person(service, 'target');
    await service.as(root).put(of(target, 'deletion'), { reason_code: 3 });
    for (const what of ['verification-email', 'password-reset']) {
      expectApiError(await withoutAudit(service, () => service.as(root).post(of(target, what))), 'UNKNOWN_USER');
    }
    expect(await inboxAfterDelivery(service, target.email, 'password_reset')).toEqual([]);
  });
});

describe('admin.md 5.3 second factors', () => {
  test('removing them deletes secret and backup codes, keeps passkeys and sessions, and notifies the owner', async () => {
    const target = await verifiedPerson(service, 'target');
    await withTotp(service, target);
    expect(await userOf(target)).toMatchObject({ has_totp: true, authenticator_types: [0] });
    expect((await service.as(root).delete(of(target, 'mfa'))).status).toBe(204);
    expect(await userOf(target)).toMatchObject({ has_totp: false, authenticator_types: [] });
    const [row] = await service.sql('SELECT count(*)::int AS codes FROM backup_code WHERE account_id = $1', [
      target.id,
    ]);
    expect(row?.codes).toBe(0);
    expect((await service.as(target).get('/v1/users/@me')).body.mfa_enabled).toBe(false);
    expect((await service.as(root).delete(of(target, 'mfa'))).status).toBe(204);
    const notices = await inboxAfterDelivery(service, target.email, 'security_notice');
    expect(notices.filter(({ metadata }) => metadata.event === 'mfa_disabled')).toHaveLength(1);
    expect(await auditOf(service, 'disable_mfa')).toHaveLength(2);
  });

  test('passkeys are listed without their keys and deleted one by one; deleting the last one turns the switch off', async () => {
    const target = await person(service, 'target');
    const authenticator = await withPasskey(service, target);
    await passkeyAsSecondFactor(service, target, authenticator);
    expect((await userOf(target)).authenticator_types).toEqual([2]);
    const list = () => service.as(root).get(of(target, 'webauthn-credentials'));
    const [passkey] = (await list()).body;
    expect(passkey).toEqual({
      id: expect.any(String),
      name: 'key',
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
    });
    expect(await lastMetadata('list_webauthn_credentials')).toEqual({ credential_count: '1' });
    const path = of(target, `webauthn-credentials/${passkey.id}`);
    const other = await person(service, 'other');
    const foreign = () => service.as(root).delete(of(other, `webauthn-credentials/${passkey.id}`));
    expectApiError(await withoutAudit(service, foreign), 'UNKNOWN_WEBAUTHN_CREDENTIAL');
    expect((await service.as(root).delete(path)).status).toBe(204);
    expect(await lastMetadata('delete_webauthn_credential')).toEqual({ credential_id: passkey.id });
    expect((await list()).body).toEqual([]);
    expect((await userOf(target)).authenticator_types).toEqual([]);
    const notices = await inboxAfterDelivery(service, target.email, 'security_notice');
    expect(notices.some(({ metadata }) => metadata.event === 'passkey_removed')).toBe(true);
    expectApiError(await withoutAudit(service, () => service.as(root).delete(path)), 'UNKNOWN_WEBAUTHN_CREDENTIAL');
    const long = await service.as(root).delete(of(target, `webauthn-credentials/${'x'.repeat(1401)}`));
    expectInvalid(long, 'credential_id: CONTENT_EXCEEDS_MAX_LENGTH');
    expectApiError(await service.as(root).get(of({ id: '1' }, 'webauthn-credentials')), 'UNKNOWN_USER');
  });
});
