import { decodeJwt } from 'jose';
import {
  type App,
  CALLBACK,
  consent,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  newTokens,
  type Persona,
  parametersOf,
  person,
  type TestResponse,
  verifiedPerson,
} from '../support/index.js';

const ORIGIN = 'https://gate.example';
const CONSENT_PAGE = `${ORIGIN}/oauth2/authorize`;
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

let service: Gatehouse;
let alice: Persona;
let app: App;
let publicApp: App;
beforeAll(async () => {
  service = await gatehouse({ env: { PUBLIC_ORIGIN: ORIGIN } });
  alice = await verifiedPerson(service, 'alice');
  app = await newApp(service, alice);
  publicApp = await newApp(service, alice, { client_type: 'public' });
});
afterAll(() => service.close());

const counted = async () =>
  (
    await service.sql(
      `SELECT (SELECT count(*)::int FROM oauth_code) AS codes, (SELECT count(*)::int FROM oauth_family) AS families,
         (SELECT count(*)::int FROM oauth_bot_grant) AS bots,
         (SELECT count(*)::int FROM security_event WHERE type = 'application_authorized') AS events`,
    )
  )[0];

async function withoutEffect<T>(work: () => Promise<T>): Promise<T> {
  const before = await counted();
  const result = await work();
  expect(await counted()).toEqual(before);
  return result;
}

const request = (more: Record<string, string> = {}) => ({
  ...{ client_id: app.id, redirect_uri: CALLBACK, scope: 'openid', response_type: 'code', state: 'a b&c', ...more },
});

const authorize = (
  query: Record<string, string>,
  as?: { authorization: string },
  headers = {},
): Promise<TestResponse> => (as ? service.as(as) : service.anonymous).get('/v1/oauth2/authorize', { query, headers });

/** The target of a redirect without its query, and the query. */
function redirectOf({ status, headers }: TestResponse) {
  expect(status).toBe(302);
  const location = headers.get('location') as string;
  return { target: location.split('?')[0], query: parametersOf(location) };
}

/** The target and the query of `redirect_to`. */
function redirectOfConsent({ status, body }: TestResponse) {
  expect({ status, body }).toEqual({ status: 200, body: { redirect_to: expect.any(String) } });
  return { target: body.redirect_to.split('?')[0], query: parametersOf(body.redirect_to) };
}

const LOGIN_REQUIRED = { target: CALLBACK, query: { error: 'login_required', state: 'a b&c', iss: ORIGIN } };

async function idTokenOf(of: Persona, at: App = app): Promise<string> {
  const code = await newCode(service, of, at, { scope: 'openid' });
  return (await exchange(service, at, code)).body.id_token;
}

/** Moves the sign-in of all sessions of an account into the past. */
const ageSessions = (of: Persona, seconds: number) =>
  service.sql("UPDATE session SET authenticated_at = now() - $2::int * interval '1 second' WHERE account_id = $1", [
    ...[of.id, seconds],
  ]);

describe('2 discovery', () => {
  test('names what the authorization request supports', async () => {
    const { body } = await service.anonymous.get('/.well-known/openid-configuration');
    expect(body).toMatchObject({
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      acr_values_supported: ['urn:gatehouse:acr:1', 'urn:gatehouse:acr:2', 'phr'],
      ui_locales_supported: ['en-US', 'de', 'fr', 'es-ES', 'pt-BR', 'ja', 'ar'],
    });
  });
});

