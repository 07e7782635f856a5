import {
  Authenticator,
  ageMail,
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  mailTo,
  type Persona,
  passkeySudo,
  person,
  race,
  sudoProof,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';

const ENABLE = '/v1/users/@me/mfa/totp/enable';
const DISABLE = '/v1/users/@me/mfa/totp/disable';
const CODES = '/v1/users/@me/mfa/backup-codes';

let service: Gatehouse;
let events: Events;
beforeAll(async () => {
  service = await gatehouse();
  events = new Events(service);
});
afterAll(() => service.close());

describe('account.md 6.1 TOTP enable', () => {
  const enable = (persona: Persona, authenticator: Authenticator, more: object = {}) =>
    service.as(persona).post(ENABLE, {
      secret: authenticator.secret.base32,
      code: authenticator.code(),
      password: persona.password,
      ...more,
    });

  test('a correct code stores the secret and shows ten backup codes once; the account shows that it is enabled', async () => {
    const alice = await verifiedPerson(service, 'alice');
    events.of(alice);
    const response = await enable(alice, new Authenticator(service));
    expect(response.status).toBe(200);
    expect(response.body.backup_codes).toHaveLength(10);
    for (const code of response.body.backup_codes) {
      expect(code).toEqual({ code: expect.stringMatching(/^[a-z0-9]{4}-[a-z0-9]{4}$/), consumed: false });
    }
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    const { body } = await service.as(alice).get('/v1/users/@me');
    expect(body).toMatchObject({ mfa_enabled: true, authenticator_types: [0] });
    const notice = await mailTo(service, alice.email, 'security_notice');
    expect(notice.metadata).toMatchObject({ event: 'totp_enabled' });
  });

  test('the secret is stored encrypted and appears in no response', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const authenticator = new Authenticator(service);
    const response = await enable(alice, authenticator);
    expect(response.text).not.toContain(authenticator.secret.base32);
    const [row] = await service.sql('SELECT totp_secret FROM account WHERE id = $1', [alice.id]);
    const stored = row?.totp_secret as Buffer;
    expect(stored.includes(Buffer.from(authenticator.secret.bytes))).toBe(false);
    expect(stored.toString('latin1')).not.toContain(authenticator.secret.base32);
  });

  test('white space, hyphens, padding and lower case in the secret are ignored', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const authenticator = new Authenticator(service);
    const secret = `${authenticator.secret.base32.toLowerCase().replace(/(.{4})/g, '$1 ')}-===`;
    expect((await enable(alice, authenticator, { secret })).status).toBe(200);
  });

  test.each([
    ['15 bytes', 'A'.repeat(24), 'secret: INVALID_FORMAT'],
    ['65 bytes', 'A'.repeat(104), 'secret: INVALID_FORMAT'],
    ['letters outside Base32', `${'A'.repeat(31)}1`, 'secret: INVALID_FORMAT'],
    ['nothing', '', 'secret: INVALID_FORMAT'],
    ['hyphens only', '----', 'secret: INVALID_FORMAT'],
    ['257 characters', 'A'.repeat(257), 'secret: CONTENT_EXCEEDS_MAX_LENGTH'],
  ])('a secret of %s is rejected before a factor is consumed', async (_, secret, fault) => {
    const alice = await verifiedPerson(service, 'alice');
    expectInvalid(await enable(alice, new Authenticator(service), { secret, password: undefined }), fault);
  });

  test('the errors have an order: already enabled, address not verified, wrong code', async () => {
    const alice = await person(service, 'alice');
    const authenticator = new Authenticator(service);
    expectApiError(await enable(alice, authenticator, { code: '000000' }), 'MFA_EMAIL_VERIFICATION_REQUIRED');
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [alice.id]);
    expectInvalid(await enable(alice, authenticator, { code: '000000' }), 'code: INVALID_CODE');
    expect((await enable(alice, authenticator)).status).toBe(200);
    await service.sql('UPDATE account SET email_verified = false WHERE id = $1', [alice.id]);
    const again = { mfa_method: 'totp', mfa_code: authenticator.next(), code: '000000' };
    expectApiError(await enable(alice, new Authenticator(service), again), 'TWO_FA_ALREADY_ENABLED');
  });

  test('codes two steps away are rejected, codes one step away are accepted, and a used step is never accepted again', async () => {
    for (const [steps, status] of [
      [-2, 400],
      [-1, 200],
      [0, 200],
      [1, 200],
      [2, 400],
    ] as const) {
      const alice = await verifiedPerson(service, 'alice');
      const authenticator = new Authenticator(service);
      const response = await enable(alice, authenticator, { code: authenticator.code(steps) });
      expect([steps, response.status]).toEqual([steps, status]);
    }
    const bob = await verifiedPerson(service, 'bob');
    const authenticator = new Authenticator(service);
    const code = authenticator.code(1);
    expect((await enable(bob, authenticator, { code })).status).toBe(200);
    for (const burnt of [code, authenticator.code(), authenticator.code(-1)]) {
      const response = await service.as(bob).post(DISABLE, { mfa_method: 'totp', mfa_code: burnt, code: burnt });
      expectInvalid(response, 'mfa_code: INVALID_MFA_CODE');
    }
  });

  test.each([' 123 456', '１２３４５６', '12345', '1234567', '-12345', '0x1234', '1e5   '])(
    'the code %j is a wrong code, never an error',
    async (code) => {
      const alice = await verifiedPerson(service, 'alice');
      expectInvalid(await enable(alice, new Authenticator(service), { code }), 'code: INVALID_CODE');
    },
  );

  test('spaces within a correct code are ignored', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const authenticator = new Authenticator(service);
    const code = authenticator.code().replace(/^.{3}/, '$& ');
    expect((await enable(alice, authenticator, { code })).status).toBe(200);
  });

  test('of 32 parallel attempts, exactly one sets up an authenticator', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const authenticators = Array.from({ length: 32 }, () => new Authenticator(service));
    await service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [alice.id]);
    const responses = await Promise.all(authenticators.map((authenticator) => enable(alice, authenticator)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of responses) {
      if (status !== 200) expect([400, 403]).toContain(status);
      if (status !== 200)
        expect(['TWO_FA_ALREADY_ENABLED', 'INVALID_FORM_BODY', 'SUDO_MODE_REQUIRED']).toContain(body.code);
    }
    expect(await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toHaveLength(10);
  });
});

