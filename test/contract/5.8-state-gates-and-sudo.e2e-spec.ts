import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { type CryptoKey, EncryptJWT, importJWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { SudoInput } from '../../src/auth/sudo/sudo.dto.js';
import { Keyring } from '../../src/core/secrets.js';
import { Text } from '../../src/http/input.js';
import { Authenticated, RequiresSudo } from '../../src/policy/decorators.js';
import {
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  mailTo,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  person,
  race,
  SoftwareAuthenticator,
  sendRaw,
  signIn,
  sudoProof,
  type TestResponse,
  withPasskey,
  withTotp,
} from '../support/index.js';

const HEADER = 'x-service-sudo-mode-jwt';
const SUDO_OPERATION = '/v1/auth/sessions/logout';
const REGISTRATION_OPTIONS = '/v1/users/@me/mfa/webauthn/credentials/registration-options';
const TYPE = 'gatehouse-sudo+jwt';

class NoteInput extends SudoInput {
  @Text({ min: 1, max: 10 }) note: string;
}

/** An operation that bots can also use, as an extension could add it. */
@Controller('v1/notes')
class NotesController {
  @Post()
  @HttpCode(200)
  @Authenticated()
  @RequiresSudo()
  write(@Body() { note }: NoteInput) {
    return { note };
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ modules: [NotesModule] });
});
afterAll(() => service.close());

/** Calls the operation that requires sudo mode, with a body that changes nothing. */
const attempt = (
  caller: string | { authorization: string },
  members: object = {},
  proof?: string,
): Promise<TestResponse> => {
  const client = service.as(caller);
  return (proof === undefined ? client : client.sudo(proof)).post(SUDO_OPERATION, {
    session_id_hashes: [],
    ...members,
  });
};

const proofOf = (response: TestResponse): string => response.headers.get(HEADER) ?? '';

function expectRequired(
  response: TestResponse,
  methods: { totp?: boolean; webauthn?: boolean; backup_codes?: boolean } = {},
): void {
  const { totp = false, webauthn = false, backup_codes = false } = methods;
  expectApiError(response, 'SUDO_MODE_REQUIRED');
  expect(response.body).toEqual({
    code: 'SUDO_MODE_REQUIRED',
    message: expect.any(String),
    has_mfa: totp || webauthn,
    methods: { totp, webauthn, backup_codes },
  });
  expect(response.headers.has(HEADER)).toBe(false);
}

async function withFactor(name: string) {
  const persona = await person(service, name);
  const { authenticator, backupCodes } = await withTotp(service, persona);
  return { persona, authenticator, backupCodes };
}

const keyOf = (bytes: Uint8Array): Promise<CryptoKey | Uint8Array> =>
  importJWK({ kty: 'oct', k: Buffer.from(bytes).toString('base64url'), alg: 'HS256' }, 'HS256');

const METHODS = { totp: true, backup_codes: true };

describe('5.8.3, 8.2 the SUDO_MODE_REQUIRED error', () => {
  test('it lists the methods of the account, regardless of the second-factor switch', async () => {
    const plain = await person(service, 'plain');
    expectRequired(await attempt(plain));
    const { persona } = await withFactor('alice');
    expectRequired(await attempt(persona), METHODS);
    const passkeyed = await person(service, 'bob');
    const key = await withPasskey(service, passkeyed);
    expectRequired(await attempt(passkeyed), { webauthn: true });
    await passkeyAsSecondFactor(service, passkeyed, key);
    expectRequired(await attempt(passkeyed), { webauthn: true, backup_codes: true });
    await service.sql('UPDATE backup_code SET consumed_at = now() WHERE account_id = $1', [persona.id]);
    expectRequired(await attempt(persona), { totp: true });
  });

  test('a missing, empty, invalid or expired proof, or one of another account, gets the same error', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const mallory = await withFactor('mallory');
    const foreign = await sudoProof(service, mallory.persona, mallory.authenticator);
    const expired = await sudoProof(service, persona, authenticator);
    service.clock.advance({ seconds: 300 });
    const responses = [await attempt(persona)];
    for (const proof of ['', 'garbage', expired, foreign]) responses.push(await attempt(persona, {}, proof));
    for (const response of responses) expectRequired(response, METHODS);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });
});

