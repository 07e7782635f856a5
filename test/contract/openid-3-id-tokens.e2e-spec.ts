import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { Config } from '../../src/core/config/config.js';
import {
  type App,
  CALLBACK,
  consent,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newApp,
  newCode,
  type Persona,
  parametersOf,
  passkeyAsSecondFactor,
  person,
  race,
  refresh,
  SoftwareAuthenticator,
  signIn,
  type Tokens,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { picture } from '../support/pictures.js';

let service: Gatehouse;
let alice: Persona;
let app: App;
beforeAll(async () => {
  service = await gatehouse();
  alice = await verifiedPerson(service, 'alice');
  app = await newApp(service, alice);
});
afterAll(() => service.close());

/** An authenticator whose passkey is synchronized between devices. */
class SyncedAuthenticator extends SoftwareAuthenticator {
  override create(...[options, flaws]: Parameters<SoftwareAuthenticator['create']>) {
    return super.create(options, { be: true, ...flaws });
  }

  override get(...[options, flaws]: Parameters<SoftwareAuthenticator['get']>) {
    return super.get(options, { be: true, ...flaws });
  }
}

type IdentityTokens = Tokens & { readonly id_token?: string };

/** Completes the code flow of a session. */
async function tokensOf(authorization: string, of: App = app, more: Record<string, unknown> = {}) {
  const code = await newCode(service, { authorization }, of, { scope: 'openid', ...more });
  const { status, body } = await exchange(service, of, code);
  expect({ status, body }).toEqual({ status: 200, body: expect.anything() });
  return body as IdentityTokens;
}

/** Verifies an ID token as an application does, and returns its claims. */
async function claimsOf(idToken: string | undefined, of: App = app): Promise<JWTPayload & Record<string, unknown>> {
  const { body } = await service.anonymous.get('/.well-known/jwks.json');
  const { body: metadata } = await service.anonymous.get('/.well-known/openid-configuration');
  const { payload, protectedHeader } = await jwtVerify(idToken ?? '', createLocalJWKSet(body), {
    ...{ issuer: metadata.issuer, audience: of.id, typ: 'JWT', currentDate: service.clock.date() },
  });
  expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
  return payload;
}

const methodsOf = async (authorization: string) => {
  const { amr, acr } = await claimsOf((await tokensOf(authorization)).id_token);
  return { amr, acr };
};

const logout = async (authorization: string) =>
  expect((await service.as(authorization).post('/v1/auth/logout')).status).toBe(204);

describe('3 claims', () => {
  test('openid alone gives the protocol claims and the subject', async () => {
    const { id_token, access_token } = await tokensOf(alice.authorization, app, { nonce: ' n ' });
    const claims = await claimsOf(id_token);
    const half = createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url');
    expect(claims).toEqual({
      iss: expect.any(String),
      ...{ aud: app.id, azp: app.id, sub: alice.id, nonce: ' n ', at_hash: half },
      ...{ iat: expect.any(Number), exp: (claims.iat ?? 0) + 3600, auth_time: expect.any(Number) },
      ...{ sid: expect.stringMatching(/^[\w-]{22}$/), amr: ['pwd'], acr: 'urn:gatehouse:acr:1' },
    });
    const [session] = await service.sql(
      'SELECT floor(extract(epoch FROM created_at))::int AS at FROM session WHERE account_id = $1',
      [alice.id],
    );
    expect(Math.abs(Number(claims.auth_time) - session?.at)).toBeLessThanOrEqual(1);
    expect(Math.abs(Number(claims.iat) - service.clock.now() / 1000)).toBeLessThan(60);
  });

  test('profile and email add claims, in the ID token and in userinfo', async () => {
    await service.as(alice).patch('/v1/users/@me', { global_name: 'Alice A.' });
    const { id_token, access_token, scope } = await tokensOf(alice.authorization, app, {
      scope: 'email offline_access profile openid',
    });
    expect(scope).toBe('email openid profile offline_access');
    const { body: me } = await service.as(alice).get('/v1/users/@me');
    const expected = {
      ...{ sub: alice.id, name: 'Alice A.', preferred_username: `${me.username}#${me.discriminator}` },
      ...{ locale: me.locale, updated_at: expect.any(Number), email: alice.email, email_verified: true },
    };
    expect(await claimsOf(id_token)).toMatchObject(expected);
    for (const method of ['get', 'post'] as const) {
      const { status, body } = await service.as(`Bearer ${access_token}`)[method]('/v1/oauth2/openid/userinfo');
      expect({ status, body }).toEqual({ status: 200, body: expected });
    }
  });

  test('an email address that is not verified is absent, like an avatar that does not exist', async () => {
    const bob = await person(service, 'bob');
    const { id_token, access_token } = await tokensOf(bob.authorization, app, { scope: 'openid email profile' });
    for (const claims of [
      await claimsOf(id_token),
      (await service.as(`Bearer ${access_token}`).get('/v1/oauth2/openid/userinfo')).body,
    ]) {
      for (const name of ['email', 'email_verified', 'picture']) expect(claims).not.toHaveProperty(name);
      expect(claims.name).toBe(bob.username);
    }
  });

  test('profile adds the URL of the avatar', async () => {
    const bob = await person(service, 'bob');
    const avatar = (await picture('png')).toString('base64');
    expect((await service.as(bob).patch('/v1/users/@me', { avatar })).status).toBe(200);
    const { body: me } = await service.as(bob).get('/v1/users/@me');
    const claims = await claimsOf((await tokensOf(bob.authorization, app, { scope: 'openid profile' })).id_token);
    expect(claims.picture).toBe(`${service.app.get(Config).media.baseUrl}/avatars/${bob.id}/${me.avatar}.webp`);
  });

  test('without openid there is no ID token, and no userinfo of OpenID Connect', async () => {
    const tokens = await tokensOf(alice.authorization, app, { scope: 'identify profile' });
    expect(tokens).not.toHaveProperty('id_token');
    const response = await service.as(`Bearer ${tokens.access_token}`).get('/v1/oauth2/openid/userinfo');
    expectApiError(response, 'MISSING_OAUTH_SCOPE', { required_scope: 'openid' });
    const only = await tokensOf(alice.authorization);
    expectApiError(await service.as(`Bearer ${only.access_token}`).get('/v1/oauth2/userinfo'), 'MISSING_OAUTH_SCOPE', {
      required_scope: 'identify',
    });
  });

  test('userinfo of an account that was banned is UNAUTHORIZED', async () => {
    const bob = await person(service, 'bob');
    const { access_token } = await tokensOf(bob.authorization);
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [bob.id]);
    expectApiError(await service.as(`Bearer ${access_token}`).get('/v1/oauth2/openid/userinfo'), 'UNAUTHORIZED');
  });

  test.each(['RS256', 'ES256', 'EdDSA'])('an application can choose %s', async (alg) => {
    const own = await newApp(service, alice, { id_token_signed_response_alg: alg });
    const { id_token, access_token } = await tokensOf(alice.authorization, own);
    expect(decodeProtectedHeader(id_token ?? '')).toMatchObject({ alg, typ: 'JWT' });
    const { at_hash } = await claimsOf(id_token, own);
    const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
      .update(access_token)
      .digest();
    expect(at_hash).toBe(digest.subarray(0, digest.length / 2).toString('base64url'));
    const changed = await service
      .as(alice)
      .patch(`/v1/oauth2/applications/${own.id}`, { id_token_signed_response_alg: 'none' });
    expectInvalid(changed, 'id_token_signed_response_alg: INVALID_FORMAT');
    expect((await service.as(alice).get(`/v1/oauth2/applications/${own.id}`)).body.id_token_signed_response_alg).toBe(
      alg,
    );
  });
});