describe('account.md 6.1 TOTP disable', () => {
  test('one value sent as both mfa_code and code is consumed once and counts for both', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    events.of(alice);
    const code = authenticator.next();
    const response = await service.as(alice).post(DISABLE, { mfa_method: 'totp', mfa_code: code, code });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.has('x-service-sudo-mode-jwt')).toBe(false);
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    expect((await service.as(alice).get('/v1/users/@me')).body.mfa_enabled).toBe(false);
    expect(await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toEqual([]);
    const notices = await inboxAfterDelivery(service, alice.email, 'security_notice');
    expect(notices.map(({ metadata }) => metadata.event)).toContain('totp_disabled');
  });

  test('the same holds for a backup code', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { backupCodes } = await withTotp(service, alice);
    const [code] = backupCodes;
    const response = await service.as(alice).post(DISABLE, { mfa_method: 'totp', mfa_code: code, code });
    expect(response.status).toBe(204);
  });

  test('two different values are two factors, and both must be correct', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator, backupCodes } = await withTotp(service, alice);
    const wrong = await service
      .as(alice)
      .post(DISABLE, { mfa_method: 'totp', mfa_code: authenticator.next(), code: '000000' });
    expectInvalid(wrong, 'code: INVALID_CODE');
    expect(wrong.headers.has('x-service-sudo-mode-jwt')).toBe(true);
    const right = await service
      .as(alice)
      .post(DISABLE, { mfa_method: 'totp', mfa_code: authenticator.next(), code: backupCodes[0] });
    expect(right.status).toBe(204);
  });

  test('a passkey as sudo factor does not replace the code, whatever mfa_code contains', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const sudo = { mfa_method: 'totp', mfa_code: authenticator.next() };
    const key = await withPasskey(service, alice, undefined, sudo);
    const response = await service
      .as(alice)
      .post(DISABLE, { ...(await passkeySudo(service, alice, key)), mfa_code: '000000', code: '000000' });
    expectInvalid(response, 'code: INVALID_CODE');
  });

  test('with a sudo proof, only the code is checked', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    expectInvalid(await service.as(alice).sudo(proof).post(DISABLE, { code: '000000' }), 'code: INVALID_CODE');
    expect((await service.as(alice).sudo(proof).post(DISABLE, { code: authenticator.next() })).status).toBe(204);
    expectApiError(await service.as(alice).sudo(proof).post(DISABLE, { code: 'x' }), 'SUDO_MODE_REQUIRED');
  });

  test('TWO_FA_NOT_ENABLED is returned before the code is checked; backup codes stay while a passkey remains', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const response = await service.as(alice).post(DISABLE, { password: alice.password, code: '000000' });
    expectApiError(response, 'TWO_FA_NOT_ENABLED');
    const { authenticator } = await withTotp(service, alice);
    const sudo = { mfa_method: 'totp', mfa_code: authenticator.next() };
    await withPasskey(service, alice, undefined, sudo);
    const code = authenticator.next();
    expect((await service.as(alice).post(DISABLE, { mfa_method: 'totp', mfa_code: code, code })).status).toBe(204);
    expect(await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toHaveLength(10);
  });

  test('the last accepted step is remembered: an earlier code does not set up the same secret again', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const code = authenticator.next();
    expect((await service.as(alice).post(DISABLE, { mfa_method: 'totp', mfa_code: code, code })).status).toBe(204);
    const again = { secret: authenticator.secret.base32, code, password: alice.password };
    expectInvalid(await service.as(alice).post(ENABLE, again), 'code: INVALID_CODE');
  });
});