describe('8.3.1 accounts that need no proof', () => {
  test('a bot account satisfies sudo mode immediately and gets no proof, whatever it sends', async () => {
    const { bot } = await createCredentialSet(service);
    const response = await service
      .as(bot)
      .sudo('a.b.c')
      .post('/v1/notes', { note: 'x', mfa_method: 'totp', mfa_code: '1' });
    expect([response.status, response.body]).toEqual([200, { note: 'x' }]);
    expect(response.headers.has(HEADER)).toBe(false);
  });

  test('an account with no password, authenticator or passkey also needs no proof; an invalid one is not echoed', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    const response = await attempt(body.token, { password: 'not a password' }, 'a.b.c');
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.has(HEADER)).toBe(false);
  });

  test('this ends with the first password, authenticator or passkey', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    const persona = { id: body.user_id, authorization: body.token, email: 'x', password: 'x', username: 'nobody' };
    await service.sql('UPDATE account SET email = $2, email_verified = true WHERE id = $1', [
      ...[persona.id, `nobody.${persona.id}@example.com`],
    ]);
    const key = await withPasskey(service, persona, new SoftwareAuthenticator(), {});
    expectRequired(await attempt(persona), { webauthn: true });
    expect((await attempt(persona, await passkeySudo(service, persona, key))).status).toBe(204);
    const second = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    const first = await service.as(second.body.token).patch('/v1/users/@me', { new_password: 'a first password' });
    expect(first.status).toBe(200);
    expectRequired(await attempt(first.body.token));
    expect((await attempt(first.body.token, { password: 'a first password' })).status).toBe(204);
  });
});

describe('8.3.2, 5.8.2 the proof', () => {
  test('a correct factor issues a new proof, which satisfies later requests and is returned unchanged', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const issued = await attempt(persona, { mfa_method: 'totp', mfa_code: authenticator.next() });
    expect(issued.status).toBe(204);
    const proof = proofOf(issued);
    const [header, claims] = proof
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toEqual({ alg: 'HS256', typ: TYPE, kid: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(claims).toEqual({
      epoch: 0,
      iss: 'http://localhost:8080',
      aud: 'sudo',
      sub: persona.id,
      iat: expect.any(Number),
      exp: claims.iat + 300,
      jti: expect.any(String),
    });
    for (let i = 0; i < 2; i++) {
      const reused = await attempt(persona, {}, proof);
      expect([reused.status, proofOf(reused)]).toEqual([204, proof]);
    }
  });

  test('with a valid proof the sudo members are ignored and nothing is consumed', async () => {
    const { persona, authenticator, backupCodes } = await withFactor('alice');
    const proof = await sudoProof(service, persona, authenticator);
    const code = authenticator.next();
    for (const members of [
      { mfa_method: 'totp', mfa_code: backupCodes[0] },
      { mfa_method: 'totp', mfa_code: code },
      { mfa_method: 'totp', mfa_code: '000000' },
      { password: 'a wrong password' },
    ]) {
      const response = await attempt(persona, members, proof);
      expect([response.status, proofOf(response)]).toEqual([204, proof]);
    }
    expect((await attempt(persona, { mfa_method: 'totp', mfa_code: backupCodes[0] })).status).toBe(204);
    expect((await attempt(persona, { mfa_method: 'totp', mfa_code: code })).status).toBe(204);
  });

  test('it lasts five minutes from its issue and is never extended', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const proof = await sudoProof(service, persona, authenticator);
    service.clock.advance({ seconds: 270 });
    const last = await attempt(persona, {}, proof);
    expect([last.status, proofOf(last)]).toEqual([204, proof]);
    service.clock.advance({ seconds: 30 });
    expectRequired(await attempt(persona, {}, proof), METHODS);
  });

  test('it is bound to the account, not to a session', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const proof = await sudoProof(service, persona, authenticator);
    const { body: challenge } = await service.anonymous.post('/v1/auth/login', persona);
    const { body } = await service.anonymous.post('/v1/auth/login/mfa/totp', {
      ticket: challenge.ticket,
      code: authenticator.next(),
    });
    expect((await attempt(body.token, {}, proof)).status).toBe(204);
  });

  test('its header is set whether the handler succeeds or fails, but not if the body is rejected', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const key = await withPasskey(service, persona, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    const path = '/v1/users/@me/mfa/webauthn/credentials/unknown';
    const failed = await service.as(persona).patch(path, { name: 'x', ...(await passkeySudo(service, persona, key)) });
    expectApiError(failed, 'UNKNOWN_WEBAUTHN_CREDENTIAL');
    const proof = proofOf(failed);
    expect(proof).not.toBe('');
    const again = await service.as(persona).sudo(proof).patch(path, { name: 'x' });
    expect(proofOf(again)).toBe(proof);
    const refused = await service.as(persona).sudo(proof).patch(path, { name: '' });
    expectInvalid(refused, 'name: INVALID_FORMAT');
    expect(refused.headers.has(HEADER)).toBe(false);
  });

  test('conditional sudo returns it only if the body requires sudo', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const proof = await sudoProof(service, persona, authenticator);
    const me = service.as(persona).sudo(proof);
    expect((await me.patch('/v1/users/@me', { bio: 'x' })).headers.has(HEADER)).toBe(false);
    expect((await me.patch('/v1/users/@me', { username: 'alice' })).headers.has(HEADER)).toBe(false);
    expect(proofOf(await me.patch('/v1/users/@me', { username: 'alicia' }))).toBe(proof);
  });
});

