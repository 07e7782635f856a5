import { decodeJwt } from 'jose';
import {
  type App,
  consent,
  exchange,
  expectApiError,
  expectInvalid,
  newApp,
  type Persona,
  parametersOf,
  passkeySudo,
  person,
  race,
  refresh,
  sudoProof,
  type TestResponse,
  verifiedPerson,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { gatehouseWithSso, ScriptedProvider, signInBySso, startSso } from '../support/sso.js';

let provider: ScriptedProvider;
let service: Awaited<ReturnType<typeof gatehouseWithSso>>;
let owner: Persona;
let app: App;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider);
  owner = await person(service, 'owner');
  app = await newApp(service, owner);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const counted = async () =>
  (
    await service.sql(
      `SELECT (SELECT count(*)::int FROM oauth_code) AS codes,
         (SELECT count(*)::int FROM security_event WHERE type = 'application_authorized') AS events`,
    )
  )[0];

async function withoutEffect<T>(work: () => Promise<T>): Promise<T> {
  const before = await counted();
  const result = await work();
  expect(await counted()).toEqual(before);
  return result;
}

const ask = (of: { authorization: string }, more: Record<string, unknown> = {}): Promise<TestResponse> =>
  consent(service, of, app, { scope: 'openid', ...more });

const ACR2 = 'urn:gatehouse:acr:2';
const NO_METHODS = { totp: false, webauthn: false, backup_codes: false };

/** Exchanges the code of a consent. Returns the claims of its ID token and of that of a refresh. */
async function claimsOf({ status, body }: TestResponse) {
  expect({ status, body }).toEqual({ status: 200, body: { redirect_to: expect.any(String) } });
  const tokens = (await exchange(service, app, parametersOf(body.redirect_to).code as string)).body;
  const first = decodeJwt<{ auth_time: number; amr: string[]; acr: string }>(tokens.id_token);
  const next = decodeJwt((await refresh(service, app, tokens.refresh_token)).body.id_token);
  for (const name of ['auth_time', 'amr', 'acr']) expect(next[name]).toEqual(first[name as 'acr']);
  return first;
}

const now = () => Math.floor(service.clock.now() / 1000);
const isNow = (time: number) => Math.abs(now() - time) <= 5;

const ageSessions = (of: { id: string }, seconds: number) =>
  service.sql("UPDATE session SET authenticated_at = now() - $2::int * interval '1 second' WHERE account_id = $1", [
    ...[of.id, seconds],
  ]);

// First, because authenticators move the clock.
describe('4 reauthentication without a method of the service', () => {
  test('an account of the identity provider signs in there again', async () => {
    const signedIn = await signInBySso(service, provider, { sub: 'carol', email: 'sso@example.com' });
    expect(signedIn.status).toBe(200);
    const carol = { authorization: signedIn.body.token, id: signedIn.body.user_id };
    const recent = await claimsOf(await ask(carol, { prompt: 'login' }));
    expect(isNow(recent.auth_time)).toBe(true);
    await ageSessions(carol, 301);
    const refused = await withoutEffect(() => ask(carol, { prompt: 'login' }));
    expectApiError(refused, 'SUDO_MODE_REQUIRED', { has_mfa: false, methods: NO_METHODS });
    expectApiError(await ask(carol, { prompt: 'login', password: 'any password' }), 'INVALID_FORM_BODY');
    const { authorization_url: url } = await startSso(service, { prompt: 'login' });
    expect(parametersOf(url)).toHaveProperty('prompt', 'login');
    expect(parametersOf((await startSso(service)).authorization_url)).not.toHaveProperty('prompt');
    const again = await signInBySso(service, provider, { sub: 'carol', email: 'sso@example.com' });
    const { auth_time } = await claimsOf(await ask({ authorization: again.body.token }, { prompt: 'login' }));
    expect(isNow(auth_time)).toBe(true);
  });

  test('an account without any method gets login_required', async () => {
    const bob = await person(service, 'bob');
    await service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [bob.id]);
    const { status, body } = await withoutEffect(() => ask(bob, { prompt: 'login', state: 's' }));
    expect(status).toBe(200);
    expect(parametersOf(body.redirect_to)).toMatchObject({ error: 'login_required', state: 's' });
  });
});

