import {
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  SoftwareAuthenticator,
  signIn,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';

const BASE = '/v1/users/@me/mfa/webauthn/credentials';
const OPTIONS = `${BASE}/registration-options`;
const SWITCH = '/v1/users/@me/mfa/webauthn/two-factor';

let service: Gatehouse;
let events: Events;
beforeAll(async () => {
  service = await gatehouse();
  events = new Events(service);
});
afterAll(() => service.close());

const challengeOf = async (persona: Persona, proof: object = { password: persona.password }): Promise<string> => {
  const { status, body } = await service.as(persona).post(OPTIONS, proof);
  expect(status).toBe(200);
  return body.challenge;
};

const listOf = async (persona: Persona) => (await service.as(persona).get(BASE)).body;

describe('account.md 6.3 registration options', () => {
  test('the options have exactly the members of the contract; the user ID is the decimal ID in base64url', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { status, body } = await service.as(alice).post(OPTIONS, { password: alice.password });
    expect(status).toBe(200);
    expect(body).toEqual({
      rp: { name: 'Gatehouse', id: 'localhost' },
      user: { id: Buffer.from(alice.id).toString('base64url'), name: 'alice', displayName: 'alice' },
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: 60000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
      },
      attestation: 'none',
      extensions: { credProps: true },
      hints: [],
    });
  });

  test('every passkey of the account is excluded', async () => {
    const bob = await verifiedPerson(service, 'bob');
    const key = await withPasskey(service, bob);
    const proof = await passkeySudo(service, bob, key);
    const { body } = await service.as(bob).post(OPTIONS, proof);
    expect(body.excludeCredentials).toEqual([{ id: key.id, type: 'public-key', transports: ['hybrid', 'internal'] }]);
  });

  test('sudo is required, and no proof is issued or returned', async () => {
    const carol = await verifiedPerson(service, 'carol');
    expectApiError(await service.as(carol).post(OPTIONS), 'SUDO_MODE_REQUIRED', {
      has_mfa: false,
      methods: { totp: false, webauthn: false, backup_codes: false },
    });
    expectInvalid(await service.as(carol).post(OPTIONS, { password: 'not this one' }), 'password: INVALID_PASSWORD');
    const { authenticator } = await withTotp(service, carol);
    const response = await service.as(carol).post(OPTIONS, { mfa_method: 'totp', mfa_code: authenticator.next() });
    expect(response.status).toBe(200);
    expect(response.headers.has('x-service-sudo-mode-jwt')).toBe(false);
  });

  test('an account without a verified address gets MFA_EMAIL_VERIFICATION_REQUIRED at options and at registration', async () => {
    const dave = await verifiedPerson(service, 'dave');
    const challenge = await challengeOf(dave);
    await service.sql('UPDATE account SET email_verified = false WHERE id = $1', [dave.id]);
    const options = await service.as(dave).post(OPTIONS, { password: dave.password });
    expectApiError(options, 'MFA_EMAIL_VERIFICATION_REQUIRED');
    const key = new SoftwareAuthenticator();
    const response = key.create({ challenge });
    expectApiError(
      await service.as(dave).post(BASE, { response, challenge, name: 'key' }),
      'MFA_EMAIL_VERIFICATION_REQUIRED',
    );
    expect(await listOf(dave)).toEqual([]);
  });
});