describe('8.3.3, 5.8.6 factors', () => {
  test('a password does not count if the account has a second factor', async () => {
    const { persona } = await withFactor('alice');
    expectRequired(await attempt(persona, { password: persona.password }), METHODS);
    expectRequired(await attempt(persona, { password: 'a wrong password' }), METHODS);
  });

  test('a TOTP code works once, over all operations', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const code = authenticator.next();
    expect((await attempt(persona, { mfa_method: 'totp', mfa_code: code })).status).toBe(204);
    expectInvalid(await attempt(persona, { mfa_method: 'totp', mfa_code: code }), 'mfa_code: INVALID_MFA_CODE');
    const { body } = await service.anonymous.post('/v1/auth/login', persona);
    const login = await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code });
    expectInvalid(login, 'code: INVALID_CODE');
  });

  test('a backup code is presented under mfa_method totp, with and without an authenticator, once', async () => {
    const { persona, backupCodes } = await withFactor('alice');
    const first = await attempt(persona, { mfa_method: 'totp', mfa_code: backupCodes[0] });
    expect(first.status).toBe(204);
    expect(proofOf(first)).not.toBe('');
    expectInvalid(
      await attempt(persona, { mfa_method: 'totp', mfa_code: backupCodes[0] }),
      'mfa_code: INVALID_MFA_CODE',
    );
    const bob = await person(service, 'bob');
    const key = await withPasskey(service, bob);
    const [code] = await passkeyAsSecondFactor(service, bob, key);
    const spelt = code?.toUpperCase().replace('-', ' ');
    const second = await attempt(bob, { mfa_method: 'totp', mfa_code: spelt });
    expect(second.status).toBe(204);
    expect(proofOf(second)).not.toBe('');
    expectInvalid(await attempt(bob, { mfa_method: 'totp', mfa_code: code }), 'mfa_code: INVALID_MFA_CODE');
  });

  test('a passkey counts with the switch off, and its assertion is accepted like any other', async () => {
    const alice = await person(service, 'alice');
    const key = await withPasskey(service, alice);
    const response = await attempt(alice, await passkeySudo(service, alice, key));
    expect(response.status).toBe(204);
    expect(proofOf(response)).not.toBe('');
    const wrong = async (spoil: (options: { challenge: string }) => object) => {
      const { body } = await service.as(alice).post('/v1/users/@me/sudo/webauthn/authentication-options');
      return attempt(alice, {
        mfa_method: 'webauthn',
        webauthn_challenge: body.challenge,
        webauthn_response: spoil(body),
      });
    };
    expectInvalid(
      await wrong((options) => key.get(options, { origin: 'https://evil.example' })),
      'mfa_code: INVALID_MFA_CODE',
    );
    expectInvalid(await wrong((options) => key.get(options, { up: false })), 'mfa_code: INVALID_MFA_CODE');
    expectInvalid(await wrong(() => ({})), 'mfa_code: INVALID_MFA_CODE');
    expect((await wrong((options) => key.get(options, { uv: false, userHandle: null }))).status).toBe(204);
  });

  test('an assertion for another purpose or by another account does not enter sudo mode', async () => {
    const [alice, mallory] = [await person(service, 'alice'), await person(service, 'mallory')];
    const [key, theirs] = [await withPasskey(service, alice), await withPasskey(service, mallory)];
    const { body: login } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const { body: registration } = await service
      .as(alice)
      .post(REGISTRATION_OPTIONS, await passkeySudo(service, alice, key));
    const { body: foreign } = await service.as(mallory).post('/v1/users/@me/sudo/webauthn/authentication-options');
    const { body: own } = await service.as(alice).post('/v1/users/@me/sudo/webauthn/authentication-options');
    const attempts = [
      [login.challenge, key],
      [registration.challenge, key],
      [foreign.challenge, key],
      [own.challenge, theirs],
      [own.challenge, key],
    ] as const;
    for (const [challenge, authenticator] of attempts) {
      const response = await attempt(alice, {
        mfa_method: 'webauthn',
        webauthn_challenge: challenge,
        webauthn_response: authenticator.get({ challenge }),
      });
      expectInvalid(response, 'mfa_code: INVALID_MFA_CODE');
    }
  });

  test.each(['TOTP code', 'backup code', 'assertion'])(
    'of 32 parallel requests with one %s exactly one enters',
    async (kind) => {
      const { persona, authenticator, backupCodes } = await withFactor('alice');
      const key = await withPasskey(service, persona, undefined, {
        mfa_method: 'totp',
        mfa_code: authenticator.next(),
      });
      const members = {
        'TOTP code': { mfa_method: 'totp', mfa_code: authenticator.next() },
        'backup code': { mfa_method: 'totp', mfa_code: backupCodes[0] },
        assertion: await passkeySudo(service, persona, key),
      }[kind] as object;
      const { responses } = await race(32, () => attempt(persona, members));
      expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
      for (const response of responses)
        if (response.status !== 204) expectInvalid(response, 'mfa_code: INVALID_MFA_CODE');
    },
  );

  test('an invalid body never consumes a factor', async () => {
    const { persona, authenticator, backupCodes } = await withFactor('alice');
    const key = await withPasskey(service, persona, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    const code = authenticator.next();
    const assertion = await passkeySudo(service, persona, key);
    for (const members of [
      { mfa_method: 'totp', mfa_code: code },
      { mfa_method: 'totp', mfa_code: backupCodes[0] },
      assertion,
    ]) {
      const refused = await service.as(persona).post(SUDO_OPERATION, { session_id_hashes: 'x', ...members });
      expectInvalid(refused, 'session_id_hashes: INVALID_FORMAT');
      expect((await attempt(persona, members)).status).toBe(204);
    }
  });
});

