import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  logIn,
  type Persona,
  person,
  race,
  sessionsOf,
  verifyEmail,
  withTotp,
} from '../support/index.js';

const DELETED = 1n << 34n;

describe('auth 4.3 login MFA by code', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  const complete = (body: object) => service.anonymous.post('/v1/auth/login/mfa/totp', body);

  async function challenged(alice: Persona): Promise<{ ticket: string; body: Record<string, unknown> }> {
    const { status, body } = await logIn(service, alice);
    expect(status).toBe(200);
    return { ticket: body.ticket, body };
  }

  async function enrolled() {
    const alice = await person(service, 'alice');
    return { alice, ...(await withTotp(service, alice)) };
  }

  test('a correct password opens a challenge and no session', async () => {
    const { alice } = await enrolled();
    const { body } = await challenged(alice);
    expect(body).toEqual({
      mfa: true,
      ticket: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      allowed_methods: ['totp'],
      totp: true,
      webauthn: false,
      backup_codes: true,
    });
    expect(await sessionsOf(service, alice)).toBe(1);
  });

  test('the ticket is not accepted as a credential', async () => {
    const { alice } = await enrolled();
    const { ticket } = await challenged(alice);
    for (const authorization of [ticket, `Bearer ${ticket}`, `Bot ${ticket}`]) {
      expectApiError(await service.as(authorization).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
  });

  test('a correct code returns a token response and consumes the ticket', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    const { status, body } = await complete({ ticket, code: authenticator.next() });
    expect({ status, body }).toMatchObject({ status: 200, body: { user_id: alice.id, token: expect.any(String) } });
    expectInvalid(await complete({ ticket, code: authenticator.next() }), 'ticket: SESSION_TIMEOUT');
  });

  test('spaces in a code are ignored; a code one step off is correct, two steps off is wrong', async () => {
    const { alice, authenticator } = await enrolled();
    service.clock.advance({ seconds: 300 });
    const code = authenticator.code(-1);
    const first = await challenged(alice);
    expect((await complete({ ticket: first.ticket, code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200);
    const second = await challenged(alice);
    expect((await complete({ ticket: second.ticket, code: authenticator.code(1) })).status).toBe(200);
    service.clock.advance({ seconds: 300 });
    const third = await challenged(alice);
    for (const steps of [-2, 2]) {
      expectInvalid(await complete({ ticket: third.ticket, code: authenticator.code(steps) }), 'code: INVALID_CODE');
    }
  });

  test('an accepted step and every earlier one are rejected from then on', async () => {
    const { alice, authenticator } = await enrolled();
    service.clock.advance({ seconds: 120 });
    const [before, now] = [authenticator.code(-1), authenticator.code()];
    const first = await challenged(alice);
    expect((await complete({ ticket: first.ticket, code: now })).status).toBe(200);
    const second = await challenged(alice);
    for (const code of [now, before]) {
      expectInvalid(await complete({ ticket: second.ticket, code }), 'code: INVALID_CODE');
    }
  });

  test('two accounts with one secret consume their steps independently', async () => {
    const { alice, authenticator } = await enrolled();
    const bob = await person(service, 'bob');
    await verifyEmail(service, bob);
    service.clock.advance({ seconds: 60 });
    const enable = { secret: authenticator.secret.base32, code: authenticator.code(), password: bob.password };
    expect((await service.as(bob).post('/v1/users/@me/mfa/totp/enable', enable)).status).toBe(200);
    const { ticket } = await challenged(alice);
    expect((await complete({ ticket, code: authenticator.code() })).status).toBe(200);
  });

  test('full-width digits, signs and other forms are not accepted as a code', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    const code = authenticator.next();
    const wide = [...code].map((digit) => String.fromCharCode(0xff10 + Number(digit))).join('');
    for (const form of [wide, `+${code}`, `${code}0`]) {
      expectInvalid(await complete({ ticket, code: form }), 'code: INVALID_CODE');
    }
    expect((await complete({ ticket, code })).status).toBe(200);
  });

  test('a backup code works once, in any letter case and with any punctuation, and only for its account', async () => {
    const { alice, backupCodes } = await enrolled();
    const other = await enrolled();
    const [code = ''] = backupCodes;
    const foreign = await challenged(other.alice);
    expectInvalid(await complete({ ticket: foreign.ticket, code }), 'code: INVALID_CODE');
    const first = await challenged(alice);
    expect((await complete({ ticket: first.ticket, code: ` ${code.toUpperCase().replace('-', ' . ')}` })).status).toBe(
      200,
    );
    const second = await challenged(alice);
    expectInvalid(await complete({ ticket: second.ticket, code }), 'code: INVALID_CODE');
  });

  test('an account without an authenticator secret can use a backup code', async () => {
    const { alice, backupCodes } = await enrolled();
    const { ticket } = await challenged(alice);
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [alice.id]);
    expect((await complete({ ticket, code: backupCodes[1] })).status).toBe(200);
  });

  test('an account with neither secret nor unconsumed backup code is TOTP_NOT_ENABLED', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [alice.id]);
    await service.sql('UPDATE backup_code SET consumed_at = now() WHERE account_id = $1', [alice.id]);
    expectInvalid(await complete({ ticket, code: authenticator.next() }), 'code: TOTP_NOT_ENABLED');
  });

  test('a ticket is invalid after its second factor is disabled', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    const disabled = await service.as(alice).post('/v1/users/@me/mfa/totp/disable', {
      code: authenticator.next(),
      mfa_method: 'totp',
      mfa_code: authenticator.code(),
    });
    expect(disabled.status).toBe(204);
    expectInvalid(await complete({ ticket, code: authenticator.next() }), 'ticket: SESSION_TIMEOUT');
  });

  test.each<[what: string, body: object, ...faults: string[]]>([
    ['an empty body', {}, 'ticket: INVALID_FORMAT', 'code: INVALID_FORMAT'],
    ['no code', { ticket: 'x' }, 'code: INVALID_FORMAT'],
    ['null for a code', { ticket: 'x', code: null }, 'code: INVALID_FORMAT'],
    ['a list of codes', { ticket: 'x', code: [] }, 'code: INVALID_FORMAT'],
    ['a number for a code', { ticket: 'x', code: 123456 }, 'code: INVALID_FORMAT'],
    ['an over-long code', { ticket: 'x', code: '1'.repeat(33) }, 'code: CONTENT_EXCEEDS_MAX_LENGTH'],
    ['an over-long ticket', { ticket: 'x'.repeat(257), code: '1' }, 'ticket: CONTENT_EXCEEDS_MAX_LENGTH'],
    ['an unknown ticket', { ticket: 'x', code: '123456' }, 'ticket: SESSION_TIMEOUT'],
  ])('%s is rejected', async (_what, body, ...faults) => {
    expectInvalid(await complete(body), ...faults);
  });

  test('an expired ticket and the ticket of a deleted account are unknown', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    await service.sql("UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'mfa-ticket'");
    expectInvalid(await complete({ ticket, code: authenticator.next() }), 'ticket: SESSION_TIMEOUT');
    const second = await challenged(alice);
    await service.sql('UPDATE account SET flags = $2::bigint WHERE id = $1', [alice.id, String(DELETED)]);
    expectInvalid(await complete({ ticket: second.ticket, code: authenticator.next() }), 'ticket: SESSION_TIMEOUT');
  });

  test('a suspension in the meantime returns its code and keeps the ticket', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [alice.id]);
    expectApiError(await complete({ ticket, code: authenticator.next() }), 'ACCOUNT_SUSPENDED_PERMANENTLY');
    await service.sql('UPDATE account SET banned = false WHERE id = $1', [alice.id]);
    expect((await complete({ ticket, code: authenticator.next() })).status).toBe(200);
  });

  test('the fifth wrong code destroys the ticket: the correct one is SESSION_TIMEOUT', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    for (let n = 0; n < 5; n++) expectInvalid(await complete({ ticket, code: '000000' }), 'code: INVALID_CODE');
    expectInvalid(await complete({ ticket, code: authenticator.next() }), 'ticket: SESSION_TIMEOUT');
    expect(await sessionsOf(service, alice)).toBe(1);
  });

  test('a new ticket does not restore attempts: after ten wrong codes, a correct one is rejected', async () => {
    const { alice, authenticator } = await enrolled();
    for (let round = 0; round < 2; round++) {
      const { ticket } = await challenged(alice);
      for (let n = 0; n < 5; n++) expectInvalid(await complete({ ticket, code: '000000' }), 'code: INVALID_CODE');
    }
    const { ticket } = await challenged(alice);
    expectInvalid(await complete({ ticket, code: authenticator.next() }), 'code: INVALID_CODE');
    expect(await sessionsOf(service, alice)).toBe(1);
  });

  test('a correct code restores the attempts', async () => {
    const { alice, authenticator } = await enrolled();
    for (let round = 0; round < 3; round++) {
      const { ticket } = await challenged(alice);
      for (let n = 0; n < 4; n++) expectInvalid(await complete({ ticket, code: '000000' }), 'code: INVALID_CODE');
      expect((await complete({ ticket, code: authenticator.next() })).status).toBe(200);
    }
  });

  test('of 32 parallel correct completions of one ticket, one gets a session', async () => {
    const { alice, authenticator } = await enrolled();
    const { ticket } = await challenged(alice);
    const code = authenticator.next();
    const { responses } = await race(32, () => complete({ ticket, code }));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(31);
    expect(await sessionsOf(service, alice)).toBe(2);
  });

  test('of parallel completions of many tickets with one code, one gets a session', async () => {
    const { alice, authenticator } = await enrolled();
    const tickets: string[] = [];
    for (let n = 0; n < 8; n++) tickets.push((await challenged(alice)).ticket);
    const code = authenticator.next();
    const responses = await Promise.all(
      tickets.flatMap((ticket) => Array.from({ length: 4 }, () => complete({ ticket, code }))),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.every(({ status }) => status === 200 || status === 400)).toBe(true);
    expect(await sessionsOf(service, alice)).toBe(2);
  });

  test('a secret that was removed and set up again does not make used steps valid', async () => {
    const { alice, authenticator } = await enrolled();
    const code = authenticator.next();
    await service.as(alice).post('/v1/users/@me/mfa/totp/disable', { code, mfa_method: 'totp', mfa_code: code });
    const enable = { secret: authenticator.secret.base32, code, password: alice.password };
    expectInvalid(await service.as(alice).post('/v1/users/@me/mfa/totp/enable', enable), 'code: INVALID_CODE');
  });
});
