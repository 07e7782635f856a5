import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  person,
  SoftwareAuthenticator,
  withPasskey,
  withTotp,
} from '../support/index.js';

const MFA_OPTIONS = '/v1/auth/login/mfa/webauthn/authentication-options';
const MFA = '/v1/auth/login/mfa/webauthn';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

/** Creates a user with a passkey as second factor. */
async function guarded(name: string) {
  const persona = await person(service, name);
  const key = await withPasskey(service, persona);
  const backupCodes = await passkeyAsSecondFactor(service, persona, key);
  return { persona, key, backupCodes };
}

async function ticketOf({ email, password }: Persona): Promise<string> {
  const { status, body } = await service.anonymous.post('/v1/auth/login', { email, password });
  expect({ status, mfa: body.mfa }).toEqual({ status: 200, mfa: true });
  return body.ticket;
}

const optionsOf = async (ticket: string) => (await service.anonymous.post(MFA_OPTIONS, { ticket })).body;

const complete = (ticket: string, response: unknown, challenge: string) =>
  service.anonymous.post(MFA, { ticket, response, challenge });

const sessionsOf = async ({ id }: Persona) =>
  (await service.sql('SELECT 1 FROM session WHERE account_id = $1', [id])).length;

describe('auth.md 4.3 WebAuthn as second factor', () => {
  test('the options list the passkeys of the account, discourage user verification and keep the ticket', async () => {
    const { persona, key } = await guarded('alice');
    const ticket = await ticketOf(persona);
    for (let i = 0; i < 2; i++) {
      const { status, body } = await service.anonymous.post(MFA_OPTIONS, { ticket });
      expect(status).toBe(200);
      expect(body).toEqual({
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        timeout: 60000,
        rpId: 'localhost',
        allowCredentials: [{ id: key.id, type: 'public-key', transports: ['hybrid', 'internal'] }],
        userVerification: 'discouraged',
      });
    }
  });

  test('a correct assertion consumes ticket and challenge and issues a session; user verification is not needed', async () => {
    const { persona, key } = await guarded('alice');
    const ticket = await ticketOf(persona);
    const options = await optionsOf(ticket);
    const response = await complete(ticket, key.get(options, { uv: false, userHandle: null }), options.challenge);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      token: expect.stringMatching(/^flx_[A-Za-z0-9]{36}$/),
      user_id: persona.id,
      user: expect.objectContaining({ id: persona.id }),
    });
    expect((await service.as(response.body.token).get('/v1/users/@me')).status).toBe(200);
    expectInvalid(await complete(ticket, key.get(options), options.challenge), 'ticket: SESSION_TIMEOUT');
  });

  test('a ticket is unknown, expired or of a deleted account: SESSION_TIMEOUT at both operations', async () => {
    const { persona, key } = await guarded('alice');
    const [expired, live] = [await ticketOf(persona), await ticketOf(persona)];
    const { challenge } = await optionsOf(live);
    const both = async (ticket: string) => {
      expectInvalid(await service.anonymous.post(MFA_OPTIONS, { ticket }), 'ticket: SESSION_TIMEOUT');
      expectInvalid(await complete(ticket, key.get({ challenge }), challenge), 'ticket: SESSION_TIMEOUT');
    };
    await service.sql(
      "UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'mfa-ticket' AND created_at = (SELECT min(created_at) FROM one_time_secret WHERE purpose = 'mfa-ticket' AND subject = $1)",
      [persona.id],
    );
    await both(expired);
    await both('made up');
    await service.sql('UPDATE account SET flags = flags | $2 WHERE id = $1', [persona.id, String(1n << 34n)]);
    await both(live);
  });

  test('an account without a passkey: NO_PASSKEYS_REGISTERED at options, a failed assertion at completion', async () => {
    const persona = await person(service, 'alice');
    await withTotp(service, persona);
    const ticket = await ticketOf(persona);
    expectApiError(await service.anonymous.post(MFA_OPTIONS, { ticket }), 'NO_PASSKEYS_REGISTERED');
    const stranger = new SoftwareAuthenticator();
    const response = stranger.get({ challenge: 'x' });
    expectApiError(await complete(ticket, response, 'x'), 'PASSKEY_AUTHENTICATION_FAILED');
  });

  test('a challenge belongs to its ticket, and a passkey to its account', async () => {
    const [{ persona, key }, { persona: mallory, key: theirs }] = [await guarded('alice'), await guarded('mallory')];
    const [first, second, third] = [await ticketOf(persona), await ticketOf(persona), await ticketOf(mallory)];
    const ofFirst = await optionsOf(first);
    expectApiError(await complete(second, key.get(ofFirst), ofFirst.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    const ofThird = await optionsOf(third);
    expectApiError(await complete(third, key.get(ofThird), ofThird.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    const ofSecond = await optionsOf(second);
    expectApiError(await complete(second, theirs.get(ofSecond), ofSecond.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    const { body: login } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    expectApiError(await complete(second, key.get(login), login.challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    const again = await optionsOf(second);
    expect((await complete(second, key.get(again), again.challenge)).status).toBe(200);
  });

  test('after five failed attempts with any method, the ticket is destroyed', async () => {
    const { persona, key } = await guarded('alice');
    const ticket = await ticketOf(persona);
    for (let i = 0; i < 3; i++) {
      const { challenge } = await optionsOf(ticket);
      const wrong = key.get({ challenge }, { origin: 'https://evil.example' });
      expectApiError(await complete(ticket, wrong, challenge), 'PASSKEY_AUTHENTICATION_FAILED');
    }
    const options = await optionsOf(ticket);
    for (let i = 0; i < 2; i++) {
      const response = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
      expectInvalid(response, 'code: INVALID_CODE');
    }
    const before = await sessionsOf(persona);
    expectInvalid(await complete(ticket, key.get(options), options.challenge), 'ticket: SESSION_TIMEOUT');
    expect(await sessionsOf(persona)).toBe(before);
  });

  test('after ten attempts of one account over several tickets, a correct response is INVALID_CODE@ticket', async () => {
    const { persona, key } = await guarded('alice');
    const tickets = [await ticketOf(persona), await ticketOf(persona), await ticketOf(persona)];
    for (const ticket of tickets.slice(0, 2)) {
      for (let i = 0; i < 5; i++) {
        const response = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
        expectInvalid(response, 'code: INVALID_CODE');
      }
    }
    const [, , ticket] = tickets as [string, string, string];
    const options = await optionsOf(ticket);
    expectInvalid(await complete(ticket, key.get(options), options.challenge), 'ticket: INVALID_CODE');
  });

  test('a correct response restores the allowance of the account', async () => {
    const { persona, key } = await guarded('alice');
    for (let round = 0; round < 4; round++) {
      const ticket = await ticketOf(persona);
      for (let i = 0; i < 4; i++) {
        await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
      }
      const options = await optionsOf(ticket);
      expect((await complete(ticket, key.get(options), options.challenge)).status).toBe(200);
    }
  });

  test('issuance errors come before the assertion and consume nothing', async () => {
    const { persona, key } = await guarded('alice');
    const ticket = await ticketOf(persona);
    const options = await optionsOf(ticket);
    const response = key.get(options);
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [persona.id]);
    expectApiError(await complete(ticket, response, options.challenge), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    await service.sql('UPDATE account SET banned = false WHERE id = $1', [persona.id]);
    expect((await complete(ticket, response, options.challenge)).status).toBe(200);
  });

  test('an unconsumed backup code completes the challenge of an account without an authenticator, once', async () => {
    const { persona, backupCodes } = await guarded('alice');
    const [code] = backupCodes as [string];
    const [first, second] = [await ticketOf(persona), await ticketOf(persona)];
    const spelt = code.replace('-', '').toUpperCase();
    const used = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: first, code: spelt });
    expect(used.status).toBe(200);
    const again = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: second, code });
    expectInvalid(again, 'code: INVALID_CODE');
  });

  test('without authenticator and unconsumed backup codes, the code operation is TOTP_NOT_ENABLED', async () => {
    const { persona } = await guarded('alice');
    await service.sql('UPDATE backup_code SET consumed_at = now() WHERE account_id = $1', [persona.id]);
    const ticket = await ticketOf(persona);
    const response = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
    expectInvalid(response, 'code: TOTP_NOT_ENABLED');
  });

  test.each(['assertion', 'backup code'])(
    'of 32 parallel completions with one ticket and %s, exactly one succeeds',
    async (method) => {
      const { persona, key, backupCodes } = await guarded('alice');
      const ticket = await ticketOf(persona);
      const options = await optionsOf(ticket);
      const response = key.get(options);
      const before = await sessionsOf(persona);
      const responses = await Promise.all(
        Array.from({ length: 32 }, () =>
          method === 'assertion'
            ? complete(ticket, response, options.challenge)
            : service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: backupCodes[0] }),
        ),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status, body } of responses) {
        if (status !== 200) expect([status, body.code]).toEqual([400, 'INVALID_FORM_BODY']);
      }
      expect(await sessionsOf(persona)).toBe(before + 1);
    },
  );
});