describe('4 reauthentication by password', () => {
  test('prompt=login always asks for it, max_age only for an older sign-in', async () => {
    const bob = await verifiedPerson(service, 'bob');
    await ageSessions(bob, 1000);
    for (const more of [{ prompt: 'login' }, { prompt: 'login consent' }, { max_age: 999 }, { max_age: 0 }]) {
      const refused = await withoutEffect(() => ask(bob, more));
      expectApiError(refused, 'SUDO_MODE_REQUIRED', { has_mfa: false, methods: NO_METHODS });
      const { auth_time, amr, acr } = await claimsOf(await ask(bob, { ...more, password: bob.password }));
      expect(isNow(auth_time)).toBe(true);
      expect({ amr, acr }).toEqual({ amr: ['pwd'], acr: 'urn:gatehouse:acr:1' });
    }
    const { auth_time } = await claimsOf(await ask(bob, { max_age: 1100 }));
    expect(Math.abs(now() - 1000 - auth_time)).toBeLessThanOrEqual(5);
    // The proof belongs to its code, not to the session.
    expectApiError(await ask(bob, { max_age: 999 }), 'SUDO_MODE_REQUIRED');
  });

  test('a wrong password has no effect, and denying needs no proof', async () => {
    const bob = await person(service, 'bob');
    const wrong = await withoutEffect(() => ask(bob, { prompt: 'login', password: 'wrong password' }));
    expectInvalid(wrong, 'password: INVALID_PASSWORD');
    const { body } = await ask(bob, { prompt: 'login', decision: 'deny' });
    expect(parametersOf(body.redirect_to)).toMatchObject({ error: 'access_denied' });
  });

  test('it is last in the order of errors', async () => {
    const bob = await person(service, 'bob');
    const hidden = await newApp(service, owner, { bot_public: false });
    const proof = { prompt: 'login', password: 'wrong password' };
    for (const more of [{ prompt: 'login' }, proof]) {
      expectApiError(await consent(service, bob, { ...app, id: '1' }, more), 'UNKNOWN_APPLICATION');
      expectApiError(await ask(bob, { ...more, redirect_uri: 'https://evil.example/' }), 'INVALID_REQUEST');
      expectApiError(await ask(bob, { ...more, id_token_hint: 'x' }), 'INVALID_REQUEST');
      expectApiError(await ask(bob, { ...more, scope: 'nonsense' }), 'INVALID_SCOPE');
      expectApiError(await consent(service, bob, hidden, { ...more, scope: 'bot' }), 'BOT_IS_PRIVATE');
    }
  });

  test('a bot that needs no code grant is not added without it', async () => {
    const bob = await person(service, 'bob');
    const more = { scope: 'bot', redirect_uri: undefined, prompt: 'login' };
    const bots = () => service.sql('SELECT 1 FROM oauth_bot_grant WHERE account_id = $1', [bob.id]);
    expectApiError(await ask(bob, more), 'SUDO_MODE_REQUIRED');
    expect(await bots()).toEqual([]);
    expect((await ask(bob, { ...more, password: bob.password })).status).toBe(200);
    expect(await bots()).toHaveLength(1);
  });
});