describe('4 parameters of GET /v1/oauth2/authorize', () => {
  test('are forwarded to the consent page verbatim, except those that are ignored', async () => {
    const sent = request({
      ...{ nonce: ' n ', prompt: 'login select_account', max_age: '60', login_hint: alice.email, ui_locales: 'fr de' },
      ...{ acr_values: 'phr', id_token_hint: await idTokenOf(alice) },
    });
    const { target, query } = redirectOf(await authorize({ ...sent, display: 'popup', response_mode: 'query' }));
    expect({ target, query }).toEqual({ target: CONSENT_PAGE, query: sent });
  });

  const LONG = 'x'.repeat(257);
  const faults: [string, Record<string, string>, string, string][] = [
    ['none with another value', { prompt: 'none login' }, 'prompt', 'invalid_request'],
    ['unknown prompt', { prompt: 'create' }, 'prompt', 'invalid_request'],
    ['negative max_age', { max_age: '-1' }, 'max_age', 'invalid_request'],
    ['fractional max_age', { max_age: '1.5' }, 'max_age', 'invalid_request'],
    ['max_age of more than a year', { max_age: '31536001' }, 'max_age', 'invalid_request'],
    ['long nonce', { nonce: 'x'.repeat(256) }, 'nonce', 'invalid_request'],
    ['long login_hint', { login_hint: 'x'.repeat(255) }, 'login_hint', 'invalid_request'],
    ['long id_token_hint', { id_token_hint: 'x'.repeat(4097) }, 'id_token_hint', 'invalid_request'],
    ['invalid id_token_hint', { id_token_hint: 'x.y.z' }, 'id_token_hint', 'invalid_request'],
    ['long ui_locales', { ui_locales: LONG }, 'ui_locales', 'invalid_request'],
    ['long display', { display: LONG }, 'display', 'invalid_request'],
    ['long acr_values', { acr_values: LONG }, 'acr_values', 'invalid_request'],
    ['fragment', { response_mode: 'fragment' }, 'response_mode', 'invalid_request'],
    ['form_post', { response_mode: 'form_post' }, 'response_mode', 'invalid_request'],
    ['implicit flow', { response_type: 'id_token' }, 'response_type', 'invalid_request'],
    ['no scope', { scope: '' }, 'scope', 'invalid_request'],
    ['request', { request: 'eyJ' }, 'request', 'request_not_supported'],
    ['request_uri', { request_uri: 'https://client.example/r' }, 'request_uri', 'request_uri_not_supported'],
    ['registration', { registration: '{}' }, 'registration', 'registration_not_supported'],
  ];
  test.each(faults)('%s is an error that the page shows', async (_title, more, parameter, error) => {
    const known = { client_id: app.id, redirect_uri: CALLBACK, state: 'a b&c' };
    for (const as of [undefined, alice]) {
      for (const prompt of ['', 'none']) {
        const { target, query } = await withoutEffect(async () =>
          redirectOf(await authorize(request({ prompt, ...more }), as)),
        );
        expect({ target, query }).toEqual({
          target: CONSENT_PAGE,
          query: { ...known, error, error_parameter: parameter },
        });
      }
    }
    const code = /long/.test(_title) ? 'CONTENT_EXCEEDS_MAX_LENGTH' : 'INVALID_FORMAT';
    const unregistered: Record<string, string>[] = [
      { client_id: '1' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: '' },
    ];
    for (const unknown of unregistered) {
      const response = await authorize(request({ ...more, ...unknown }), alice);
      expectInvalid(response, `${parameter}: ${code}`);
      expect(response.headers.has('location')).toBe(false);
    }
  });

  test('a state that is invalid itself is not returned', async () => {
    const { query } = redirectOf(await authorize(request({ state: 'x'.repeat(1025) })));
    expect(query).toEqual({
      ...{ client_id: app.id, redirect_uri: CALLBACK, error: 'invalid_request', error_parameter: 'state' },
    });
  });
});