describe('3 sid', () => {
  test('is the same for one session and application, and differs otherwise', async () => {
    const other = await newApp(service, alice);
    const sid = async (authorization: string, of: App) =>
      (await claimsOf((await tokensOf(authorization, of)).id_token, of)).sid;
    const first = await sid(alice.authorization, app);
    expect(await sid(alice.authorization, app)).toBe(first);
    expect(await sid(alice.authorization, other)).not.toBe(first);
    expect(await sid(await signIn(service, alice), app)).not.toBe(first);
  });
});

describe('3 methods of the sign-in', () => {
  test('password and authenticator app', async () => {
    const bob = await person(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const { body } = await service.anonymous.post('/v1/auth/login', { email: bob.email, password: bob.password });
    const done = await service.anonymous.post('/v1/auth/login/mfa/totp', {
      ticket: body.ticket,
      code: authenticator.next(),
    });
    expect(done.status).toBe(200);
    expect(await methodsOf(done.body.token)).toEqual({ amr: ['pwd', 'otp', 'mfa'], acr: 'urn:gatehouse:acr:2' });
  });

  test.each([
    { be: false, amr: ['pop', 'hwk'] },
    { be: true, amr: ['pop'] },
  ])('a passkey, backup eligible: $be', async ({ be, amr }) => {
    const bob = await person(service, 'bob');
    const key = await withPasskey(service, bob, be ? new SyncedAuthenticator() : new SoftwareAuthenticator());
    const { body: options } = await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    const done = await service.anonymous.post('/v1/auth/webauthn/authenticate', {
      ...{ response: key.get(options), challenge: options.challenge },
    });
    expect(done.status).toBe(200);
    expect(await methodsOf(done.body.token)).toEqual({ amr, acr: 'phr' });
  });

  test('password and passkey', async () => {
    const bob = await person(service, 'bob');
    const key = await withPasskey(service, bob);
    await passkeyAsSecondFactor(service, bob, key);
    const { body } = await service.anonymous.post('/v1/auth/login', { email: bob.email, password: bob.password });
    const { body: options } = await service.anonymous.post('/v1/auth/login/mfa/webauthn/authentication-options', {
      ticket: body.ticket,
    });
    const done = await service.anonymous.post('/v1/auth/login/mfa/webauthn', {
      ...{ ticket: body.ticket, response: key.get(options), challenge: options.challenge },
    });
    expect(done.status).toBe(200);
    expect(await methodsOf(done.body.token)).toMatchObject({ amr: ['pwd', 'pop', 'hwk', 'mfa'], acr: 'phr' });
  });

  test('a handoff copies time and methods of the approving session', async () => {
    await service.sql(
      "UPDATE session SET authenticated_at = '2026-01-01T00:00:00Z', amr = '{pwd,otp,mfa}', auth_level = 2 WHERE account_id = $1",
      [alice.id],
    );
    const { body: handoff } = await service.anonymous.post('/v1/auth/handoff/initiate');
    await service.anonymous.get(`/v1/auth/handoff/${handoff.code}/info`);
    const approved = await service.as(alice).post('/v1/auth/handoff/complete', {
      ...{ code: handoff.code, user_id: alice.id, confirmation: handoff.confirmation },
    });
    expect(approved.status).toBe(204);
    const collected = await service.anonymous.post(`/v1/auth/handoff/${handoff.code}/status`, {
      poll_secret: handoff.poll_secret,
    });
    const { auth_time, amr, acr } = await claimsOf((await tokensOf(collected.body.token)).id_token);
    expect({ auth_time, amr, acr }).toEqual({
      ...{ auth_time: Date.UTC(2026, 0) / 1000, amr: ['pwd', 'otp', 'mfa'], acr: 'urn:gatehouse:acr:2' },
    });
  });

  test('a session from before this feature has the time of its creation, and no methods', async () => {
    const old = await signIn(service, alice);
    await service.sql(
      "UPDATE session SET authenticated_at = NULL, amr = '{}', auth_level = 1, created_at = '2026-02-01T00:00:00Z' WHERE digest = $1",
      [createHash('sha256').update(old).digest()],
    );
    const claims = await claimsOf((await tokensOf(old)).id_token);
    expect(claims).toMatchObject({ auth_time: Date.UTC(2026, 1) / 1000, acr: 'urn:gatehouse:acr:1' });
    expect(claims).not.toHaveProperty('amr');
  });
});

describe('3 refresh and the end of the session', () => {
  test('a refresh returns a new ID token of the same sign-in, without the nonce', async () => {
    const first = await tokensOf(await signIn(service, alice), app, { nonce: 'once' });
    const before = await claimsOf(first.id_token);
    const { body } = await refresh(service, app, first.refresh_token);
    const after = await claimsOf(body.id_token);
    expect(after).not.toHaveProperty('nonce');
    expect(after.at_hash).not.toBe(before.at_hash);
    for (const name of ['sub', 'sid', 'auth_time', 'amr', 'acr']) expect(after[name]).toEqual(before[name]);
  });

  test('a refresh for fewer scopes returns no ID token without openid', async () => {
    const first = await tokensOf(alice.authorization, app, { scope: 'openid email identify' });
    const { body } = await refresh(service, app, first.refresh_token, { scope: 'identify' });
    expect(body.scope).toBe('identify');
    expect(body).not.toHaveProperty('id_token');
  });

  test('a repeated refresh signs again for the same scope, and is reuse for another', async () => {
    const first = await tokensOf(alice.authorization, app, { scope: 'openid identify' });
    const won = await refresh(service, app, first.refresh_token, { scope: 'openid' });
    const again = await refresh(service, app, first.refresh_token, { scope: 'openid' });
    expect(again.body).toMatchObject({ access_token: won.body.access_token, refresh_token: won.body.refresh_token });
    expect(await claimsOf(again.body.id_token)).toMatchObject({ sub: alice.id });
    expectApiError(await refresh(service, app, first.refresh_token, { scope: 'identify' }), 'INVALID_GRANT');
    expect(await isTokenActive(service, won.body.access_token)).toBe(false);
  });

  test('after the end of the session the refresh works, and returns no ID token', async () => {
    const session = await signIn(service, alice);
    const first = await tokensOf(session);
    await logout(session);
    const { status, body } = await refresh(service, app, first.refresh_token);
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'openid' });
    expect(body).not.toHaveProperty('id_token');
    await service.sql('DELETE FROM session WHERE digest = $1', [createHash('sha256').update(session).digest()]);
    const later = await refresh(service, app, body.refresh_token);
    expect({ status: later.status, scope: later.body.scope }).toEqual({ status: 200, scope: 'openid' });
    expect(later.body).not.toHaveProperty('id_token');
  });

  test('a code whose session has ended is INVALID_GRANT and spent; one without openid still works', async () => {
    const session = await signIn(service, alice);
    const code = await newCode(service, { authorization: session }, app, { scope: 'openid' });
    const plain = await newCode(service, { authorization: session }, app);
    await logout(session);
    expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
    expect(
      await service.sql('SELECT 1 FROM oauth_code WHERE digest = $1', [createHash('sha256').update(code).digest()]),
    ).toEqual([]);
    expect((await exchange(service, app, plain)).status).toBe(200);
  });

  test('32 exchanges of one code give one ID token', async () => {
    const code = await newCode(service, alice, app, { scope: 'openid', nonce: 'race' });
    const { responses, statuses, codes } = await race(32, () => exchange(service, app, code));
    expect(statuses).toEqual({ 200: 1, 400: 31 });
    expect(codes).toEqual({ INVALID_GRANT: 31 });
    expect(responses.filter(({ body }) => body.id_token)).toHaveLength(1);
  });

  test('of an exchange and a logout at the same time, no session is lost that an application knows', async () => {
    for (let round = 0; round < 8; round++) {
      const session = await signIn(service, alice);
      const code = await newCode(service, { authorization: session }, app, { scope: 'openid' });
      const [exchanged] = await Promise.all([exchange(service, app, code), logout(session)]);
      const known = await service.sql(
        'SELECT 1 FROM openid_session o JOIN session s ON s.id = o.session_id WHERE s.digest = $1',
        [createHash('sha256').update(session).digest()],
      );
      if (exchanged.status === 200) expect(known).toHaveLength(1);
      else {
        expectApiError(exchanged, 'INVALID_GRANT');
        expect(known).toEqual([]);
      }
    }
  });
});

describe('4 nonce', () => {
  test.each(['', 'x'.repeat(256)])('is rejected if its length is %#: 1 to 255', async (nonce) => {
    const fault = nonce === '' ? 'INVALID_FORMAT' : 'CONTENT_EXCEEDS_MAX_LENGTH';
    expectInvalid(await consent(service, alice, app, { scope: 'openid', nonce }), `nonce: ${fault}`);
  });

  test('is forwarded to the consent page', async () => {
    const query = new URLSearchParams({ client_id: app.id, scope: 'openid', redirect_uri: CALLBACK, nonce: 'a+b' });
    const { headers } = await service.anonymous.get(`/v1/oauth2/authorize?${query}`);
    expect(parametersOf(headers.get('location') ?? '')).toMatchObject({ nonce: 'a+b' });
  });
});