describe('account.md 6.3 register, list, rename, delete', () => {
  test('a registered passkey is listed with only ID, name and times, and the key is stored', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const challenge = await challengeOf(alice);
    const key = new SoftwareAuthenticator();
    const response = await service
      .as(alice)
      .post(BASE, { response: key.create({ challenge }), challenge, name: '🔑 laptop' });
    expect(response.status).toBe(204);
    expect(await listOf(alice)).toEqual([
      { id: key.id, name: '🔑 laptop', created_at: expect.stringMatching(/Z$/), last_used_at: null },
    ]);
  });

  test.each(['ES256', 'RS256', 'EdDSA'] as const)('a passkey of %s is accepted and can sign in', async (algorithm) => {
    const alice = await verifiedPerson(service, 'alice');
    const key = await withPasskey(service, alice, new SoftwareAuthenticator(algorithm));
    const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const response = await service.anonymous.post('/v1/auth/webauthn/authenticate', {
      response: key.get(options),
      challenge: options.challenge,
    });
    expect(response.status).toBe(200);
    const [listed] = await listOf(alice);
    expect(listed.last_used_at).toEqual(expect.any(String));
  });

  test('an automatic registration needs no user presence, but only with a challenge for it', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = new SoftwareAuthenticator();
    const register = (challenge: string) =>
      service
        .as(alice)
        .post(BASE, { response: key.create({ challenge }, { up: false, uv: false }), challenge, name: 'phone' });
    const proof = { password: alice.password };
    expectApiError(await register(await challengeOf(alice, proof)), 'INVALID_WEBAUTHN_CREDENTIAL');
    expect(await listOf(alice)).toEqual([]);
    expectInvalid(
      await service.as(alice).post(OPTIONS, { ...proof, mediation: 'silent' }),
      'mediation: INVALID_FORMAT',
    );
    expectApiError(await service.as(alice).post(OPTIONS, { mediation: 'conditional' }), 'SUDO_MODE_REQUIRED');
    const challenge = await challengeOf(alice, { ...proof, mediation: 'conditional' });
    expect((await register(challenge)).status).toBe(204);
    expect(await listOf(alice)).toEqual([expect.objectContaining({ id: key.id, name: 'phone' })]);
  });

  test('registration without user verification is accepted, without user presence it is rejected', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = new SoftwareAuthenticator();
    const [first, second] = [await challengeOf(alice), await challengeOf(alice)];
    const absent = key.create({ challenge: first }, { up: false });
    expectApiError(
      await service.as(alice).post(BASE, { response: absent, challenge: first, name: 'key' }),
      'INVALID_WEBAUTHN_CREDENTIAL',
    );
    const present = key.create({ challenge: second }, { uv: false });
    const response = await service.as(alice).post(BASE, { response: present, challenge: second, name: 'key' });
    expect(response.status).toBe(204);
  });

  test('a name has 1 to 100 characters; an error in the body does not consume the challenge', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const challenge = await challengeOf(alice);
    const response = new SoftwareAuthenticator().create({ challenge });
    const post = (name: unknown) => service.as(alice).post(BASE, { response, challenge, name });
    expectInvalid(await post(''), 'name: INVALID_FORMAT');
    expectInvalid(await post('x'.repeat(101)), 'name: CONTENT_EXCEEDS_MAX_LENGTH');
    expectInvalid(
      await service.as(alice).post(BASE, {}),
      'response: INVALID_FORMAT',
      'challenge: INVALID_FORMAT',
      'name: INVALID_FORMAT',
    );
    expect((await post('x'.repeat(100))).status).toBe(204);
  });

  test('a challenge is also consumed by a failed registration', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const challenge = await challengeOf(alice);
    const key = new SoftwareAuthenticator();
    const post = (response: object) => service.as(alice).post(BASE, { response, challenge, name: 'key' });
    expectApiError(
      await post(key.create({ challenge }, { origin: 'https://evil.example' })),
      'INVALID_WEBAUTHN_CREDENTIAL',
    );
    expectApiError(await post(key.create({ challenge })), 'INVALID_WEBAUTHN_CREDENTIAL');
    expect(await listOf(alice)).toEqual([]);
  });

  test('a challenge of another account, of another purpose, expired or invented is unknown', async () => {
    const [alice, mallory] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'mallory')];
    const key = await withPasskey(service, alice);
    const expired = await challengeOf(mallory);
    await service.sql(
      "UPDATE one_time_secret SET expires_at = now() WHERE purpose = 'webauthn-registration' AND subject = $1",
      [mallory.id],
    );
    const { body: login } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const { body: sudo } = await service.as(alice).post('/v1/users/@me/sudo/webauthn/authentication-options');
    const foreign = await challengeOf(alice, await passkeySudo(service, alice, key));
    for (const challenge of [expired, login.challenge, sudo.challenge, foreign, 'A'.repeat(43)]) {
      const response = new SoftwareAuthenticator().create({ challenge });
      expectApiError(
        await service.as(mallory).post(BASE, { response, challenge, name: 'key' }),
        'INVALID_WEBAUTHN_CREDENTIAL',
      );
    }
    expect(await listOf(mallory)).toEqual([]);
  });

  test('a credential ID is unique across accounts', async () => {
    const [alice, mallory] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'mallory')];
    const key = await withPasskey(service, alice);
    const challenge = await challengeOf(mallory);
    const copy = new SoftwareAuthenticator('ES256', { id: Buffer.from(key.id, 'base64url') });
    expectApiError(
      await service.as(mallory).post(BASE, { response: copy.create({ challenge }), challenge, name: 'key' }),
      'INVALID_WEBAUTHN_CREDENTIAL',
    );
    const again = await challengeOf(alice, await passkeySudo(service, alice, key));
    expectApiError(
      await service
        .as(alice)
        .post(BASE, { response: copy.create({ challenge: again }), challenge: again, name: 'key' }),
      'INVALID_WEBAUTHN_CREDENTIAL',
    );
    expect(await listOf(mallory)).toEqual([]);
    expect(await listOf(alice)).toHaveLength(1);
  });

  test('of 32 parallel registrations with one challenge, exactly one succeeds', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const challenge = await challengeOf(alice);
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => {
        const response = new SoftwareAuthenticator().create({ challenge });
        return service.as(alice).post(BASE, { response, challenge, name: 'key' });
      }),
    );
    const lost = responses.filter(({ status }) => status !== 204);
    expect(lost).toHaveLength(31);
    for (const answer of lost) expectApiError(answer, 'INVALID_WEBAUTHN_CREDENTIAL');
    expect(await listOf(alice)).toHaveLength(1);
  });

  test('an account has at most ten passkeys, also with parallel registrations', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const challenges: string[] = [];
    for (let i = 0; i < 14; i++) challenges.push(await challengeOf(alice));
    const responses = await Promise.all(
      challenges.map((challenge) => {
        const response = new SoftwareAuthenticator().create({ challenge });
        return service.as(alice).post(BASE, { response, challenge, name: 'key' });
      }),
    );
    for (const answer of responses.filter(({ status }) => status !== 204)) {
      expectApiError(answer, 'WEBAUTHN_CREDENTIAL_LIMIT_REACHED');
    }
    expect(await listOf(alice)).toHaveLength(10);
  });

  test("rename changes only the name of the caller's own passkey", async () => {
    const [alice, mallory] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'mallory')];
    const key = await withPasskey(service, alice);
    const path = `${BASE}/${key.id}`;
    expectApiError(await service.as(alice).patch(path, { name: 'new' }), 'SUDO_MODE_REQUIRED');
    expectApiError(
      await service.as(mallory).patch(path, { name: 'stolen', password: mallory.password }),
      'UNKNOWN_WEBAUTHN_CREDENTIAL',
    );
    const response = await service.as(alice).patch(path, { name: 'new', ...(await passkeySudo(service, alice, key)) });
    expect(response.status).toBe(204);
    expect(response.headers.get('x-service-sudo-mode-jwt')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect((await listOf(alice))[0].name).toBe('new');
    expectInvalid(await service.as(alice).patch(path, { name: null }), 'name: INVALID_FORMAT');
  });

  test('an unknown passkey is UNKNOWN_WEBAUTHN_CREDENTIAL, for any form of its ID', async () => {
    const [alice, mallory] = [await verifiedPerson(service, 'alice'), await verifiedPerson(service, 'mallory')];
    const key = await withPasskey(service, alice);
    for (const id of [key.id, 'x', '%00', encodeURIComponent("' OR 1=1"), 'A'.repeat(1364)]) {
      const response = await service.as(mallory).delete(`${BASE}/${id}`, { password: mallory.password });
      if (id === '%00') expectInvalid(response, 'credential_id: INVALID_FORMAT');
      else expectApiError(response, 'UNKNOWN_WEBAUTHN_CREDENTIAL');
    }
    const tooLong = await service.as(mallory).delete(`${BASE}/${'A'.repeat(1365)}`, { password: mallory.password });
    expectInvalid(tooLong, 'credential_id: CONTENT_EXCEEDS_MAX_LENGTH');
    expect(await listOf(alice)).toHaveLength(1);
  });

  test('deleting a passkey revokes sudo proofs and returns none; a rejected deletion returns the new one', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = await withPasskey(service, alice);
    const second = await withPasskey(
      service,
      alice,
      new SoftwareAuthenticator(),
      await passkeySudo(service, alice, key),
    );
    const refused = await service.as(alice).delete(`${BASE}/unknown`, await passkeySudo(service, alice, key));
    expectApiError(refused, 'UNKNOWN_WEBAUTHN_CREDENTIAL');
    const proof = refused.headers.get('x-service-sudo-mode-jwt') ?? '';
    const removed = await service.as(alice).sudo(proof).delete(`${BASE}/${second.id}`);
    expect(removed.status).toBe(204);
    expect(removed.headers.has('x-service-sudo-mode-jwt')).toBe(false);
    expectApiError(await service.as(alice).sudo(proof).patch(`${BASE}/${key.id}`, { name: 'x' }), 'SUDO_MODE_REQUIRED');
  });

  test('a deleted passkey cannot be used any more', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = await withPasskey(service, alice);
    const proof = await passkeySudo(service, alice, key);
    expect((await service.as(alice).delete(`${BASE}/${key.id}`, proof)).status).toBe(204);
    const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const response = key.get(options);
    expectApiError(
      await service.anonymous.post('/v1/auth/webauthn/authenticate', { response, challenge: options.challenge }),
      'PASSKEY_AUTHENTICATION_FAILED',
    );
  });
});