describe('4 reauthentication by a factor', () => {
  test('only a factor in the body counts, never the header, and no proof is returned', async () => {
    const bob = await verifiedPerson(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const proof = await sudoProof(service, bob, authenticator);
    expect(proof).not.toBe('');
    const refused = await withoutEffect(() =>
      service
        .as(bob)
        .sudo(proof)
        .post('/v1/oauth2/authorize/consent', {
          ...{ client_id: app.id, redirect_uri: app.redirectUri, scope: 'openid', prompt: 'login' },
        }),
    );
    expectApiError(refused, 'SUDO_MODE_REQUIRED', {
      ...{ has_mfa: true, methods: { totp: true, webauthn: false, backup_codes: true } },
    });
    // The password alone is not enough for an account with a factor.
    expectApiError(await ask(bob, { prompt: 'login', password: bob.password }), 'SUDO_MODE_REQUIRED');
    const wrong = await withoutEffect(() => ask(bob, { prompt: 'login', mfa_method: 'totp', mfa_code: '000000' }));
    expectInvalid(wrong, 'mfa_code: INVALID_MFA_CODE');
    const response = await ask(bob, { prompt: 'login', mfa_method: 'totp', mfa_code: authenticator.next() });
    expect(response.headers.has('x-service-sudo-mode-jwt')).toBe(false);
    const { auth_time, amr, acr } = await claimsOf(response);
    expect({ isNow: isNow(auth_time), amr, acr }).toEqual({ isNow: true, amr: ['otp'], acr: 'urn:gatehouse:acr:1' });
  });

  test('32 consents with one code give one authorization', async () => {
    const bob = await verifiedPerson(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const factor = { mfa_method: 'totp', mfa_code: authenticator.next() };
    const before = await counted();
    const { statuses, of } = await race(32, () => ask(bob, { prompt: 'login', ...factor }));
    expect(statuses).toEqual({ 200: 1, 400: 31 });
    for (const response of of(400)) expectInvalid(response, 'mfa_code: INVALID_MFA_CODE');
    expect(await counted()).toEqual({ codes: before?.codes + 1, events: before?.events + 1 });
  });

  test('acr 2 needs the password and the code, or a passkey', async () => {
    const bob = await verifiedPerson(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const acr = { acr_values: ACR2 };
    const refused = await withoutEffect(() => ask(bob, acr));
    expectApiError(refused, 'SUDO_MODE_REQUIRED', {
      ...{ has_mfa: true, methods: { totp: true, webauthn: false, backup_codes: true }, password_required: true },
    });
    const code = () => ({ mfa_method: 'totp', mfa_code: authenticator.next() });
    expectApiError(await withoutEffect(() => ask(bob, { ...acr, ...code() })), 'SUDO_MODE_REQUIRED');
    const wrong = await withoutEffect(() => ask(bob, { ...acr, ...code(), password: 'wrong password' }));
    expectInvalid(wrong, 'password: INVALID_PASSWORD');
    const claims = await claimsOf(await ask(bob, { ...acr, ...code(), password: bob.password }));
    expect(claims).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: ACR2 });
    await service.sql("UPDATE session SET auth_level = 2, amr = '{pwd,otp,mfa}' WHERE account_id = $1", [bob.id]);
    expect(await claimsOf(await ask(bob, acr))).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: ACR2 });
  });

  test('phr needs a passkey', async () => {
    const bob = await verifiedPerson(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const key = await withPasskey(service, bob, undefined, {
      ...{ mfa_method: 'totp', mfa_code: authenticator.next() },
    });
    const refused = await withoutEffect(() => ask(bob, { acr_values: 'phr' }));
    expectApiError(refused, 'SUDO_MODE_REQUIRED', {
      ...{ has_mfa: true, methods: { totp: false, webauthn: true, backup_codes: false } },
    });
    const code = { mfa_method: 'totp', mfa_code: authenticator.next(), password: bob.password };
    expectApiError(await withoutEffect(() => ask(bob, { acr_values: 'phr', ...code })), 'SUDO_MODE_REQUIRED');
    const claims = await claimsOf(await ask(bob, { acr_values: 'phr', ...(await passkeySudo(service, bob, key)) }));
    expect(claims).toMatchObject({ amr: ['pop', 'hwk'], acr: 'phr' });
    const lower = await ask(bob, { acr_values: `${ACR2} phr`, ...(await passkeySudo(service, bob, key)) });
    expect(await claimsOf(lower)).toMatchObject({ acr: 'phr' });
  });

  test('a level that the account cannot reach is not requested, and unknown ones are ignored', async () => {
    const bob = await verifiedPerson(service, 'bob');
    for (const acr of [ACR2, 'phr', `${ACR2} phr`, 'urn:gatehouse:acr:1', 'urn:unknown', 'urn:gatehouse:acr:1 phr']) {
      expect(await claimsOf(await ask(bob, { acr_values: acr }))).toMatchObject({ acr: 'urn:gatehouse:acr:1' });
    }
    // An authenticator app does not reach the level of a passkey.
    await withTotp(service, bob);
    expect(await claimsOf(await ask(bob, { acr_values: 'phr' }))).toMatchObject({ acr: 'urn:gatehouse:acr:1' });
  });
});