describe('account.md 6.2 backup codes', () => {
  test('false lists the set without the codes; true replaces it and shows it once', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator, backupCodes } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    const used = await service
      .as(alice)
      .post('/v1/auth/sessions/logout', { session_id_hashes: [], mfa_method: 'totp', mfa_code: backupCodes[3] });
    expect(used.status).toBe(204);
    const listed = await service.as(alice).sudo(proof).post(CODES, { regenerate: false });
    expect(listed.body).toEqual({
      backup_codes: Array.from({ length: 10 }, (_, index) => ({ code: null, consumed: index === 3 })),
    });
    const renewed = await service.as(alice).sudo(proof).post(CODES, { regenerate: true });
    expect(renewed.body.backup_codes).toHaveLength(10);
    const [first] = renewed.body.backup_codes;
    expect(first).toEqual({ code: expect.stringMatching(/^[a-z0-9]{4}-[a-z0-9]{4}$/), consumed: false });
    const old = { session_id_hashes: [], mfa_method: 'totp', mfa_code: backupCodes[0] };
    expectInvalid(await service.as(alice).post('/v1/auth/sessions/logout', old), 'mfa_code: INVALID_MFA_CODE');
    const fresh = { ...old, mfa_code: first.code };
    expect((await service.as(alice).post('/v1/auth/sessions/logout', fresh)).status).toBe(204);
    const notices = await inboxAfterDelivery(service, alice.email, 'security_notice');
    expect(notices.map(({ metadata }) => metadata.event)).toContain('backup_codes_regenerated');
  });

  test('codes are stored as keyed digests, bound to the account', async () => {
    const [alice, bob] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'bob')];
    const { backupCodes } = await withTotp(service, alice);
    const { authenticator } = await withTotp(service, bob);
    const rows = await service.sql('SELECT digest FROM backup_code WHERE account_id = $1', [alice.id]);
    expect(rows.every(({ digest }) => (digest as Buffer).length === 32)).toBe(true);
    const body = { session_id_hashes: [], mfa_method: 'totp', mfa_code: backupCodes[0] };
    expectInvalid(await service.as(bob).post('/v1/auth/sessions/logout', body), 'mfa_code: INVALID_MFA_CODE');
    expect(authenticator).toBeDefined();
  });

  test('regenerate is required; without a second factor true is TWO_FACTOR_REQUIRED, and a list is empty', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { password } = alice;
    expectInvalid(await service.as(alice).post(CODES, { password }), 'regenerate: INVALID_FORMAT');
    expectApiError(await service.as(alice).post(CODES, { regenerate: true, password }), 'TWO_FACTOR_REQUIRED');
    expect((await service.as(alice).post(CODES, { regenerate: false, password })).body).toEqual({ backup_codes: [] });
    expectApiError(await service.as(alice).post(CODES, { regenerate: false }), 'SUDO_MODE_REQUIRED');
  });

  test('of 32 parallel uses of one backup code, exactly one is accepted', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { backupCodes } = await withTotp(service, alice);
    const body = { session_id_hashes: [], mfa_method: 'totp', mfa_code: backupCodes[0] };
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => service.as(alice).post('/v1/auth/sessions/logout', body)),
    );
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses)
      if (response.status !== 204) expectInvalid(response, 'mfa_code: INVALID_MFA_CODE');
  });
});