describe('account.md 6.3 the second-factor switch', () => {
  test('the switch is off until it is set; when on, it requires the passkey at login and is shown in the account', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = await withPasskey(service, alice);
    const before = await service.as(alice).get('/v1/users/@me');
    expect(before.body.mfa_enabled).toBe(false);
    expect(before.body).not.toHaveProperty('authenticator_types');
    await signIn(service, alice);
    const response = await service
      .as(alice)
      .put(SWITCH, { enabled: true, ...(await passkeySudo(service, alice, key)) });
    expect(response.status).toBe(200);
    expect(response.body.user).toMatchObject({ id: alice.id, mfa_enabled: true, authenticator_types: [2] });
    expect(response.body.backup_codes).toHaveLength(10);
    expect(response.body.backup_codes[0]).toEqual({
      code: expect.stringMatching(/^[a-z0-9]{4}-[a-z0-9]{4}$/),
      consumed: false,
    });
    expect((await service.as(alice).get('/v1/users/@me')).body).toEqual(response.body.user);
    const login = await service.anonymous.post('/v1/auth/login', { email: alice.email, password: alice.password });
    expect(login.body).toEqual({
      mfa: true,
      ticket: expect.any(String),
      allowed_methods: ['webauthn'],
      totp: false,
      webauthn: true,
      backup_codes: true,
    });
  });

  test('setting the current value changes nothing; remaining codes are kept', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = await withPasskey(service, alice);
    const set = async (enabled: boolean) =>
      service.as(alice).put(SWITCH, { enabled, ...(await passkeySudo(service, alice, key)) });
    expect((await set(false)).body.backup_codes).toBeNull();
    expect((await set(true)).body.backup_codes).toHaveLength(10);
    expect((await set(true)).body.backup_codes).toBeNull();
    expect((await set(false)).body).toMatchObject({ user: { mfa_enabled: false }, backup_codes: null });
    expect((await set(true)).body.backup_codes).toBeNull();
  });

  test('an account without a passkey cannot turn it on', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const response = await service.as(alice).put(SWITCH, { enabled: true, password: alice.password });
    expectApiError(response, 'NO_PASSKEYS_REGISTERED');
    expectInvalid(await service.as(alice).put(SWITCH, { password: alice.password }), 'enabled: INVALID_FORMAT');
    expect((await service.as(alice).put(SWITCH, { enabled: false, password: alice.password })).status).toBe(200);
  });

  test('deleting the last passkey turns the switch off and, without an authenticator, removes the backup codes', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const key = await withPasskey(service, alice);
    const [code] = await passkeyAsSecondFactor(service, alice, key);
    const proof = await passkeySudo(service, alice, key);
    expect((await service.as(alice).delete(`${BASE}/${key.id}`, proof)).status).toBe(204);
    const me = await service.as(alice).get('/v1/users/@me');
    expect(me.body.mfa_enabled).toBe(false);
    expect(await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toEqual([]);
    await signIn(service, alice);
    expect(code).toEqual(expect.any(String));
  });

  test('with an authenticator, the backup codes stay after the last passkey', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const sudo = { mfa_method: 'totp', mfa_code: authenticator.next() };
    const key = await withPasskey(service, alice, new SoftwareAuthenticator(), sudo);
    const proof = await passkeySudo(service, alice, key);
    expect((await service.as(alice).delete(`${BASE}/${key.id}`, proof)).status).toBe(204);
    const rows = await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id]);
    expect(rows).toHaveLength(10);
  });
});

describe('account.md 6.3 events', () => {
  test('register, rename and delete emit WEBAUTHN_CREDENTIALS_UPDATE, the switch USER_UPDATE', async () => {
    const alice = await verifiedPerson(service, 'alice');
    events.of(alice);
    const key = await withPasskey(service, alice);
    expect(events.of(alice)).toEqual(['WEBAUTHN_CREDENTIALS_UPDATE']);
    await service.as(alice).patch(`${BASE}/${key.id}`, { name: 'x', ...(await passkeySudo(service, alice, key)) });
    expect(events.of(alice)).toEqual(['WEBAUTHN_CREDENTIALS_UPDATE']);
    await passkeyAsSecondFactor(service, alice, key);
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    await passkeyAsSecondFactor(service, alice, key);
    await service.as(alice).delete(`${BASE}/unknown`, await passkeySudo(service, alice, key));
    expect(events.of(alice)).toEqual([]);
    await service.as(alice).delete(`${BASE}/${key.id}`, await passkeySudo(service, alice, key));
    expect(events.of(alice).sort()).toEqual(['USER_UPDATE', 'WEBAUTHN_CREDENTIALS_UPDATE']);
  });
});
