import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import {
  type App,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  type Persona,
  person,
  race,
  signIn,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

const LOGOUT = '/v1/oauth2/logout';
const RETURN = 'https://client.example/signed-out?kept=1';

let service: Gatehouse;
let owner: Persona;
let app: App;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  owner = await person(service, 'owner');
  app = await newApp(service, owner, { post_logout_redirect_uris: [RETURN] });
});
beforeEach(async () => {
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

async function idTokenOf(authorization: string, at = app): Promise<string> {
  const code = await newCode(service, { authorization }, at, { scope: 'openid' });
  const { status, body } = await exchange(service, at, code);
  expect(status).toBe(200);
  return body.id_token;
}

const works = async (authorization: string) => (await service.as(authorization).get('/v1/users/@me')).status === 200;
const logOut = (body: object, authorization = alice.authorization) => service.as(authorization).post(LOGOUT, body);
const expectOutcome = ({ status, body }: TestResponse, outcome: object) =>
  expect({ status, body }).toEqual({ status: 200, body: outcome });
const shown = () => ({ application: { id: app.id, name: 'Client' } });
const TO = { post_logout_redirect_uri: RETURN, state: 's&1' };
const BACK = `${RETURN}&state=s%261`;

describe('6 POST /v1/oauth2/logout', () => {
  test('a hint with the sid of the calling session ends it, and leads back with the state', async () => {
    const id_token_hint = await idTokenOf(alice.authorization);
    const other = await signIn(service, alice);
    expectOutcome(await logOut({ id_token_hint, client_id: app.id, ...TO }), {
      ...{ ...shown(), ended: true, confirm: false, redirect_to: BACK },
    });
    expect([await works(alice.authorization), await works(other)]).toEqual([false, true]);
  });

  test('a hint works after its expiry', async () => {
    const id_token_hint = await idTokenOf(alice.authorization);
    service.clock.advance({ days: 2 });
    expectOutcome(await logOut({ id_token_hint }), { ...shown(), ended: true, confirm: false });
    service.clock.advance({ days: -2 });
  });

  test('any other request must be confirmed, and changes nothing before', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const own = await idTokenOf(alice.authorization);
    const claims = decodeJwt(own);
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'x' })
      .sign(privateKey);
    const bob = await person(service, 'bob');
    const stranger = await newApp(service, owner);
    const requests: [object, object][] = [
      [{}, {}],
      [{ client_id: app.id, ...TO }, shown()],
      [{ client_id: '1', ...TO }, {}],
      [{ id_token_hint: forged, ...TO }, {}],
      [{ id_token_hint: 'x', client_id: app.id }, shown()],
      [{ id_token_hint: own, client_id: stranger.id, ...TO }, { application: { id: stranger.id, name: 'Client' } }],
      [{ id_token_hint: await idTokenOf(bob.authorization), ...TO }, shown()],
      [{ id_token_hint: await idTokenOf(await signIn(service, alice)), ...TO }, shown()],
      [
        { id_token_hint: own, confirm: false, client_id: stranger.id },
        { application: { id: stranger.id, name: 'Client' } },
      ],
    ];
    for (const [request, view] of requests) {
      expectOutcome(await logOut(request), { ...view, ended: false, confirm: true });
    }
    expect(await works(alice.authorization)).toBe(true);
    expectOutcome(await logOut({ client_id: app.id, ...TO, confirm: true }), {
      ...{ ...shown(), ended: true, confirm: false, redirect_to: BACK },
    });
    expect(await works(alice.authorization)).toBe(false);
  });

  test('without a session a valid hint continues immediately, and anything else after a press', async () => {
    const id_token_hint = await idTokenOf(alice.authorization);
    const anonymous = (body: object) => service.anonymous.post(LOGOUT, body);
    expectOutcome(await anonymous({ id_token_hint, ...TO }), {
      ...{ ...shown(), ended: false, confirm: false, redirect_to: BACK },
    });
    expectOutcome(await anonymous({ client_id: app.id, ...TO }), { ...shown(), ended: false, confirm: true });
    expectOutcome(await anonymous({ client_id: app.id, ...TO, confirm: true }), {
      ...{ ...shown(), ended: false, confirm: false, redirect_to: BACK },
    });
    expect(await works(alice.authorization)).toBe(true);
    expectOutcome(await logOut({ id_token_hint, ...TO }, app.bot), {
      ...{ ...shown(), ended: false, confirm: false, redirect_to: BACK },
    });
  });

  test('nothing leads to an unknown application or to the built-in one', async () => {
    const builtIn = {
      ADMIN_APPLICATION_ID: '987654321',
      ADMIN_OAUTH_CLIENT_SECRET: 'S'.repeat(43),
      ADMIN_ENDPOINT: 'https://panel.example',
    };
    await withGatehouse({ env: builtIn }, async (own) => {
      const uris = [`{${RETURN}}`, builtIn.ADMIN_APPLICATION_ID];
      await own.sql('UPDATE application SET post_logout_redirect_uris = $1 WHERE id = $2', uris);
      for (const client_id of ['1', builtIn.ADMIN_APPLICATION_ID]) {
        const bob = await person(own, 'bob');
        const send = (body: object) => own.as(bob).post(LOGOUT, { client_id, ...TO, ...body });
        expectOutcome(await send({}), { ended: false, confirm: true });
        expectOutcome(await send({ confirm: true }), { ended: true, confirm: false });
        expectApiError(await own.as(bob).get('/v1/users/@me'), 'UNAUTHORIZED');
      }
    });
  });

  test.each([
    ...['https://client.example/signed-out', `${RETURN}&x`, 'https://client.example/callback', 'https://evil.example/'],
    ...['HTTPS://client.example/signed-out?kept=1', 'javascript:alert(1)', '//client.example/signed-out?kept=1'],
  ])('%s is not registered, so nothing leads there', async (post_logout_redirect_uri) => {
    const id_token_hint = await idTokenOf(alice.authorization);
    const confirmed = { id_token_hint, post_logout_redirect_uri, confirm: true };
    expectOutcome(await logOut(confirmed), { ...shown(), ended: true, confirm: false });
  });

  test.each([
    [{ id_token_hint: 'x'.repeat(4097) }, 'id_token_hint: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ id_token_hint: 5 }, 'id_token_hint: INVALID_FORMAT'],
    [{ client_id: 'x' }, 'client_id: INVALID_SNOWFLAKE_FORMAT'],
    [{ state: 'x'.repeat(1025) }, 'state: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ confirm: 'yes' }, 'confirm: INVALID_FORMAT'],
  ])('%#: an invalid member is rejected', async (body, fault) => {
    expectInvalid(await logOut({ confirm: true, ...body }), fault);
    expect(await works(alice.authorization)).toBe(true);
  });

  test('a race of 32 ends the session once', async () => {
    const id_token_hint = await idTokenOf(alice.authorization);
    await race(32, () => logOut({ id_token_hint }));
    const ended = await service.sql("SELECT 1 FROM security_event WHERE account_id = $1 AND type = 'session_ended'", [
      alice.id,
    ]);
    expect(ended).toHaveLength(1);
    expect(await works(alice.authorization)).toBe(false);
  });
});

describe('6 POST /oauth2/logout', () => {
  test('leads to the page with the parameters of the form in the fragment', async () => {
    const form = {
      id_token_hint: 'a.b.c',
      client_id: app.id,
      ...TO,
      ui_locales: 'de',
      other: 'dropped',
      logout_hint: '',
    };
    const { status, headers } = await service.anonymous.form('/oauth2/logout', form);
    expect(status).toBe(303);
    const url = new URL(headers.get('location') ?? '');
    expect([url.pathname, url.search]).toEqual(['/oauth2/logout', '']);
    expect(Object.fromEntries(new URLSearchParams(url.hash.slice(1)))).toEqual({
      ...{ id_token_hint: 'a.b.c', client_id: app.id, ...TO, ui_locales: 'de' },
    });
    const { body: metadata } = await service.anonymous.get('/.well-known/openid-configuration');
    expect(metadata).toMatchObject({
      ...{ end_session_endpoint: `${url.origin}/oauth2/logout` },
      ...{ backchannel_logout_supported: true, backchannel_logout_session_supported: true },
    });
  });

  test('without the built-in pages, it leads to the same path of WEB_APP_URL', async () => {
    const site = 'https://app.example';
    const env = { WEB_PAGES: 'off', WEB_APP_URL: site, OAUTH_CONSENT_URL: `${site}/consent` };
    await withGatehouse({ env }, async (own) => {
      const { headers } = await own.anonymous.form('/oauth2/logout', { state: 's' });
      expect(headers.get('location')).toBe(`${site}/oauth2/logout#state=s`);
      const { body } = await own.anonymous.get('/.well-known/openid-configuration');
      expect(body.end_session_endpoint).toBe(`${site}/oauth2/logout`);
    });
  });

  test('parameters that are not sent are not added, and all that exist are forwarded', async () => {
    for (const form of [{ logout_hint: 'alice@example.com' }, { state: 's' }] as Record<string, string>[]) {
      const { headers } = await service.anonymous.form('/oauth2/logout', form);
      const { hash } = new URL(headers.get('location') ?? '');
      expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toEqual(form);
    }
  });

  test('the OpenAPI document lists the parameters of the form', async () => {
    const { paths } = (await service.anonymous.get('/openapi.json')).body;
    const { content } = paths['/oauth2/logout'].post.requestBody;
    const text = expect.objectContaining({ type: 'string' });
    expect(content['application/x-www-form-urlencoded']).toMatchObject({
      schema: {
        properties: {
          ...{ id_token_hint: text, client_id: text, logout_hint: text, post_logout_redirect_uri: text },
          ...{ state: text, ui_locales: text },
        },
      },
      example: { client_id: expect.any(String) },
    });
  });

  test('a form above 16 KiB is rejected', async () => {
    const response = await service.anonymous.form('/oauth2/logout', { state: 'x'.repeat(17 * 1024) });
    expect(response.status).toBe(413);
    expect(response.headers.get('location')).toBe(null);
  });
});

test('OPENID=off: there is no logout at the request of applications', async () => {
  await withGatehouse({ env: { OPENID: 'off' } }, async (off) => {
    expectApiError(await off.anonymous.post(LOGOUT, {}), 'NOT_FOUND');
    expectApiError(await off.anonymous.form('/oauth2/logout', {}), 'NOT_FOUND');
    expectApiError(await off.anonymous.get('/oauth2/logout'), 'NOT_FOUND');
  });
});
