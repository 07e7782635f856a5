import {
  Events,
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  logIn,
  mailTo,
  ownLinksIn,
  type Persona,
  person,
  RawConnection,
  racePasswords,
  sessionsOf,
  signIn,
  sudoProof,
  verifiedPerson,
  verifyEmail,
  withTotp,
} from '../support/index.js';

const UNKNOWN = 'token: INVALID_OR_EXPIRED_RESET_TOKEN';
const DELETED = 1n << 34n;
const DISABLED_SUSPICIOUS = 1n << 35n;
const DISABLED = 1n << 38n;
const ANY_TOKEN = 'A'.repeat(64);
const NEW_PASSWORD = 'a brand new password';

describe('auth 6 password recovery', () => {
  let service: Gatehouse;
  let host = 0;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  // Each call uses its own IP address, because the allowance per IP address is small and always enforced.
  const forgot = (email: unknown) =>
    service.anonymous.from(`127.1.${++host >> 8}.${host & 255}`).post('/v1/auth/forgot', { email });
  const reset = (token: unknown, password: unknown = NEW_PASSWORD) =>
    service.anonymous.post('/v1/auth/reset', { token, password });
  const validate = (token: string) => service.anonymous.get(`/v1/auth/reset/${token}`);

  async function tokenFor({ email }: Persona, count = 1): Promise<string> {
    expect((await forgot(email)).status).toBe(204);
    return (await mailTo(service, email, 'password_reset', count)).metadata.token ?? '';
  }

  test('forgot responds in the same way for every address, and emails only those of active accounts', async () => {
    const alice = await person(service, 'alice');
    const deleted = await person(service, 'deleted');
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [deleted.id, String(DELETED)]);
    const responses = [await forgot(alice.email), await forgot('nobody@example.com'), await forgot(deleted.email)];
    expect(new Set(responses.map(({ status, text }) => `${status}${text}`))).toEqual(new Set(['204']));
    expect(new Set(responses.map(({ headers }) => [...headers.keys()].join())).size).toBe(1);
    await mailTo(service, alice.email, 'password_reset');
    expect(await inboxAfterDelivery(service, 'nobody@example.com')).toEqual([]);
    expect(await inboxAfterDelivery(service, deleted.email, 'password_reset')).toEqual([]);
  });

  test('the email is created at least 50 ms after the request, so that another request cannot measure it', async () => {
    const alice = await person(service, 'alice');
    for (let round = 1; round <= 3; round++) {
      const requested = Date.now();
      expect((await forgot(alice.email)).status).toBe(204);
      const begun = await eventually('a mail of each round', async () => {
        const rows = await service.sql(
          `SELECT (extract(epoch FROM created_at) * 1000)::float8 AS at FROM outbox
           WHERE type = 'password_reset' AND account_id = $1 ORDER BY id DESC`,
          [alice.id],
        );
        return rows.length === round ? Number(rows[0]?.at) : undefined;
      });
      // Timers can fire slightly early.
      expect(begun - requested).toBeGreaterThan(45);
    }
  });

  test('the link opens the configured web application with the token in its fragment, regardless of the Host header', async () => {
    const alice = await person(service, 'alice');
    await service.anonymous
      .with({ 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', 'x-original-url': '//evil.example' })
      .post('/v1/auth/forgot', { email: alice.email });
    const { text, html, metadata } = await mailTo(service, alice.email, 'password_reset');
    expect(metadata).toEqual({ token: expect.stringMatching(/^[A-Za-z0-9]{64}$/) });
    const link = `http://localhost:8080/auth/reset#token=${metadata.token}`;
    expect(text).toContain(link);
    expect(html).toContain(`href="${link}"`);
    expect(`${text}${html}`).not.toContain('evil');
  });

  test('validate reports whether a token is valid and does not consume it', async () => {
    const alice = await person(service, 'alice');
    const token = await tokenFor(alice);
    for (let n = 0; n < 2; n++) {
      const { status, body } = await validate(token);
      expect({ status, body }).toEqual({ status: 200, body: { valid: true } });
    }
    expect((await validate(ANY_TOKEN)).body).toEqual({ valid: false });
    expectInvalid(await validate('short'), 'token: STRING_LENGTH_EXACT');
    expectInvalid(await validate(`-${ANY_TOKEN.slice(1)}`), 'token: INVALID_FORMAT');
    expect((await service.anonymous.send('HEAD', `/v1/auth/reset/${token}`)).status).toBe(200);
    await reset(token);
    expect((await validate(token)).body).toEqual({ valid: false });
  });

  test('reset sets the password and returns a token response', async () => {
    const alice = await person(service, 'alice');
    const { status, body } = await reset(await tokenFor(alice));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        token: expect.stringMatching(/^flx_/),
        user_id: alice.id,
        user: expect.objectContaining({ username: 'alice' }),
      },
    });
    const me = await service.as(body.token).get('/v1/users/@me');
    expect(me.body.password_last_changed_at).toMatch(/Z$/);
    expectInvalid(
      await logIn(service, alice),
      ...['email: INVALID_EMAIL_OR_PASSWORD', 'password: INVALID_EMAIL_OR_PASSWORD'],
    );
    expect((await logIn(service, { ...alice, password: NEW_PASSWORD })).status).toBe(200);
  });

  test('all sessions, other reset tokens and sudo proofs of the account are revoked, also grants of the Admin application', async () => {
    const alice = await person(service, 'alice');
    const second = await signIn(service, alice);
    const [first, other] = [await tokenFor(alice), await tokenFor(alice, 2)];
    const events = new Events(service);
    const { body } = await reset(first);
    expect(events.of(alice)).toContain('USER_UPDATE');
    for (const token of [alice.authorization, second]) {
      expectApiError(await service.as(token).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
    expectInvalid(await reset(other), UNKNOWN);
    expect(await sessionsOf(service, alice)).toBe(1);
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
  });

  test('a sudo proof from before the reset is rejected', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    const challenge = await reset(await tokenFor(alice));
    const { body } = await service.anonymous.post('/v1/auth/login/mfa/totp', {
      ticket: challenge.body.ticket,
      code: authenticator.next(),
    });
    const ended = await service.as(body.token).sudo(proof).post('/v1/auth/sessions/logout', { session_id_hashes: [] });
    expectApiError(ended, 'SUDO_MODE_REQUIRED');
  });

  test('an email change in progress is invalid: its ticket and its token', async () => {
    const alice = await person(service, 'alice');
    const step = (as: string | Persona, name: string, body: object = {}) =>
      service.as(as).post(`/v1/users/@me/email-change/${name}`, body);
    const open = (await step(alice, 'start')).body;
    const { ticket, original_proof } = (await step(alice, 'start')).body;
    const new_email = `new.${alice.email}`;
    await step(alice, 'request-new', { ticket, original_proof, new_email });
    const { metadata } = await mailTo(service, new_email, 'email_change_new');
    const { email_token } = (await step(alice, 'verify-new', { ticket, original_proof, code: metadata.code })).body;
    const { body } = await reset(await tokenFor(alice));
    const request = { ticket: open.ticket, original_proof: open.original_proof, new_email };
    expectInvalid(await step(body.token, 'request-new', request), 'ticket: INVALID_OR_EXPIRED_TICKET');
    const apply = await step(body.token, 'apply', { email_token, password: NEW_PASSWORD });
    expectInvalid(apply, 'email_token: INVALID_EMAIL_TOKEN');
    expect((await service.as(body.token).get('/v1/users/@me')).body.email).toBe(alice.email);
  });

  test('the link never contains the Host header of the request', async () => {
    const alice = await person(service, 'alice');
    const body = JSON.stringify({ email: alice.email });
    const connection = await RawConnection.open(service);
    connection.send(
      `POST /v1/auth/forgot HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect((await connection.readResponse()).status).toBe(204);
    connection.close();
    const { text, html } = await mailTo(service, alice.email, 'password_reset');
    expect(`${text}${html}`).toContain('http://localhost:8080/auth/reset#token=');
    expect(`${text}${html}`).not.toContain('evil');
  });

  test('reset never skips the second factor: it returns a challenge and creates no session', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const earlier = await logIn(service, alice);
    const { status, body } = await reset(await tokenFor(alice));
    expect({ status, body }).toMatchObject({ status: 200, body: { mfa: true, totp: true, allowed_methods: ['totp'] } });
    expect(await sessionsOf(service, alice)).toBe(0);
    const complete = (ticket: string) =>
      service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: authenticator.next() });
    expectInvalid(await complete(earlier.body.ticket), 'ticket: SESSION_TIMEOUT');
    const completed = await complete(body.ticket);
    expect(completed.status).toBe(200);
    expect((await service.as(completed.body.token).get('/v1/users/@me')).body.mfa_enabled).toBe(true);
  });

  test('a security notice goes to the address; its only link locks the account down', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await reset(await tokenFor(alice));
    const notice = await mailTo(service, alice.email, 'security_notice');
    expect(notice.metadata).toMatchObject({ event: 'password_reset' });
    const links = ownLinksIn(`${notice.text} ${notice.html}`, 'http://localhost:8080');
    expect([...new Set(links.map((link) => link.split('=')[0]))]).toEqual([
      'http://localhost:8080/auth/lockdown#token',
    ]);
  });

  test('the IP address of the caller is authorized', async () => {
    const alice = await person(service, 'alice');
    const token = await tokenFor(alice);
    await service.anonymous.from('127.0.9.9').post('/v1/auth/reset', { token, password: NEW_PASSWORD });
    const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1 ORDER BY ip_key', [
      alice.id,
    ]);
    expect(rows.map(({ ip_key }) => ip_key)).toContain('127.0.9.9');
  });

  test('a weak password is rejected before the token is consumed', async () => {
    const alice = await person(service, 'alice');
    const token = await tokenFor(alice);
    expectInvalid(await reset(token, 'short'), 'password: PASSWORD_LENGTH_INVALID');
    expectInvalid(await reset(token, 'password123'), 'password: PASSWORD_IS_TOO_COMMON');
    expectInvalid(await reset(token, null), 'password: INVALID_FORMAT');
    expect((await reset(token)).status).toBe(200);
  });

  test('used, expired, unknown, permanently suspended, deleted and previous-address tokens get the same error', async () => {
    const [used, expired, banned, deleted, moved] = [
      await person(service),
      await person(service),
      await person(service),
      await person(service),
      await person(service),
    ];
    const tokens = [await tokenFor(used), await tokenFor(expired), await tokenFor(banned), await tokenFor(deleted)];
    tokens.push(await tokenFor(moved));
    await reset(tokens[0]);
    await service.sql(
      "UPDATE one_time_secret SET expires_at = now() WHERE subject = $1 AND purpose = 'password-reset'",
      [expired.id],
    );
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [banned.id]);
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [deleted.id, String(DELETED)]);
    await service.sql('UPDATE account SET email = $2 WHERE id = $1', [moved.id, `moved.${moved.email}`]);
    const responses = await Promise.all([...tokens, ANY_TOKEN].map((token) => reset(token, 'yet another password')));
    for (const response of responses) expectInvalid(response, UNKNOWN);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    for (const token of tokens) expect((await validate(token)).body).toEqual({ valid: false });
    expect((await logIn(service, expired)).status).toBe(200);
  });

  test('issuance errors come before the token is consumed', async () => {
    const alice = await person(service, 'alice');
    const token = await tokenFor(alice);
    const cases = [
      ["banned = true, banned_until = now() + interval '1 hour'", 'ACCOUNT_SUSPENDED_TEMPORARILY'],
      [
        "banned = false, banned_until = NULL, traits = '{registration_pending_approval}'",
        'REGISTRATION_PENDING_APPROVAL',
      ],
      ["traits = '{registration_rejected}'", 'REGISTRATION_REJECTED'],
    ] as const;
    for (const [set, code] of cases) {
      await service.sql(`UPDATE account SET ${set} WHERE id = $1`, [alice.id]);
      expectApiError(await reset(token), code);
    }
    await service.sql("UPDATE account SET traits = '{}' WHERE id = $1", [alice.id]);
    expect((await logIn(service, alice)).status).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  test('a reset ends the lock for suspicious activity and re-enables an account that its user disabled', async () => {
    const alice = await person(service, 'alice');
    const flags = String(DISABLED_SUSPICIOUS | DISABLED);
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [alice.id, flags]);
    expect((await reset(await tokenFor(alice))).status).toBe(200);
    expect(await service.sql('SELECT flags FROM account WHERE id = $1', [alice.id])).toEqual([{ flags: '0' }]);
  });

  test('of 32 parallel resets with one token and different passwords, one succeeds, and its password works', async () => {
    const alice = await person(service, 'alice');
    const token = await tokenFor(alice);
    const password = await racePasswords((candidate) => reset(token, candidate), UNKNOWN);
    expect((await logIn(service, { ...alice, password })).status).toBe(200);
    expect(await sessionsOf(service, alice)).toBe(2);
  });

  test('a login concurrent with a reset leaves no session of the old password', async () => {
    for (let round = 0; round < 4; round++) {
      const alice = await person(service, 'alice');
      const token = await tokenFor(alice);
      const [outcome, ...logins] = await Promise.all([
        reset(token),
        ...Array.from({ length: 6 }, () => logIn(service, alice)),
      ]);
      expect(outcome.status).toBe(200);
      for (const { status, body } of logins) {
        expect([200, 400]).toContain(status);
        if (status === 200) expectApiError(await service.as(body.token).get('/v1/users/@me'), 'UNAUTHORIZED');
      }
      expect(await sessionsOf(service, alice)).toBe(1);
    }
  });

  test('verification tokens stay valid after a reset', async () => {
    const alice = await person(service, 'alice');
    await reset(await tokenFor(alice));
    await verifyEmail(service, alice);
  });

  test('forgot and reset reject bodies of other types', async () => {
    expectInvalid(await forgot({ $ne: null }), 'email: INVALID_FORMAT');
    expectInvalid(await forgot(undefined), 'email: INVALID_FORMAT');
    expectInvalid(await reset({ $ne: null }), 'token: INVALID_FORMAT');
    expectInvalid(await reset(undefined, undefined), 'token: INVALID_FORMAT');
  });

  test('one submitted email gets five requests in 30 minutes, whether or not it exists', async () => {
    const alice = await person(service, 'alice');
    for (const email of [alice.email, 'somebody@example.com']) {
      for (let n = 0; n < 5; n++) expect((await forgot(email)).status).toBe(204);
      const spent = await forgot(email.toUpperCase());
      expectApiError(spent, 'RATE_LIMITED', { global: false });
      expect(spent.headers.has('x-ratelimit-bucket')).toBe(false);
    }
    expect(await inboxAfterDelivery(service, alice.email, 'password_reset')).toHaveLength(5);
  });

  test('one IP address gets twenty requests in 30 minutes', async () => {
    const from = service.anonymous.from('127.0.10.1');
    for (let n = 0; n < 20; n++) {
      expect((await from.post('/v1/auth/forgot', { email: `n${n}@example.com` })).status).toBe(204);
    }
    expectApiError(await from.post('/v1/auth/forgot', { email: 'n20@example.com' }), 'RATE_LIMITED');
  });
});