describe('auth.md 4.4 discoverable sign-in', () => {
  const optionsOfAll = (client = service.anonymous) => client.post('/v1/auth/webauthn/authentication-options');
  const authenticate = (key: SoftwareAuthenticator, options: { challenge: string }) =>
    service.anonymous.post('/v1/auth/webauthn/authenticate', {
      response: key.get(options),
      challenge: options.challenge,
    });

  test('the options are the same for every caller except the challenge, and require user verification', async () => {
    const { persona } = await guarded('alice');
    const [anonymous, known] = [await optionsOfAll(), await optionsOfAll(service.as(persona))];
    const shape = {
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 60000,
      rpId: 'localhost',
      userVerification: 'required',
    };
    expect(anonymous.body).toEqual(shape);
    expect(known.body).toEqual(shape);
  });

  test('a passkey signs in without password, second factor and hold, and authorizes the IP address', async () => {
    const { persona, key } = await guarded('alice');
    await service.sql('DELETE FROM authorized_ip WHERE account_id = $1', [persona.id]);
    const { body: options } = await optionsOfAll();
    const response = await authenticate(key, options);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ token: expect.any(String), user_id: persona.id, user: expect.any(Object) });
    const rows = await service.sql('SELECT ip_key FROM authorized_ip WHERE account_id = $1', [persona.id]);
    expect(rows).toEqual([{ ip_key: '127.0.0.1' }]);
  });

  test.each([
    ['an account suspended for ever', 'banned = true', 'ACCOUNT_SUSPENDED_PERMANENTLY'],
    [
      'an account suspended for a time',
      "banned = true, banned_until = now() + interval '1 day'",
      'ACCOUNT_SUSPENDED_TEMPORARILY',
    ],
    [
      'a registration that awaits approval',
      "traits = '{registration_pending_approval}'",
      'REGISTRATION_PENDING_APPROVAL',
    ],
    ['a rejected registration', "traits = '{registration_rejected}'", 'REGISTRATION_REJECTED'],
    ['an account disabled for suspicious activity', `flags = ${1n << 35n}`, 'ACCESS_DENIED'],
    ['a deleted account', `flags = ${1n << 34n}`, 'PASSKEY_AUTHENTICATION_FAILED'],
    ['an account that is gone', 'deleted_at = now()', 'PASSKEY_AUTHENTICATION_FAILED'],
  ])('the passkey of %s cannot bypass this state', async (_, change, code) => {
    const { persona, key } = await guarded('alice');
    await service.sql(`UPDATE account SET ${change} WHERE id = $1`, [persona.id]);
    const before = await sessionsOf(persona);
    expectApiError(await authenticate(key, (await optionsOfAll()).body), code);
    expect(await sessionsOf(persona)).toBe(before);
  });

  test('an account that its user had disabled is enabled again', async () => {
    const { persona, key } = await guarded('alice');
    const proof = await passkeySudo(service, persona, key);
    expect((await service.as(persona).post('/v1/users/@me/disable', proof)).status).toBe(204);
    expectApiError(await service.as(persona).get('/v1/users/@me'), 'UNAUTHORIZED');
    const response = await authenticate(key, (await optionsOfAll()).body);
    expect(response.status).toBe(200);
    const [row] = await service.sql('SELECT flags FROM account WHERE id = $1', [persona.id]);
    expect(row?.flags).toBe('0');
  });

  test('an outstanding requirement does not prevent sign-in with a passkey, and is not cleared by it', async () => {
    const { persona, key } = await guarded('alice');
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [persona.id]);
    const { body } = await authenticate(key, (await optionsOfAll()).body);
    expectApiError(
      await service.as(body.token).get('/v1/users/@me/mfa/webauthn/credentials'),
      'ACCOUNT_SUSPICIOUS_ACTIVITY',
      {
        data: { suspicious_activity_flags: 4 },
      },
    );
  });
});