describe('8.3.4, 5.8.4 a password as the only factor', () => {
  test('it is required again for every operation and never issues a proof', async () => {
    const alice = await person(service, 'alice');
    for (let i = 0; i < 2; i++) {
      const response = await attempt(alice, { password: alice.password });
      expect(response.status).toBe(204);
      expect(response.headers.has(HEADER)).toBe(false);
      expectRequired(await attempt(alice));
    }
    expectInvalid(await attempt(alice, { password: 'a wrong password' }), 'password: INVALID_PASSWORD');
  });

  test('a proof from before the account lost its factors is rejected, even if it is well formed', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const proof = await sudoProof(service, persona, authenticator);
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [persona.id]);
    expectRequired(await attempt(persona, {}, proof), { backup_codes: true });
    expect((await attempt(persona, { password: persona.password }, proof)).headers.has(HEADER)).toBe(false);
  });
});

describe('8.3.5, 8.3.6 no usable factor, and too many factors', () => {
  test('members that prove nothing are SUDO_MODE_REQUIRED and charge nothing', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const useless = [
      { mfa_method: 'totp' },
      { mfa_code: '123456' },
      { mfa_method: 'webauthn' },
      { mfa_method: 'webauthn', mfa_code: '123456' },
      { mfa_method: 'webauthn', webauthn_challenge: 'x' },
      { mfa_method: 'webauthn', webauthn_response: {} },
      { webauthn_challenge: 'x', webauthn_response: {} },
      { mfa_method: 'totp', webauthn_challenge: 'x', webauthn_response: {} },
    ];
    for (const members of useless) expectRequired(await attempt(persona, members), METHODS);
    expect((await attempt(persona, { mfa_method: 'totp', mfa_code: authenticator.next() })).status).toBe(204);
    const plain = await person(service, 'plain');
    for (let i = 0; i < 11; i++) expectRequired(await attempt(plain, { mfa_method: 'totp', mfa_code: '123456' }));
    expect((await attempt(plain, { password: plain.password })).status).toBe(204);
  });

  test.each([
    [{ mfa_method: 'sms' }, 'mfa_method: INVALID_FORMAT'],
    [{ mfa_code: '' }, 'mfa_code: INVALID_FORMAT'],
    [{ mfa_code: 123456 }, 'mfa_code: INVALID_FORMAT'],
    [{ mfa_code: ['123456'] }, 'mfa_code: INVALID_FORMAT'],
    [{ mfa_code: 'x'.repeat(33) }, 'mfa_code: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ password: 'short' }, 'password: PASSWORD_LENGTH_INVALID'],
    [{ password: 'x'.repeat(257) }, 'password: PASSWORD_LENGTH_INVALID'],
    [{ webauthn_response: 'x' }, 'webauthn_response: INVALID_FORMAT'],
    [{ webauthn_response: [] }, 'webauthn_response: INVALID_FORMAT'],
    [{ webauthn_challenge: '' }, 'webauthn_challenge: INVALID_FORMAT'],
    [{ webauthn_challenge: 'x'.repeat(1025) }, 'webauthn_challenge: CONTENT_EXCEEDS_MAX_LENGTH'],
  ])('%j is an error of the body', async (members, fault) => {
    const alice = await person(service, 'alice');
    expectInvalid(await attempt(alice, members), fault);
  });

  test('at most ten attempts are accepted; after that a correct code is wrong, and a passkey still works', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const key = await withPasskey(service, persona, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    for (let i = 0; i < 10; i++) {
      expectInvalid(await attempt(persona, { mfa_method: 'totp', mfa_code: '000000' }), 'mfa_code: INVALID_MFA_CODE');
    }
    const code = authenticator.next();
    expectInvalid(await attempt(persona, { mfa_method: 'totp', mfa_code: code }), 'mfa_code: INVALID_MFA_CODE');
    expect((await attempt(persona, await passkeySudo(service, persona, key))).status).toBe(204);
    const disable = { ...(await passkeySudo(service, persona, key)), code };
    expectInvalid(await service.as(persona).post('/v1/users/@me/mfa/totp/disable', disable), 'code: INVALID_CODE');
  });

  test('the same limit holds for passwords; a correct one restores the allowance', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    for (let i = 0; i < 10; i++) {
      expectInvalid(await attempt(alice, { password: 'a wrong password' }), 'password: INVALID_PASSWORD');
    }
    expectInvalid(await attempt(alice, { password: alice.password }), 'password: INVALID_PASSWORD');
    for (let i = 0; i < 9; i++) await attempt(bob, { password: 'a wrong password' });
    for (let i = 0; i < 12; i++) expect((await attempt(bob, { password: bob.password })).status).toBe(204);
    await signIn(service, alice);
  });
});