describe('account.md 6.2 backup codes with an emailed code', () => {
  const post = (persona: Persona, step: string, body?: object) =>
    service.as(persona).post(`${CODES}/challenge${step}`, body);
  const mailed = async (persona: Persona, count = 1): Promise<string> =>
    (await mailTo(service, persona.email, 'backup_codes_challenge', count)).metadata.code as string;

  test('start emails a code, verify lists the set and returns a proof, and each regenerate shows a new set', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await withTotp(service, alice);
    const started = await post(alice, '');
    expect(started.status).toBe(200);
    expect(started.body).toEqual({
      ticket: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      code_expires_at: expect.any(String),
      resend_available_at: expect.any(String),
    });
    const { ticket, code_expires_at, resend_available_at } = started.body;
    expect(Date.parse(code_expires_at) - Date.parse(resend_available_at)).toBe(570_000);
    const code = await mailed(alice);
    expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
    const verifiedCode = await post(alice, '/verify', { ticket, code: ` ${code.toLowerCase().replace('-', '')} ` });
    expect(verifiedCode.body).toEqual({
      backup_codes: Array.from({ length: 10 }, () => ({ code: null, consumed: false })),
      verification_proof: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
    });
    const { verification_proof } = verifiedCode.body;
    expectInvalid(await post(alice, '/verify', { ticket, code }), 'code: VERIFICATION_CODE_NOT_ISSUED');
    for (let i = 0; i < 2; i++) {
      const renewed = await post(alice, '/regenerate', { ticket, verification_proof });
      expect(renewed.status).toBe(200);
      expect(renewed.body.backup_codes).toHaveLength(10);
      expect(renewed.body.backup_codes[0].code).toEqual(expect.any(String));
    }
  });

  test('the errors of start, in order', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET email = NULL WHERE id = $1', [alice.id]);
    expectInvalid(await post(alice, ''), 'email: USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
    const bob = await person(service, 'bob');
    expectApiError(await post(bob, ''), 'MFA_EMAIL_VERIFICATION_REQUIRED');
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [bob.id]);
    expectApiError(await post(bob, ''), 'TWO_FACTOR_REQUIRED');
  });

  test('an unknown or expired ticket, or one of another account, is rejected at every step', async () => {
    const [alice, mallory] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'mallory')];
    await withTotp(service, alice);
    await withTotp(service, mallory);
    const { ticket } = (await post(alice, '')).body;
    const steps = [
      ['/resend', {}],
      ['/verify', { code: 'x' }],
      ['/regenerate', { verification_proof: 'x' }],
    ] as const;
    for (const [step, body] of steps) {
      expectInvalid(await post(mallory, step, { ticket, ...body }), 'ticket: INVALID_OR_EXPIRED_TICKET');
      expectInvalid(await post(alice, step, { ticket: 'unknown', ...body }), 'ticket: INVALID_OR_EXPIRED_TICKET');
    }
    await service.sql('UPDATE one_time_secret SET expires_at = now() WHERE subject = $1', [alice.id]);
    for (const [step, body] of steps) {
      expectInvalid(await post(alice, step, { ticket, ...body }), 'ticket: INVALID_OR_EXPIRED_TICKET');
    }
  });

  test('wrong and expired codes have different errors; a resend replaces the code and invalidates a proof', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await withTotp(service, alice);
    const { ticket } = (await post(alice, '')).body;
    const first = await mailed(alice);
    expectInvalid(await post(alice, '/verify', { ticket, code: 'AAAA-AAAA' }), 'code: INVALID_VERIFICATION_CODE');
    const early = await post(alice, '/resend', { ticket });
    expectApiError(early, 'RATE_LIMITED', { global: false });
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(25);
    expect(early.headers.has('x-ratelimit-bucket')).toBe(false);
    const proof = (await post(alice, '/verify', { ticket, code: first })).body.verification_proof;
    await ageMail(service, alice, 'lastSent', 31);
    expect((await post(alice, '/resend', { ticket })).status).toBe(204);
    expectInvalid(
      await post(alice, '/regenerate', { ticket, verification_proof: proof }),
      'verification_proof: INVALID_OR_EXPIRED_TICKET',
    );
    const second = await mailed(alice, 2);
    expectInvalid(await post(alice, '/verify', { ticket, code: first }), 'code: INVALID_VERIFICATION_CODE');
    await ageMail(service, alice, 'sent', 601);
    expectInvalid(await post(alice, '/verify', { ticket, code: second }), 'code: VERIFICATION_CODE_EXPIRED');
    await ageMail(service, alice, 'sent', -601);
    const again = (await post(alice, '/verify', { ticket, code: second })).body.verification_proof;
    expect(again).not.toBe(proof);
    expectInvalid(
      await post(alice, '/regenerate', { ticket, verification_proof: proof }),
      'verification_proof: INVALID_PROOF_TOKEN',
    );
    expect((await post(alice, '/regenerate', { ticket, verification_proof: again })).status).toBe(200);
  });

  test('of 32 parallel verifications of one emailed code, exactly one is accepted', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await withTotp(service, alice);
    const { ticket } = (await post(alice, '')).body;
    const code = await mailed(alice);
    const { responses } = await race(32, () => post(alice, '/verify', { ticket, code }));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of responses) expect([200, 400, 429]).toContain(status);
  });

  test('a ticket allows five verifications, an account three starts', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await withTotp(service, alice);
    const { ticket } = (await post(alice, '')).body;
    for (let i = 0; i < 5; i++) {
      expectInvalid(await post(alice, '/verify', { ticket, code: 'x' }), 'code: INVALID_VERIFICATION_CODE');
    }
    expectApiError(await post(alice, '/verify', { ticket, code: await mailed(alice) }), 'RATE_LIMITED');
    expect((await post(alice, '')).status).toBe(200);
    expect((await post(alice, '')).status).toBe(200);
    expectApiError(await post(alice, ''), 'RATE_LIMITED');
  });

  test('without a second factor nothing is regenerated', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await withTotp(service, alice);
    const { ticket } = (await post(alice, '')).body;
    const { verification_proof } = (await post(alice, '/verify', { ticket, code: await mailed(alice) })).body;
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [alice.id]);
    expectApiError(await post(alice, '/regenerate', { ticket, verification_proof }), 'TWO_FACTOR_REQUIRED');
  });

  test('a challenge is invalid after the second factor under which it was started is disabled', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const { ticket } = (await post(alice, '')).body;
    const { verification_proof } = (await post(alice, '/verify', { ticket, code: await mailed(alice) })).body;
    const code = authenticator.next();
    expect((await service.as(alice).post(DISABLE, { mfa_method: 'totp', mfa_code: code, code })).status).toBe(204);
    const response = await post(alice, '/regenerate', { ticket, verification_proof });
    expectInvalid(response, 'ticket: INVALID_OR_EXPIRED_TICKET');
  });
});
