import {
  changeEmail,
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  logIn,
  mailTo,
  type Persona,
  person,
  racePasswords,
  sessionsOf,
  signIn,
  withPasskey,
  withTotp,
} from '../support/index.js';

const UNKNOWN = 'token: INVALID_OR_EXPIRED_REVERT_TOKEN';
const DELETED = 1n << 34n;
const DISABLED_SUSPICIOUS = 1n << 35n;
const ANY_TOKEN = 'A'.repeat(64);
const NEW_PASSWORD = 'the owner is back';

describe('auth 7 email revert', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const revert = (token: unknown, password: unknown = NEW_PASSWORD) =>
    service.anonymous.post('/v1/auth/email-revert', { token, password });

  const stolen = (alice: Persona, proof: () => object = () => ({ password: alice.password })) =>
    changeEmail(service, alice, { to: `thief.${alice.email}`, proof });

  test('the previous address gets a token for 24 hours and the new address', async () => {
    const alice = await person(service, 'alice');
    const token = await stolen(alice);
    const mail = await mailTo(service, alice.email, 'email_change_revert');
    expect(mail.metadata).toEqual({ token, new_email: `thief.${alice.email}` });
    expect(mail.text).toContain(`/auth/email-revert#token=${token}`);
    const [row] = await service.sql(
      "SELECT extract(epoch FROM expires_at - created_at)::int AS life FROM one_time_secret WHERE subject = $1 AND purpose = 'email-revert'",
      [alice.id],
    );
    expect(row?.life).toBe(24 * 3600);
  });

  test('restores the address as verified, sets the password and returns a token response', async () => {
    const alice = await person(service, 'alice');
    const token = await stolen(alice);
    const events = new Events(service);
    const { status, body } = await revert(token);
    expect({ status, body }).toMatchObject({ status: 200, body: { user_id: alice.id, token: expect.any(String) } });
    expect(events.of(alice)).toContain('USER_UPDATE');
    const me = await service.as(body.token).get('/v1/users/@me');
    expect(me.body).toMatchObject({ email: alice.email, verified: true });
    expect((await logIn(service, { ...alice, password: NEW_PASSWORD })).status).toBe(200);
    expect((await logIn(service, alice)).status).toBe(400);
  });

  test('removes every second factor, session and grant', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    await withPasskey(service, alice, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    await service.sql('UPDATE account SET passkey_second_factor = true WHERE id = $1', [alice.id]);
    await service.sql(
      `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
       SELECT 1, id, $1, '{identify}', 'x' FROM application LIMIT 1`,
      [alice.id],
    );
    const token = await stolen(alice, () => ({ mfa_method: 'totp', mfa_code: authenticator.next() }));
    const { body } = await revert(token);
    expectApiError(await service.as(alice).get('/v1/users/@me'), 'UNAUTHORIZED');
    expect(await sessionsOf(service, alice)).toBe(1);
    const [row] = await service.sql(
      `SELECT totp_secret, passkey_second_factor, (SELECT count(*)::int FROM passkey p WHERE p.account_id = a.id) AS passkeys,
         (SELECT count(*)::int FROM backup_code b WHERE b.account_id = a.id) AS codes,
         (SELECT count(*)::int FROM oauth_family f WHERE f.account_id = a.id) AS grants
       FROM account a WHERE id = $1`,
      [alice.id],
    );
    expect(row).toEqual({ totp_secret: null, passkey_second_factor: false, passkeys: 0, codes: 0, grants: 0 });
    expect((await service.as(body.token).get('/v1/users/@me')).body.mfa_enabled).toBe(false);
  });

  test('revokes tickets and reset and verification tokens, and replaces the authorized IP addresses by that of the caller', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    await service.sql('UPDATE account SET suspicious_flags = 2 WHERE id = $1', [alice.id]);
    await service.as(alice).post('/v1/auth/verify/resend');
    await service.sql('UPDATE account SET suspicious_flags = 0 WHERE id = $1', [alice.id]);
    const verification = (await mailTo(service, alice.email, 'email_verification', 2)).metadata.token;
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const reset = (await mailTo(service, alice.email, 'password_reset')).metadata.token;
    expect((await service.anonymous.get(`/v1/auth/reset/${reset}`)).body).toEqual({ valid: true });
    const ticket = (await logIn(service, alice)).body.ticket;
    const token = await stolen(alice, () => ({ mfa_method: 'totp', mfa_code: authenticator.next() }));
    const back = await service.anonymous
      .from('127.0.11.1')
      .post('/v1/auth/email-revert', { token, password: NEW_PASSWORD });
    expect(back.status).toBe(200);
    const response = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: authenticator.next() });
    expectInvalid(response, 'ticket: SESSION_TIMEOUT');
    expectInvalid(
      await service.anonymous.post('/v1/auth/verify', { token: verification }),
      'token: INVALID_OR_EXPIRED_VERIFICATION_TOKEN',
    );
    expect((await service.anonymous.get(`/v1/auth/reset/${reset}`)).body).toEqual({ valid: false });
    const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1', [alice.id]);
    expect(rows).toEqual([{ ip_key: '127.0.11.1' }]);
  });

  test('a security notice goes to the restored address', async () => {
    const alice = await person(service, 'alice');
    await revert(await stolen(alice));
    expect((await mailTo(service, alice.email, 'security_notice')).metadata).toMatchObject({ event: 'email_reverted' });
  });

  test('using a revert token revokes all later ones; earlier ones stay valid', async () => {
    const alice = await person(service, 'alice');
    const [b, c] = [`b.${alice.email}`, `c.${alice.email}`];
    const first = await changeEmail(service, alice, { to: b });
    await service.sql("UPDATE one_time_secret SET created_at = created_at - interval '1 second'");
    const second = await changeEmail(service, alice, { from: b, to: c });
    expect((await revert(first)).status).toBe(200);
    expectInvalid(await revert(second), UNKNOWN);

    const bob = await person(service, 'bob');
    const [d, e] = [`d.${bob.email}`, `e.${bob.email}`];
    const older = await changeEmail(service, bob, { to: d });
    await service.sql("UPDATE one_time_secret SET created_at = created_at - interval '1 second'");
    const newer = await changeEmail(service, bob, { from: d, to: e });
    expect((await revert(newer)).status).toBe(200);
    const { body } = await revert(older);
    expect((await service.as(body.token).get('/v1/users/@me')).body.email).toBe(bob.email);
  });

  test('a previous address that now belongs to another account is rejected, and the token is kept', async () => {
    const alice = await person(service, 'alice');
    const token = await stolen(alice);
    const other = { email: alice.email.toUpperCase(), password: 'somebody else', username: 'other' };
    const registered = await service.anonymous.post('/v1/auth/register', other);
    expectInvalid(await revert(token), 'token: EMAIL_ALREADY_IN_USE');
    expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
    const squatter = { ...other, id: registered.body.user_id, authorization: registered.body.token };
    await changeEmail(service, squatter, { to: `moved.${alice.email}` });
    expect((await revert(token)).status).toBe(200);
  });

  test('issuance errors come before the token is consumed', async () => {
    const alice = await person(service, 'alice');
    const token = await stolen(alice);
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [alice.id]);
    expectApiError(await revert(token), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    const locked = [alice.id, String(DISABLED_SUSPICIOUS)];
    await service.sql('UPDATE account SET banned = false, flags = $2::bigint WHERE id = $1', locked);
    expectApiError(await revert(token), 'ACCESS_DENIED');
    await service.sql('UPDATE account SET flags = 0 WHERE id = $1', [alice.id]);
    expect((await revert(token)).status).toBe(200);
  });

  test('used, expired, unknown tokens and those of deleted accounts get the same error; a weak password consumes no token', async () => {
    const [used, expired, deleted] = [await person(service), await person(service), await person(service)];
    const tokens = [await stolen(used), await stolen(expired), await stolen(deleted)];
    expectInvalid(await revert(tokens[0], 'password'), 'password: PASSWORD_IS_TOO_COMMON');
    expect((await revert(tokens[0])).status).toBe(200);
    await service.sql('UPDATE one_time_secret SET expires_at = now() WHERE subject = $1', [expired.id]);
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [deleted.id, String(DELETED)]);
    for (const token of [...tokens, ANY_TOKEN]) expectInvalid(await revert(token), UNKNOWN);
    expectInvalid(await revert([ANY_TOKEN]), 'token: INVALID_FORMAT');
    expectInvalid(await revert(ANY_TOKEN.slice(1)), 'token: STRING_LENGTH_EXACT');
  });

  test('of 32 parallel reverts with one token, one succeeds, and its password works', async () => {
    const alice = await person(service, 'alice');
    const token = await stolen(alice);
    const password = await racePasswords((candidate) => revert(token, candidate), UNKNOWN);
    expect(await sessionsOf(service, alice)).toBe(1);
    await signIn(service, { ...alice, password });
  });
});