describe('5.8.7 the two operations that never issue a proof', () => {
  test('registration options return neither a new proof nor the one that was sent', async () => {
    const { persona, authenticator } = await withFactor('alice');
    const fresh = await service
      .as(persona)
      .post(REGISTRATION_OPTIONS, { mfa_method: 'totp', mfa_code: authenticator.next() });
    expect([fresh.status, fresh.headers.has(HEADER)]).toEqual([200, false]);
    const proof = await sudoProof(service, persona, authenticator);
    const sent = await service.as(persona).sudo(proof).post(REGISTRATION_OPTIONS);
    expect([sent.status, sent.headers.has(HEADER)]).toEqual([200, false]);
    await service.sql('UPDATE account SET email_verified = false WHERE id = $1', [persona.id]);
    const failed = await service.as(persona).sudo(proof).post(REGISTRATION_OPTIONS);
    expectApiError(failed, 'MFA_EMAIL_VERIFICATION_REQUIRED');
    expect(failed.headers.has(HEADER)).toBe(false);
  });

  test('disabling the account returns none either, by factor, by proof or by password', async () => {
    for (const kind of ['factor', 'proof', 'password']) {
      const alice = await person(service, 'alice');
      const authenticator = kind === 'password' ? undefined : (await withTotp(service, alice)).authenticator;
      const proof = kind === 'proof' && authenticator ? await sudoProof(service, alice, authenticator) : undefined;
      const members = {
        factor: () => ({ mfa_method: 'totp', mfa_code: authenticator?.next() }),
        proof: () => ({}),
        password: () => ({ password: alice.password }),
      }[kind as 'factor']();
      const client = proof ? service.as(alice).sudo(proof) : service.as(alice);
      const response = await client.post('/v1/users/@me/disable', members);
      expect([response.status, response.headers.has(HEADER)]).toEqual([204, false]);
      expectApiError(await service.as(alice).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
  });
});

describe('credentials.md section 6 when a proof is revoked before it expires', () => {
  test.each([
    ['a password change', 'change'],
    ['a password reset', 'reset'],
    ['the removal of an authenticator', 'totp'],
    ['the removal of a passkey', 'passkey'],
    ['disabling the account', 'disable'],
    ['a scheduled deletion', 'delete'],
  ])('%s voids every proof of the account', async (_, kind) => {
    const { persona, authenticator } = await withFactor('alice');
    const key = await withPasskey(service, persona, undefined, { mfa_method: 'totp', mfa_code: authenticator.next() });
    const proof = await sudoProof(service, persona, authenticator);
    const me = service.as(persona).sudo(proof);
    let token = persona.authorization;
    const backIn = async () => {
      const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
      const assertion = { response: key.get(options), challenge: options.challenge };
      return (await service.anonymous.post('/v1/auth/webauthn/authenticate', assertion)).body.token as string;
    };
    if (kind === 'change') {
      const body = { password: persona.password, new_password: 'an entirely new one 8' };
      const response = await me.patch('/v1/users/@me', body);
      expect([response.status, response.headers.has(HEADER)]).toEqual([200, false]);
      token = response.body.token;
    } else if (kind === 'reset') {
      await service.anonymous.post('/v1/auth/forgot', { email: persona.email });
      const { metadata } = await mailTo(service, persona.email, 'password_reset');
      const reset = { token: metadata.token, password: 'an entirely new one 8' };
      expect((await service.anonymous.post('/v1/auth/reset', reset)).status).toBe(200);
      token = await backIn();
    } else if (kind === 'totp') {
      const response = await me.post('/v1/users/@me/mfa/totp/disable', { code: authenticator.next() });
      expect([response.status, response.headers.has(HEADER)]).toEqual([204, false]);
    } else if (kind === 'passkey') {
      const response = await me.delete(`/v1/users/@me/mfa/webauthn/credentials/${key.id}`);
      expect([response.status, response.headers.has(HEADER)]).toEqual([204, false]);
    } else {
      const response = await me.post(`/v1/users/@me/${kind}`);
      expect([response.status, response.headers.has(HEADER)]).toEqual([204, false]);
      token = await backIn();
    }
    expectApiError(await attempt(token, {}, proof), 'SUDO_MODE_REQUIRED');
  });
});

describe('SUD-02 to SUD-10 forged proofs', () => {
  let alice: Persona;
  let real: string;
  let key: CryptoKey | Uint8Array;
  let kid: string;
  beforeAll(async () => {
    const { persona, authenticator } = await withFactor('alice');
    alice = persona;
    real = await sudoProof(service, persona, authenticator);
    const { id, bytes } = service.app.get(Keyring).signing('sudo');
    kid = id;
    key = await keyOf(bytes);
  });

  const expectForged = async (proof: string) => expectRequired(await attempt(alice, {}, proof), METHODS);
  const seconds = () => service.clock.seconds();
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  /** Signs a proof as the service does, with these members replaced. `undefined` removes a member. */
  async function forge(
    { header = {}, claims = {} }: { header?: Record<string, unknown>; claims?: Record<string, unknown> },
    signer: CryptoKey | Uint8Array = key,
  ): Promise<string> {
    const iat = seconds();
    const all = {
      ...{ epoch: 0, iss: 'http://localhost:8080', aud: 'sudo', sub: alice.id, iat, exp: iat + 300, jti: 'x' },
      ...claims,
    };
    const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const protectedHeader = { alg: 'HS256', typ: TYPE, kid, ...header } as JWTHeaderParameters;
    const shown = Object.fromEntries(Object.entries(protectedHeader).filter(([, value]) => value !== undefined));
    const input = `${encode(shown)}.${encode(kept)}`;
    const bytes = signer instanceof Uint8Array ? signer : undefined;
    if (protectedHeader.alg === 'HS256' && !bytes) {
      return new SignJWT(kept).setProtectedHeader(shown as JWTHeaderParameters).sign(signer);
    }
    return `${input}.${createHmac('sha256', bytes ?? Buffer.alloc(0))
      .update(input)
      .digest('base64url')}`;
  }

  test('the forge makes a valid proof if nothing is changed', async () => {
    expect((await attempt(alice, {}, await forge({}))).status).toBe(204);
    expect((await attempt(alice, {}, real)).status).toBe(204);
  });

  test.each(['none', 'None', 'nOnE', 'NONE', 'HS384', 'HS512', 'RS256', 'ES256', 'EdDSA', '', 'PBES2-HS256+A128KW'])(
    'the algorithm %j is rejected, with any signature',
    async (alg) => {
      const input = (await forge({ header: { alg } }, randomBytes(32))).split('.').slice(0, 2).join('.');
      const stripped = `${encode({ alg, typ: TYPE, kid })}.${real.split('.')[1]}`;
      for (const signature of ['', real.split('.')[2], 'A'.repeat(43), Buffer.alloc(64).toString('base64url')]) {
        await expectForged(`${input}.${signature}`);
        await expectForged(`${stripped}.${signature}`);
      }
    },
  );

  test('a signature by a public key, an empty key, another key of ours or an unknown key is rejected', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
    const keyring = service.app.get(Keyring);
    const others = ['captcha', 'totp', 'backup-code', 'mailed-code', 'outbox'].map(
      (label) => keyring.signing(label).bytes,
    );
    for (const bytes of [pem, Buffer.alloc(32), Buffer.alloc(1), randomBytes(32), ...others]) {
      await expectForged(await forge({}, bytes));
    }
    const [head, body] = real.split('.');
    for (const signature of ['', 'A'.repeat(43), randomBytes(32).toString('base64url')]) {
      await expectForged(`${head}.${body}.${signature}`);
    }
  });

  test.each([
    ['../../dev/null'],
    ["' OR 1=1 --"],
    ['https://evil.example/key'],
    ['00000000'],
    [''],
    [['a', 'b']],
    [{ a: 1 }],
    [null],
    [undefined],
  ])('the key ID %j is rejected', async (id) => {
    await expectForged(await forge({ header: { kid: id } }));
  });

  test.each([
    ['jku', 'https://evil.example/jwks'],
    ['x5u', 'https://evil.example/cert'],
    ['jwk', { kty: 'oct', k: 'AAAA' }],
    ['x5c', ['AAAA']],
    ['crit', ['exp']],
    ['b64', false],
    ['zip', 'DEF'],
  ])('a header with %s does not make another key valid', async (name, value) => {
    await expectForged(await forge({ header: { [name]: value } }, randomBytes(32)));
  });

  test.each([['JWT'], ['sudo+jwt'], ['gatehouse-sudo'], ['at+jwt'], [undefined], [null]])(
    'a token of type %j is of another purpose',
    async (typ) => {
      await expectForged(await forge({ header: { typ } }));
    },
  );

  test.each([
    ['aud', 'captcha'],
    ['aud', undefined],
    ['aud', []],
    ['iss', 'https://evil.example'],
    ['iss', undefined],
    ['sub', '1'],
    ['sub', undefined],
    ['sub', ['x']],
    ['epoch', 1],
    ['epoch', -1],
    ['epoch', '0'],
    ['epoch', undefined],
    ['epoch', null],
    ['jti', undefined],
  ])('the claim %s: %j is rejected', async (name, value) => {
    await expectForged(await forge({ claims: { [name]: value } }));
  });

  test('the account ID as a number or in a list is rejected', async () => {
    await expectForged(await forge({ claims: { sub: Number(alice.id) } }));
    await expectForged(await forge({ claims: { sub: [alice.id] } }));
  });

  test('times are checked against the clock of the service, without leeway', async () => {
    const now = seconds();
    const times: Record<string, unknown>[] = [
      { exp: now },
      { exp: now - 1 },
      { exp: undefined },
      { exp: '9999999999' },
      { exp: -1 },
      { exp: null },
      { iat: now - 301, exp: now + 10 },
      { iat: now + 60, exp: now + 360 },
      { iat: undefined },
      { iat: 'x' },
      { nbf: now + 60 },
    ];
    for (const claims of times) await expectForged(await forge({ claims }));
    await expectForged(await forge({ claims: { exp: 1e308, iat: now - 301 } }));
  });

  test('for a duplicate member of the payload, only the last value counts', async () => {
    const [head] = (await forge({})).split('.');
    const payload = `{"sub":"${alice.id}","sub":"1","epoch":0,"iss":"http://localhost:8080","aud":"sudo","iat":${seconds()},"exp":${seconds() + 300},"jti":"x"}`;
    const input = `${head}.${Buffer.from(payload).toString('base64url')}`;
    const { bytes } = service.app.get(Keyring).signing('sudo');
    await expectForged(`${input}.${createHmac('sha256', bytes).update(input).digest('base64url')}`);
  });

  test('only the canonical spelling of the compact form is a proof', async () => {
    const [head, body, signature] = real.split('.') as [string, string, string];
    const last = signature.at(-1) as string;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sibling = alphabet[alphabet.indexOf(last) ^ 1] as string;
    const spellings = [
      `${head}.${body}`,
      `${head}.${body}.${signature}.x`,
      `${real}.x.y.z`,
      `${real}=`,
      `${head}=.${body}.${signature}`,
      `${head}.${body}..${signature}`,
      `${real}, ${real}`,
      `Bearer ${real}`,
      `"${real}"`,
      `${head}. ${body}.${signature}`,
      `${head}.${body}.${signature.slice(0, -1)}${sibling}`,
      `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+`,
      `${head}.${body}.${Buffer.from(signature, 'base64url').toString('base64')}`,
      JSON.stringify({ protected: head, payload: body, signature }),
      `${head.toUpperCase()}.${body}.${signature}`,
      'x'.repeat(4096),
      `${'A'.repeat(3000)}.${'A'.repeat(3000)}.${'A'.repeat(43)}`,
    ];
    for (const spelling of spellings) await expectForged(spelling);
  });

  test('a duplicate header counts as missing; an oversized one is rejected first', async () => {
    const body = '{"session_id_hashes":[]}';
    const lines = (proofs: string[]) => [
      `POST ${SUDO_OPERATION} HTTP/1.1`,
      `Authorization: ${alice.authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...proofs.map((proof) => `X-Service-Sudo-Mode-JWT: ${proof}`),
    ];
    expect((await sendRaw(service, lines([real]), { body })).status).toBe(204);
    expectRequired(await sendRaw(service, lines([real, real]), { body }), METHODS);
    expectRequired(await sendRaw(service, lines([real, '']), { body }), METHODS);
    const huge = await attempt(alice, {}, 'x'.repeat(100_000));
    expect(huge.status).toBe(431);
  });

  test('an encrypted token is rejected without any decryption', async () => {
    const claims = { epoch: 0, sub: alice.id };
    const jwe = await new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: TYPE, kid })
      .encrypt(service.app.get(Keyring).signing('sudo').bytes);
    await expectForged(jwe);
    const bomb = `${encode({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2 ** 31, p2s: 'AAAA', typ: TYPE, kid })}.AAAA.AAAA.AAAA.AAAA`;
    // The key derivation that this header requests would take 15 minutes.
    await expectForged(bomb);
  });

  test('a proof of an earlier epoch is not accepted', async () => {
    const { persona, authenticator } = await withFactor('bob');
    const proof = await sudoProof(service, persona, authenticator);
    await service.sql('UPDATE account SET epoch = epoch + 1 WHERE id = $1', [persona.id]);
    expectRequired(await attempt(persona, {}, proof), METHODS);
  });
});

describe('5.8.1 the suspicious-activity gate', () => {
  test('it comes after the identity, and before the body and sudo', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [alice.id]);
    const refused = await service.as(alice).post('/v1/users/@me/mfa/totp/enable', 'not json');
    expectApiError(refused, 'ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: 4 } });
    expect(refused.body).toEqual({
      code: 'ACCOUNT_SUSPICIOUS_ACTIVITY',
      message: expect.any(String),
      data: { suspicious_activity_flags: 4 },
    });
    expectApiError(await service.anonymous.post('/v1/users/@me/mfa/totp/enable'), 'UNAUTHORIZED');
  });

  test('a flag takes effect from the next request after it is set or met', async () => {
    const alice = await person(service, 'alice');
    const list = () => service.as(alice).get('/v1/users/@me/mfa/webauthn/credentials');
    expect((await list()).status).toBe(200);
    await service.sql('UPDATE account SET suspicious_flags = 5 WHERE id = $1', [alice.id]);
    expectApiError(await list(), 'ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: 5 } });
    await service.sql('UPDATE account SET has_verified_phone = true WHERE id = $1', [alice.id]);
    expectApiError(await list(), 'ACCOUNT_SUSPICIOUS_ACTIVITY', { data: { suspicious_activity_flags: 1 } });
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [alice.id]);
    expect((await list()).status).toBe(200);
  });
});