describe('4 silent', () => {
  const silent = (more: Record<string, string> = {}) => request({ prompt: 'none', ...more });
  let bob: Persona;
  beforeAll(async () => {
    bob = await verifiedPerson(service, 'bob');
    await newTokens(service, bob, app, 'openid email');
  });

  /** Both ways of a silent request with a session: the navigation and the consent operation. */
  const both = async (more: Record<string, string> = {}, as: { authorization: string } = bob) => {
    const { max_age: age, ...rest }: Record<string, string> = silent(more);
    const body = { ...rest, ...(age !== undefined && { max_age: Number(age) }) };
    const consented = redirectOfConsent(await service.as(as).post('/v1/oauth2/authorize/consent', body));
    return [redirectOf(await authorize(silent(more), as)), consented];
  };

  test('without a session, a navigation leads to the page and any other request to login_required', async () => {
    expect(redirectOf(await authorize(silent(), undefined, NAVIGATION))).toEqual({
      target: CONSENT_PAGE,
      query: silent(),
    });
    for (const headers of [
      ...[{}, { 'sec-fetch-mode': 'navigate' }, { 'sec-fetch-dest': 'document' }],
      ...[
        { ...NAVIGATION, 'sec-fetch-dest': 'iframe' },
        { ...NAVIGATION, 'sec-fetch-mode': 'cors' },
      ],
    ]) {
      expect(redirectOf(await authorize(silent(), undefined, headers))).toEqual(LOGIN_REQUIRED);
    }
    expect(redirectOf(await authorize(silent(), bob, NAVIGATION)).query).toHaveProperty('code');
  });

  test('within the grant both ways give a code of the same sign-in with the nonce, and widen nothing', async () => {
    const before = await service.sql('SELECT scopes FROM oauth_family WHERE account_id = $1', [bob.id]);
    for (const { target, query } of await both({ nonce: 'silent' })) {
      expect(target).toBe(CALLBACK);
      expect(query).toEqual({ code: expect.any(String), state: 'a b&c', iss: ORIGIN });
      const { body } = await exchange(service, app, query.code as string);
      expect(decodeJwt(body.id_token)).toMatchObject({ sub: bob.id, nonce: 'silent', amr: ['pwd'] });
      expect(body.scope).toBe('openid');
    }
    expect(before).toEqual([{ scopes: ['email', 'openid'] }]);
    await withoutEffect(async () => {
      for (const { query } of await both({ scope: 'openid profile' })) {
        expect(query).toEqual({ error: 'consent_required', state: 'a b&c', iss: ORIGIN });
      }
    });
  });

  test('any other failure of the request is consent_required, never at an unregistered URL', async () => {
    for (const [more, target] of [
      [{ client_id: publicApp.id }, CALLBACK],
      [{ scope: 'nonsense' }, CALLBACK],
      [{ client_id: '1' }, CONSENT_PAGE],
      [{ redirect_uri: 'https://evil.example/' }, CONSENT_PAGE],
    ] as const) {
      const responses = await withoutEffect(() => both(more as Record<string, string>));
      for (const response of responses) {
        expect(response).toEqual({ target, query: { error: 'consent_required', state: 'a b&c', iss: ORIGIN } });
      }
    }
  });

  test('a sign-in older than max_age is login_required', async () => {
    await ageSessions(bob, 100);
    for (const response of await withoutEffect(() => both({ max_age: '90' }))) expect(response).toEqual(LOGIN_REQUIRED);
    for (const { query } of await both({ max_age: '200' })) expect(query).toHaveProperty('code');
    for (const response of await withoutEffect(() => both({ max_age: '0' }))) expect(response).toEqual(LOGIN_REQUIRED);
  });

  test('a hint of another account is login_required, and one of this account is not', async () => {
    const own = await idTokenOf(bob);
    const other = await idTokenOf(alice);
    for (const { query } of await both({ id_token_hint: own })) expect(query).toHaveProperty('code');
    for (const response of await withoutEffect(() => both({ id_token_hint: other })))
      expect(response).toEqual(LOGIN_REQUIRED);
    const response = await consent(service, bob, app, { prompt: 'none', id_token_hint: 'x' });
    expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
  });

  test('a decision does not count', async () => {
    const response = await consent(service, bob, app, { scope: 'openid profile', prompt: 'none', decision: 'approve' });
    expect(redirectOfConsent(response).query).toHaveProperty('error', 'consent_required');
  });
});

describe('4 hints and prompts of the consent operation', () => {
  test('a hint of another account is login_required, also with consent', async () => {
    const bob = await person(service, 'bob');
    const hint = await idTokenOf(alice);
    const response = await withoutEffect(() =>
      consent(service, bob, app, { scope: 'openid', state: 'a b&c', id_token_hint: hint }),
    );
    expect(redirectOfConsent(response)).toEqual(LOGIN_REQUIRED);
    const denied = await consent(service, bob, app, { state: 'a b&c', id_token_hint: hint, decision: 'deny' });
    expect(redirectOfConsent(denied).query).toHaveProperty('error', 'access_denied');
  });

  test('invalid values are INVALID_REQUEST or a field error, without effect', async () => {
    const other = await newApp(service, alice);
    const hint = await idTokenOf(alice, other);
    await withoutEffect(async () => {
      for (const [more, path] of [
        [{ prompt: 'none login' }, 'prompt'],
        [{ prompt: 'nonsense' }, 'prompt'],
        [{ prompt: 'Login' }, 'prompt'],
        [{ id_token_hint: 'x' }, 'id_token_hint'],
        [{ id_token_hint: hint }, 'id_token_hint'],
      ] as const) {
        const response = await consent(service, alice, app, more);
        expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
        expect(response.body.errors).toEqual([expect.objectContaining({ path })]);
      }
      for (const [more, fault] of [
        [{ max_age: -1 }, 'max_age: INVALID_FORMAT'],
        [{ max_age: 31_536_001 }, 'max_age: INVALID_FORMAT'],
        [{ max_age: '60' }, 'max_age: INVALID_FORMAT'],
        [{ prompt: '' }, 'prompt: INVALID_FORMAT'],
        [{ acr_values: 'x'.repeat(257) }, 'acr_values: CONTENT_EXCEEDS_MAX_LENGTH'],
        [{ login_hint: 'x'.repeat(255) }, 'login_hint: CONTENT_EXCEEDS_MAX_LENGTH'],
        [{ id_token_hint: 'x'.repeat(4097) }, 'id_token_hint: CONTENT_EXCEEDS_MAX_LENGTH'],
      ] as const) {
        expectInvalid(await consent(service, alice, app, more), fault);
      }
    });
  });

  test('consent, select_account and a login_hint need no proof', async () => {
    const more = { scope: 'openid', prompt: 'consent select_account', login_hint: 'x@y.example', max_age: 600 };
    expect(redirectOfConsent(await consent(service, alice, app, more)).query).toHaveProperty('code');
  });
});
