import { createHash } from 'node:crypto';
import {
  type App,
  asApp,
  consent,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newApp,
  newCode,
  newTokens,
  type Persona,
  parametersOf,
  person,
  pkce,
  refresh,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let app: App;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  app = await newApp(service, alice);
});
afterAll(() => service.close());

const TOKEN = '/v1/oauth2/token';
const ask = (form: Record<string, string>) => asApp(service, app, TOKEN, form);

describe('5.6 grant_type', () => {
  test.each([
    ...[
      'password',
      'client_credentials',
      'implicit',
      'refresh',
      'Authorization_Code',
      'authorization_code ',
      '__proto__',
    ],
    'urn:ietf:params:oauth:grant-type:device_code',
  ])('%j is not supported', async (grant_type) => {
    const code = await newCode(service, alice, app);
    const response = await ask({
      grant_type,
      code,
      redirect_uri: app.redirectUri,
      username: 'a',
      password: 'not a password',
    });
    expectApiError(response, 'UNSUPPORTED_GRANT_TYPE', { error: 'unsupported_grant_type' });
    expect((await exchange(service, app, code)).status).toBe(200);
  });

  test('is required', async () => {
    for (const form of [{}, { grant_type: '' }]) {
      const response = await ask(form as Record<string, string>);
      expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
      expect(response.body.errors).toEqual([expect.objectContaining({ path: 'grant_type' })]);
    }
  });
});

describe('1.3 characters that no value may contain', () => {
  const code = { grant_type: 'authorization_code', code: 'a', redirect_uri: 'b', code_verifier: 'c' };
  const rotation = { grant_type: 'refresh_token', refresh_token: 'a', scope: 'identify' };
  const shown = { token: 'a', token_type_hint: 'access_token' };
  const forms: [path: string, form: Record<string, string>][] = [
    [TOKEN, code],
    [TOKEN, rotation],
    ['/v1/oauth2/introspect', shown],
    ['/v1/oauth2/token/revoke', shown],
  ];
  const client = { client_id: '1', client_secret: 'a' };
  const cases = forms.flatMap(([path, form]) =>
    Object.keys({ ...form, ...client }).map((name) => [path, name, form] as const),
  );

  test.each(cases)('%s: a NUL in %s is a client error, for every client', async (path, name, form) => {
    for (const place of ['\u0000', 'a\u0000b', 'b\u0000']) {
      const { secret = '' } = app;
      const named = { ...form, client_id: app.id, client_secret: secret, [name]: place };
      const responses = [await service.anonymous.form(path, named)];
      if (!(name in client)) responses.push(await asApp(service, app, path, { ...form, [name]: place }));
      for (const { status, body } of responses) {
        expect({ place, isCallers: status < 500, code: body?.code ?? null }).toEqual({
          ...{ place, isCallers: true },
          code: status === 200 ? null : expect.stringMatching(/^(INVALID_|UNSUPPORTED_GRANT_TYPE)/),
        });
      }
    }
  });
});

describe('3.1 OAU-15 verifiers that do not match', () => {
  const { verifier, challenge } = pkce();
  const bound = { code_challenge: challenge, code_challenge_method: 'S256' };

  test.each([
    ['the challenge itself', challenge],
    ['the verifier with padding', `${verifier}=`],
    ['the verifier cut to 42 characters', verifier.slice(0, 42)],
    ['the verifier in another case', verifier.toUpperCase()],
    ['129 characters', 'a'.repeat(129)],
    ['characters outside the alphabet', `${verifier.slice(1)}+`],
    ['several thousand characters', 'a'.repeat(5000)],
  ])('%s: invalid_grant, and the code is consumed', async (_, code_verifier) => {
    const code = await newCode(service, alice, app, bound);
    expectApiError(await exchange(service, app, code, { code_verifier }), 'INVALID_GRANT', { error: 'invalid_grant' });
    expectApiError(await exchange(service, app, code, { code_verifier: verifier }), 'INVALID_GRANT');
  });

  test.each([43, 128])('a verifier of %i characters is accepted', async (length) => {
    const long = '-._~'.padEnd(length, 'a');
    const code_challenge = createHash('sha256').update(long).digest('base64url');
    const code = await newCode(service, alice, app, { code_challenge, code_challenge_method: 'S256' });
    expect((await exchange(service, app, code, { code_verifier: long })).status).toBe(200);
  });
});

describe('5.6 OAU-35 the scope of a refresh', () => {
  test.each([
    ['more than was granted', 'identify email'],
    ['another one', 'email'],
    ['one that does not exist', 'admin'],
    ['another case', 'IDENTIFY'],
    ['a list by tabs', 'identify\tidentify'],
    ['a list by commas', 'identify,identify'],
    ['nothing but separators', '+ +'],
  ])('%s: invalid_scope, and the token is not consumed', async (_, scope) => {
    const { access_token, refresh_token } = await newTokens(service, alice, app);
    expectApiError(await refresh(service, app, refresh_token, { scope }), 'INVALID_SCOPE', { error: 'invalid_scope' });
    expect(await isTokenActive(service, access_token)).toBe(true);
    expect((await refresh(service, app, refresh_token)).status).toBe(200);
  });

  test('a subset narrows only the new access token, in registry order; the refresh token keeps all scopes', async () => {
    const first = await newTokens(service, alice, app, 'identify email bot');
    const narrowed = (await refresh(service, app, first.refresh_token, { scope: 'bot identify+bot' })).body;
    expect(narrowed.scope).toBe('identify bot');
    const whole = (await refresh(service, app, narrowed.refresh_token)).body;
    expect(whole.scope).toBe('identify email bot');
    const seen = async (token: string) => (await asApp(service, app, '/v1/oauth2/introspect', { token })).body.scope;
    expect(await seen(narrowed.access_token)).toBe('identify bot');
    expect(await seen(whole.refresh_token)).toBe('identify email bot');
  });

  test('an empty value counts as not sent; more than 256 characters are an invalid request', async () => {
    const first = await newTokens(service, alice, app, 'identify email');
    const long = { scope: `identify ${' '.repeat(250)}` };
    expectApiError(await refresh(service, app, first.refresh_token, long), 'INVALID_REQUEST');
    const { body } = await refresh(service, app, first.refresh_token, { scope: '' });
    expect(body.scope).toBe('identify email');
  });

  test('a scope in a code exchange changes nothing', async () => {
    const code = await newCode(service, alice, app, { scope: 'identify' });
    expect((await exchange(service, app, code, { scope: 'identify email' })).body.scope).toBe('identify');
  });
});

describe('5.4 OAU-10 the state', () => {
  test.each([
    'a\r\nSet-Cookie: x=y',
    '"><script>alert(1)</script>',
    ' blanks around ',
    'a&code=b&iss=c#d',
    '%00%0d%0a+',
    '日本語 😀',
    'x'.repeat(1024),
  ])('%j is returned unchanged and encoded', async (state) => {
    const { body } = await consent(service, alice, app, { state });
    expect(body.redirect_to).not.toMatch(/[\s<>"#]/);
    const { state: returned, code, iss } = parametersOf(body.redirect_to);
    expect({ returned, iss }).toEqual({ returned: state, iss: 'http://localhost:8080' });
    expect((await exchange(service, app, code as string)).status).toBe(200);
  });
});
