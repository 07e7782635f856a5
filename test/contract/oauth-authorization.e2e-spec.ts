import { expect } from '@jest/globals';
import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import {
  type App,
  CALLBACK,
  consent,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inState,
  newApp,
  newCode,
  newTokens,
  noticesOf,
  type Persona,
  parametersOf,
  person,
  pkce,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

const ORIGIN = 'https://gate.example';
const CONSENT_PAGE = 'https://gate.example/oauth2/authorize';
const WEB_APP = 'https://web.example/app';

let service: Gatehouse;
let alice: Persona;
let owner: Persona;
let app: App;
let publicApp: App;
let privateBot: App;
let grantBot: App;
beforeAll(async () => {
  service = await gatehouse({ env: { PUBLIC_ORIGIN: ORIGIN, WEB_APP_URL: WEB_APP } });
  alice = await person(service, 'alice');
  owner = await person(service, 'owner');
  const uris = [CALLBACK, `${CALLBACK}?own=1`, 'http://127.0.0.1/native', 'http://localhost/native'];
  app = await newApp(service, owner, { redirect_uris: uris });
  publicApp = await newApp(service, owner, { client_type: 'public' });
  privateBot = await newApp(service, owner, { bot_public: false });
  grantBot = await newApp(service, owner, { bot_require_code_grant: true });
});
afterAll(() => service.close());

const codes = async () => (await service.sql('SELECT digest FROM oauth_code')).length;
const withoutEffect = async (work: () => Promise<void>) => {
  const before = await codes();
  await work();
  expect(await codes()).toBe(before);
};
const S256 = (challenge: string) => ({ code_challenge: challenge, code_challenge_method: 'S256' });

describe('5.1 authorization server metadata', () => {
  test('describes the service by its configuration, regardless of the Host header', async () => {
    const response = await service.anonymous.get('/.well-known/oauth-authorization-server', {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    expect({ status: response.status, body: response.body }).toEqual({
      status: 200,
      body: {
        issuer: ORIGIN,
        authorization_endpoint: `${ORIGIN}/v1/oauth2/authorize`,
        token_endpoint: `${ORIGIN}/v1/oauth2/token`,
        introspection_endpoint: `${ORIGIN}/v1/oauth2/introspect`,
        revocation_endpoint: `${ORIGIN}/v1/oauth2/token/revoke`,
        userinfo_endpoint: `${ORIGIN}/v1/oauth2/userinfo`,
        scopes_supported: ['identify', 'email', 'bot', 'openid', 'profile', 'offline_access'],
        scope_descriptions: {},
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
      },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  });

  test('reads no credential', async () => {
    const response = await service.as('Bearer nonsense nonsense').get('/.well-known/oauth-authorization-server');
    expect(response.status).toBe(200);
  });
});

const authorize = (query: Record<string, string>, as: { authorization: string } | null = null): Promise<TestResponse> =>
  (as ? service.as(as) : service.anonymous).get('/v1/oauth2/authorize', { query });

const request = (more: Record<string, string> = {}): Record<string, string> => ({
  client_id: app.id,
  redirect_uri: app.redirectUri,
  scope: 'identify',
  response_type: 'code',
  state: 'a b&c',
  ...more,
});

/** Asserts a redirect. Returns its URL, the URL without the query, and the query. */
function redirectOf(response: TestResponse) {
  expect({ status: response.status, text: response.text }).toEqual({ status: 302, text: '' });
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.has('content-type')).toBe(false);
  const location = response.headers.get('location') as string;
  return { location, target: location.split('?')[0], query: parametersOf(location) };
}

describe('5.3 GET /v1/oauth2/authorize', () => {
  test('without prompt=none redirects to the consent page with only the parameters of the request', async () => {
    const sent = request({ ...S256(pkce().challenge), prompt: 'consent' });
    for (const as of [null, alice]) {
      const { target, query } = redirectOf(await authorize({ ...sent, next: '//evil.example', display: 'popup' }, as));
      expect(target).toBe(CONSENT_PAGE);
      expect(query).toEqual(sent);
    }
  });

  test('nothing else is checked before the consent page', async () => {
    const { query, target } = redirectOf(
      await authorize({ client_id: '1', scope: 'nonsense', redirect_uri: 'javascript:alert(1)', code_challenge: 'x' }),
    );
    expect(target).toBe(CONSENT_PAGE);
    expect(query).toEqual({
      client_id: '1',
      scope: 'nonsense',
      redirect_uri: 'javascript:alert(1)',
      code_challenge: 'x',
    });
  });

  test('OAUTH_CONSENT_URL can name another frontend', async () => {
    await withGatehouse({ env: { OAUTH_CONSENT_URL: 'https://front.example/consent?theme=dark' } }, async (other) => {
      const response = await other.anonymous.get('/v1/oauth2/authorize?client_id=1&scope=identify');
      expect(response.headers.get('location')).toBe(
        'https://front.example/consent?theme=dark&client_id=1&scope=identify',
      );
    });
  });

  test('an invalid query is rejected, or shown on the page if client and redirect URI are known', async () => {
    const faulty: [Record<string, string>, string][] = [
      [{ client_id: 'x' }, 'client_id: INVALID_SNOWFLAKE_FORMAT'],
      [{ client_id: '01' }, 'client_id: INVALID_SNOWFLAKE_FORMAT'],
      [{ client_id: '9223372036854775808' }, 'client_id: SNOWFLAKE_OUT_OF_RANGE'],
      [{ client_id: '' }, 'client_id: INVALID_FORMAT'],
      [{ scope: '' }, 'scope: INVALID_FORMAT'],
      [{ scope: 'x'.repeat(257) }, 'scope: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ response_type: 'token' }, 'response_type: INVALID_FORMAT'],
      [{ prompt: 'create' }, 'prompt: INVALID_FORMAT'],
      [{ redirect_uri: `https://${'a'.repeat(250)}` }, 'redirect_uri: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ state: 'x'.repeat(1025) }, 'state: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ state: 'a\0b' }, 'state: INVALID_FORMAT'],
    ];
    for (const [more, fault] of faulty) {
      for (const prompt of ['', 'none']) {
        const unknown = await authorize(request({ client_id: '1', prompt, ...more }), alice);
        expectInvalid(unknown, fault);
        expect(unknown.headers.has('location')).toBe(false);
        if (fault.startsWith('client_id') || fault.startsWith('redirect_uri')) continue;
        const { target, query } = redirectOf(await authorize(request({ prompt, ...more }), alice));
        expect(target).toBe(CONSENT_PAGE);
        expect(query).toMatchObject({ error: 'invalid_request', error_parameter: fault.split(':')[0] });
      }
    }
  });

  test('a repetition of any parameter is rejected', async () => {
    const query = new URLSearchParams({ ...request(S256(pkce().challenge)), prompt: 'none' });
    for (const [name, value] of query) {
      const send = (of: URLSearchParams) =>
        service.as(alice).get(`/v1/oauth2/authorize?${of}&${new URLSearchParams([[name, value]])}`);
      const unknown = new URLSearchParams({ ...Object.fromEntries(query), redirect_uri: 'https://evil.example/' });
      expectInvalid(await send(unknown), `${name}: INVALID_FORMAT`);
      const response = await send(query);
      if (name === 'client_id' || name === 'redirect_uri') expectInvalid(response, `${name}: INVALID_FORMAT`);
      else {
        const { target, query: shown } = redirectOf(response);
        expect(target).toBe(CONSENT_PAGE);
        expect(shown).toMatchObject({ error: 'invalid_request', error_parameter: name });
      }
    }
  });

  test('a parameter without a value counts as not sent', async () => {
    const { query } = redirectOf(
      await authorize(request({ state: '', prompt: '', response_type: '', code_challenge: '' })),
    );
    expect(query).toEqual({ client_id: app.id, redirect_uri: app.redirectUri, scope: 'identify' });
  });

  test('values are never trimmed', async () => {
    const { query } = redirectOf(await authorize(request({ state: '  x\r\n ', scope: ' identify ' })));
    expect(query).toMatchObject({ state: '  x\r\n ', scope: ' identify ' });
  });

  describe('with prompt=none', () => {
    const silent = (more: Record<string, string> = {}) => request({ prompt: 'none', ...more });

    test('only a session counts as signed in', async () => {
      const { access_token: token } = await newTokens(service, alice, app);
      for (const authorization of [null, app.bot, `Bearer ${token}`, 'flx_unknown', `Bearer ${'A'.repeat(43)}`]) {
        await withoutEffect(async () => {
          const response = await authorize(silent(), authorization === null ? null : { authorization });
          const { target, query } = redirectOf(response);
          expect({ target, query }).toEqual({
            target: CALLBACK,
            query: { error: 'login_required', state: 'a b&c', iss: ORIGIN },
          });
        });
      }
    });

    test('within an active grant redirects to the client with a code that works', async () => {
      const bob = await person(service, 'bob');
      await newTokens(service, bob, app, 'identify email');
      for (const scope of ['identify', 'email', 'identify email', 'bot', 'identify bot']) {
        const { target, query } = redirectOf(await authorize(silent({ scope }), bob));
        expect(target).toBe(CALLBACK);
        expect(query).toEqual({ code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), state: 'a b&c', iss: ORIGIN });
        expect((await exchange(service, app, query.code as string)).body.scope).toBe(scope);
      }
    });

    test('authorizes no bot', async () => {
      const bob = await person(service, 'bob');
      const { query } = redirectOf(await authorize(silent({ scope: 'bot' }), bob));
      expect((await exchange(service, app, query.code as string)).status).toBe(200);
      expect(await service.sql('SELECT 1 FROM oauth_bot_grant WHERE account_id = $1', [bob.id])).toHaveLength(0);
    });

    test('keeps the query of the redirect URI and sends no state that was not sent', async () => {
      const bob = await person(service, 'bob');
      await newTokens(service, bob, app);
      const { location, query } = redirectOf(
        await authorize(silent({ redirect_uri: `${CALLBACK}?own=1`, state: '' }), bob),
      );
      expect(location.startsWith(`${CALLBACK}?own=1&code=`)).toBe(true);
      expect(query).toEqual({ own: '1', code: expect.any(String), iss: ORIGIN });
    });

    test('binds the code to the challenge', async () => {
      const bob = await person(service, 'bob');
      await newTokens(service, bob, app);
      const { verifier, challenge } = pkce();
      const next = async () => redirectOf(await authorize(silent(S256(challenge)), bob)).query.code as string;
      expectApiError(await exchange(service, app, await next()), 'INVALID_GRANT');
      expect((await exchange(service, app, await next(), { code_verifier: verifier })).status).toBe(200);
    });

    test('any other failure is consent_required, at the client if its redirect URI is registered', async () => {
      const bob = await person(service, 'bob');
      await newTokens(service, bob, app, 'identify');
      await newTokens(service, bob, publicApp, 'identify');
      const consentRequired: [string, Record<string, string>, string][] = [
        ['scope outside the grant', { scope: 'identify email' }, CALLBACK],
        ['unknown scope', { scope: 'identify nonsense' }, CALLBACK],
        ['differently cased scope', { scope: 'Identify' }, CALLBACK],
        ['empty scope', { scope: '+ ' }, CALLBACK],
        ['plain', { code_challenge: pkce().challenge, code_challenge_method: 'plain' }, CALLBACK],
        ['challenge without method', { code_challenge: pkce().challenge }, CALLBACK],
        ['method without challenge', { code_challenge_method: 'S256' }, CALLBACK],
        ['malformed challenge', S256('x'.repeat(42)), CALLBACK],
        ['public client', { client_id: publicApp.id, ...S256(pkce().challenge) }, CALLBACK],
        ['private bot of another owner', { client_id: privateBot.id, scope: 'bot' }, CALLBACK],
        ['no grant at all', { client_id: privateBot.id }, CALLBACK],
        ['unknown application', { client_id: '1' }, CONSENT_PAGE],
        ['unregistered redirect', { redirect_uri: 'https://evil.example/callback' }, CONSENT_PAGE],
        ['no redirect', { redirect_uri: '' }, CONSENT_PAGE],
        ['no redirect, bot only', { redirect_uri: '', scope: 'bot' }, CONSENT_PAGE],
        [
          'built-in application and bot',
          { client_id: service.app.get(AdminApplication).id, scope: 'bot' },
          CONSENT_PAGE,
        ],
      ];
      for (const [cause, more, where] of consentRequired) {
        await withoutEffect(async () => {
          const { target, query } = redirectOf(await authorize(silent(more), bob));
          expect({ cause, target, query }).toEqual({
            cause,
            target: where,
            query: { error: 'consent_required', state: 'a b&c', iss: ORIGIN },
          });
        });
      }
    });

    test('a deleted, disabled or banned account needs consent', async () => {
      const bob = await person(service, 'bob');
      await newTokens(service, bob, app);
      for (const state of ['flags = 1::bigint << 34', 'flags = 1::bigint << 38', 'banned = true']) {
        const { query } = redirectOf(await inState(service, bob, state, () => authorize(silent(), bob)));
        expect(query).toEqual({ error: 'consent_required', state: 'a b&c', iss: ORIGIN });
      }
      expect(redirectOf(await authorize(silent(), bob)).query).toHaveProperty('code');
    });

    test('consent of one user does not count for another, and ends with the grant', async () => {
      const bob = await person(service, 'bob');
      const carol = await person(service, 'carol');
      await newTokens(service, bob, app);
      expect(redirectOf(await authorize(silent(), carol)).query).toHaveProperty('error', 'consent_required');
      await service.as(bob).delete(`/v1/oauth2/@me/authorizations/${app.id}`);
      expect(redirectOf(await authorize(silent(), bob)).query).toHaveProperty('error', 'consent_required');
    });

    test('an expired grant does not count', async () => {
      const bob = await person(service, 'bob');
      await newTokens(service, bob, app);
      await service.sql(`UPDATE oauth_token SET expires_at = now() WHERE kind = 'refresh' AND account_id = $1`, [
        bob.id,
      ]);
      expect(redirectOf(await authorize(silent(), bob)).query).toHaveProperty('error', 'consent_required');
    });
  });
});

describe('3.2 redirect URIs of a request', () => {
  /** About 60 URIs that look like the registered one but are different. */
  const variants = (registered: string): string[] => {
    const url = new URL(registered);
    const { host, pathname } = url;
    const tail = pathname.slice(1);
    return [
      ...[
        `${registered}/`,
        `${registered}//`,
        `${registered}?`,
        `${registered}?x=1`,
        `${registered}&x`,
        `${registered};x`,
      ],
      ...[
        `${registered}#`,
        `${registered}#f`,
        `${registered}%20`,
        `${registered} `,
        ` ${registered}`,
        `${registered}.`,
      ],
      ...[
        `${registered}%00`,
        `${registered}\t`,
        `${registered}\n`,
        `\t${registered}`,
        `${registered}\\`,
        `${registered}*`,
      ],
      ...[
        registered.toUpperCase(),
        registered.replace(host, host.toUpperCase()),
        `https://${host}/${tail.toUpperCase()}`,
      ],
      ...[`http://${host}${pathname}`, `HTTPS://${host}${pathname}`, `//${host}${pathname}`, `${host}${pathname}`],
      ...[`https://${host}:443${pathname}`, `https://${host}:8443${pathname}`, `https://${host}:${pathname}`],
      ...[
        `https://${host}.${pathname}`,
        `https://${host}.evil.example${pathname}`,
        `https://${host}@evil.example${pathname}`,
      ],
      ...[
        `https://evil.example/${host}${pathname}`,
        `https://evil.example#${host}${pathname}`,
        `https://evil${pathname}`,
      ],
      ...[`https://user@${host}${pathname}`, `https://user:pw@${host}${pathname}`, `https://@${host}${pathname}`],
      ...[
        `https://${host.replace('.', 'X')}${pathname}`,
        `https://sub.${host}${pathname}`,
        `https://*.${host}${pathname}`,
      ],
      ...[
        `https://${host}\\${tail}`,
        `https://${host}/${tail}/../${tail}`,
        `https://${host}/x/../${tail}`,
        `https://${host}//${tail}`,
      ],
      ...[
        `https://${host}/./${tail}`,
        `https://${host}/${tail}/..`,
        `https://${host}/${tail}%2f..`,
        `https://${host}/%2e/${tail}`,
      ],
      ...[`https://${host}/%63allback`, `https://${host}/${tail.slice(0, -1)}`, `https://${host}/`, `https://${host}`],
      ...[
        `https://${host.replace('e', 'е')}${pathname}`,
        `https://${host.replace('.', '。')}${pathname}`,
        `https://[::1]${pathname}`,
      ],
      ...[
        `javascript:${registered}`,
        `data:text/html,${registered}`,
        `https:/${host}${pathname}`,
        `https:${host}${pathname}`,
      ],
      ...[
        `https://127.0.0.1${pathname}`,
        'http://127.0.0.1:1/',
        'http://127.0.0.2/native',
        'http://127.0.0.1:1/native/',
      ],
      ...[
        'http://localhost:3000/native',
        'http://localhost:80/native',
        'http://LOCALHOST/native',
        'http://[::1]/native',
      ],
      ...['https://127.0.0.1/native', 'http://127.0.0.1:1@evil.example/native', 'http://127.0.0.1:99999/native'],
    ];
  };

  test('only a byte-equal URI is accepted, at consent and silently', async () => {
    const bob = await person(service, 'bob');
    await newTokens(service, bob, app);
    const tried = variants(CALLBACK);
    expect(new Set(tried).size).toBeGreaterThanOrEqual(60);
    await withoutEffect(async () => {
      for (const redirectUri of tried) {
        const response = await consent(service, bob, app, { redirect_uri: redirectUri });
        expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
        expect(response.body.errors).toEqual([expect.objectContaining({ path: 'redirect_uri' })]);
        const { target } = redirectOf(await authorize(request({ prompt: 'none', redirect_uri: redirectUri }), bob));
        expect({ redirectUri, target }).toEqual({ redirectUri, target: CONSENT_PAGE });
      }
    });
  });

  test('the port of a loopback IP literal may differ, and the exchange requires exactly the same URI', async () => {
    const native = 'http://127.0.0.1:50123/native';
    const response = await consent(service, alice, app, { redirect_uri: native });
    expect(response.body.redirect_to.startsWith(`${native}?code=`)).toBe(true);
    const { code } = parametersOf(response.body.redirect_to);
    expectApiError(
      await exchange(service, app, code as string, { redirect_uri: 'http://127.0.0.1/native' }),
      'INVALID_GRANT',
    );
    const next = await newCode(service, alice, app, { redirect_uri: native });
    expect((await exchange(service, app, next, { redirect_uri: native })).status).toBe(200);
  });
});

describe('5.4 POST /v1/oauth2/authorize/consent', () => {
  test('approval redirects to the client with code, state and iss', async () => {
    const state = ' ü"<>&=#\r\n%00 ';
    const response = await consent(service, alice, app, { state });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(Object.keys(response.body)).toEqual(['redirect_to']);
    const { redirect_to: target } = response.body;
    expect(target).toMatch(/^https:\/\/client\.example\/callback\?[\x21-\x7e]+$/);
    expect(parametersOf(target)).toEqual({ code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), state, iss: ORIGIN });
  });

  test('client_id may be a number, response_type may be sent, a challenge may be bound', async () => {
    const { verifier, challenge } = pkce();
    const code = await newCode(service, alice, app, { response_type: 'code', decision: 'approve', ...S256(challenge) });
    expect((await exchange(service, app, code, { code_verifier: verifier })).status).toBe(200);
    expectInvalid(
      await consent(service, alice, app, { client_id: Number(app.id) }),
      'client_id: INVALID_SNOWFLAKE_FORMAT',
    );
    expectApiError(await consent(service, alice, app, { client_id: 1 }), 'UNKNOWN_APPLICATION');
  });

  test('a body of invalid types is rejected', async () => {
    const faulty: [Record<string, unknown>, string][] = [
      [{ client_id: undefined }, 'client_id: INVALID_FORMAT'],
      [{ client_id: 'x' }, 'client_id: INVALID_SNOWFLAKE_FORMAT'],
      [{ scope: undefined }, 'scope: INVALID_FORMAT'],
      [{ scope: ['identify'] }, 'scope: INVALID_FORMAT'],
      [{ scope: 'x'.repeat(257) }, 'scope: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ response_type: 'token' }, 'response_type: INVALID_FORMAT'],
      [{ redirect_uri: 1 }, 'redirect_uri: INVALID_FORMAT'],
      [{ redirect_uri: null }, 'redirect_uri: INVALID_FORMAT'],
      [{ redirect_uri: '' }, 'redirect_uri: INVALID_FORMAT'],
      [{ redirect_uri: `https://${'a'.repeat(250)}` }, 'redirect_uri: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ state: '' }, 'state: INVALID_FORMAT'],
      [{ state: 'x'.repeat(1025) }, 'state: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ code_challenge: 1 }, 'code_challenge: INVALID_FORMAT'],
      [{ code_challenge_method: {} }, 'code_challenge_method: INVALID_FORMAT'],
      [{ decision: 'yes' }, 'decision: INVALID_FORMAT'],
    ];
    await withoutEffect(async () => {
      for (const [more, fault] of faulty) expectInvalid(await consent(service, alice, app, more), fault);
    });
    expect((await consent(service, alice, app, { state: 'x'.repeat(1024) })).status).toBe(200);
  });

  test('the checks run in the order of the contract', async () => {
    const admin = service.app.get(AdminApplication).id;
    const bad = { redirect_uri: 'https://evil.example/' };
    const disabled = () => service.sql('UPDATE account SET flags = 1::bigint << 38 WHERE id = $1', [alice.id]);
    await disabled();
    const [uris] = await service.sql('SELECT redirect_uris FROM application WHERE id = $1', [admin]);
    const toAdmin = { client_id: admin, redirect_uri: uris?.redirect_uris[0] };
    await withoutEffect(async () => {
      expectInvalid(
        await consent(service, alice, app, { ...bad, client_id: '1', decision: 1 }),
        'decision: INVALID_FORMAT',
      );
      expectApiError(await consent(service, alice, app, { ...bad, client_id: '1', scope: 'x' }), 'UNKNOWN_APPLICATION');
      expectApiError(await consent(service, alice, app, { ...bad, scope: 'x' }), 'INVALID_REQUEST');
      expectApiError(await consent(service, alice, app, { code_challenge: 'x', scope: 'x' }), 'INVALID_REQUEST');
      expectApiError(await consent(service, alice, app, { scope: 'bot x' }), 'INVALID_SCOPE');
      expectApiError(await consent(service, alice, app, { ...toAdmin, scope: 'bot' }), 'NOT_A_BOT_APPLICATION');
      expectApiError(await consent(service, alice, privateBot, { scope: 'bot' }), 'BOT_IS_PRIVATE');
      expectApiError(await consent(service, alice, app), 'ACCESS_DENIED');
    });
    await service.sql('UPDATE account SET flags = 0 WHERE id = $1', [alice.id]);
    expect((await consent(service, alice, app)).status).toBe(200);
  });

  test('a deleted, disabled or banned account cannot consent', async () => {
    const states = ['flags = 1::bigint << 34', 'flags = 1::bigint << 35', 'flags = 1::bigint << 36', 'banned = true'];
    await withoutEffect(async () => {
      for (const state of states) {
        expectApiError(await inState(service, alice, state, () => consent(service, alice, app)), 'ACCESS_DENIED');
      }
    });
  });

  test('a private bot is only for its owner', async () => {
    expectApiError(await consent(service, alice, privateBot, { scope: 'identify bot' }), 'BOT_IS_PRIVATE');
    expect((await consent(service, owner, privateBot, { scope: 'identify bot' })).status).toBe(200);
    expect((await consent(service, alice, privateBot, { scope: 'identify' })).status).toBe(200);
  });

  test('denial checks only application and redirect URI', async () => {
    const deny = { decision: 'deny', state: 's', scope: 'nonsense', code_challenge: 'x' };
    await withoutEffect(async () => {
      const { body } = await consent(service, alice, app, deny);
      expect(body.redirect_to.split('?')[0]).toBe(CALLBACK);
      expect(parametersOf(body.redirect_to)).toEqual({ error: 'access_denied', state: 's', iss: ORIGIN });
      const toWebApp = await consent(service, alice, app, { ...deny, scope: 'bot', redirect_uri: undefined });
      expect(toWebApp.body.redirect_to.split('?')[0]).toBe(WEB_APP);
      expect(parametersOf(toWebApp.body.redirect_to)).toEqual({ error: 'access_denied', state: 's', iss: ORIGIN });
      expectApiError(await consent(service, alice, app, { ...deny, client_id: '1' }), 'UNKNOWN_APPLICATION');
      expectApiError(
        await consent(service, alice, app, { ...deny, redirect_uri: 'https://evil.example/' }),
        'INVALID_REQUEST',
      );
      expectApiError(await consent(service, alice, app, { ...deny, redirect_uri: undefined }), 'INVALID_REQUEST');
    });
  });

  test('a redirect URI is always required, except to invite a bot that needs no code grant', async () => {
    const without = { redirect_uri: undefined };
    await withoutEffect(async () => {
      for (const scope of ['identify', 'identify bot']) {
        expectApiError(await consent(service, alice, app, { ...without, scope }), 'INVALID_REQUEST');
      }
      expectApiError(await consent(service, alice, grantBot, { ...without, scope: 'bot' }), 'INVALID_REQUEST');
      const { body } = await consent(service, alice, app, { ...without, scope: 'bot', state: 'x y' });
      expect(body).toEqual({ redirect_to: `${WEB_APP}?state=x+y` });
      const silent = await consent(service, alice, app, { ...without, scope: ' bot+bot ' });
      expect(silent.body).toEqual({ redirect_to: WEB_APP });
    });
  });
});

describe('3.1 PKCE at consent', () => {
  const { challenge } = pkce();

  test('only S256 with a well-formed challenge is accepted', async () => {
    const faulty = [
      { code_challenge: challenge },
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: challenge, code_challenge_method: 's256' },
      { code_challenge: challenge, code_challenge_method: 'S512' },
      { code_challenge: challenge, code_challenge_method: '' },
      { code_challenge_method: 'S256' },
      ...[
        challenge.slice(1),
        `${challenge}A`,
        `${challenge.slice(1)}=`,
        `${challenge.slice(1)}+`,
        '',
        ` ${challenge}`,
      ].map(S256),
      S256('A'.repeat(300)),
    ];
    await withoutEffect(async () => {
      for (const more of faulty) {
        for (const target of [app, publicApp]) {
          expectApiError(await consent(service, alice, target, more), 'INVALID_REQUEST', { error: 'invalid_request' });
        }
      }
    });
  });

  test('a public client needs a challenge, a confidential one does not', async () => {
    await withoutEffect(async () => {
      expectApiError(await consent(service, alice, publicApp), 'INVALID_REQUEST');
    });
    expect((await consent(service, alice, publicApp, S256(challenge))).status).toBe(200);
    expect((await consent(service, alice, app)).status).toBe(200);
  });
});

describe('2 scopes', () => {
  test('are split on spaces and plus signs, de-duplicated, and put into the registry order', async () => {
    const spellings: [string, string][] = [
      ['identify', 'identify'],
      ['email identify', 'identify email'],
      ['  email   identify ', 'identify email'],
      ['email+identify', 'identify email'],
      ['++bot +email+ identify identify', 'identify email bot'],
      ['email', 'email'],
      ['bot', 'bot'],
    ];
    for (const [scope, expected] of spellings) {
      const code = await newCode(service, alice, app, { scope });
      expect((await exchange(service, app, code)).body.scope).toBe(expected);
    }
  });

  test('unknown scopes, another letter case or none: invalid_scope', async () => {
    await withoutEffect(async () => {
      for (const scope of [
        '',
        ' ',
        '+',
        'Identify',
        'IDENTIFY',
        'identify.read',
        'identify,email',
        'identify\temail',
        'OpenID',
        '*',
      ]) {
        const response = await consent(service, alice, app, { scope });
        expectApiError(response, 'INVALID_SCOPE', { error: 'invalid_scope' });
      }
    });
  });
});

describe('5.4 APPLICATION_AUTHORIZE', () => {
  const event = (target: App, user: Persona, scopes: string[]) => ({
    type: 'APPLICATION_AUTHORIZE',
    account_id: target.id,
    d: { user_id: user.id, scopes, authorized_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
  });

  test('is sent to the bot once, when the authorization takes effect', async () => {
    const bob = await person(service, 'bob');
    const events = noticesOf(service, 'event');
    const code = await newCode(service, bob, app, { scope: 'email identify' });
    expect(await events.take()).toEqual([]);
    await exchange(service, app, code);
    expect(await events.take()).toEqual([event(app, bob, ['identify', 'email'])]);
    await consent(service, bob, app, { scope: 'bot', redirect_uri: undefined });
    expect(await events.take()).toEqual([event(app, bob, ['bot'])]);
    const invitation = await newCode(service, bob, app, { scope: 'bot' });
    expect(await events.take()).toEqual([event(app, bob, ['bot'])]);
    await exchange(service, app, invitation);
    expect(await events.take()).toEqual([]);
    const granted = await newCode(service, bob, grantBot, { scope: 'bot' });
    expect(await events.take()).toEqual([]);
    await exchange(service, grantBot, granted);
    expect(await events.take()).toEqual([event(grantBot, bob, ['bot'])]);
    const bots = await service.sql('SELECT application_id FROM oauth_bot_grant WHERE account_id = $1 ORDER BY 1', [
      bob.id,
    ]);
    expect(bots.map(({ application_id }) => application_id)).toEqual([app.id, grantBot.id]);
  });

  test('is sent to the bot when the code of a silent authorization is exchanged, which authorizes no bot', async () => {
    const bob = await person(service, 'bob');
    await newTokens(service, bob, app, 'identify email');
    const events = noticesOf(service, 'event');
    for (const scopes of [['email'], ['bot'], ['identify', 'bot']]) {
      const requested = request({ scope: scopes.join(' '), prompt: 'none' });
      const { query } = redirectOf(await authorize(requested, bob));
      expect(await events.take()).toEqual([]);
      await exchange(service, app, query.code as string);
      expect(await events.take()).toEqual([event(app, bob, scopes)]);
    }
    expect(await service.sql('SELECT 1 FROM oauth_bot_grant WHERE account_id = $1', [bob.id])).toEqual([]);
  });

  test('is not sent for a rejection, a denial, a failed exchange or a refresh', async () => {
    const bob = await person(service, 'bob');
    const tokens = await newTokens(service, bob, app);
    const events = noticesOf(service, 'event');
    await consent(service, bob, app, { scope: 'bot', redirect_uri: undefined, decision: 'deny' });
    await consent(service, bob, privateBot, { scope: 'bot', redirect_uri: undefined });
    await exchange(service, app, await newCode(service, bob, app), { redirect_uri: 'https://other.example/' });
    await service.anonymous.form('/v1/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: app.id,
      client_secret: app.secret as string,
    });
    expect(await events.take()).toEqual([]);
  });
});

describe('1.2 OAuth2 protocol error body', () => {
  test('has exactly these members and repeats no input', async () => {
    const { body, headers } = await consent(service, alice, app, { redirect_uri: 'https://evil.example/"<x>' });
    expect(body).toEqual({
      error: 'invalid_request',
      error_description: body.message,
      code: 'INVALID_REQUEST',
      message: expect.any(String),
      errors: [{ path: 'redirect_uri', code: 'INVALID_FORMAT', message: expect.any(String) }],
    });
    expect(JSON.stringify(body)).not.toContain('evil');
    expect(headers.has('www-authenticate')).toBe(false);
    const scope = await consent(service, alice, app, { scope: 'evil' });
    expect(scope.body).toEqual({
      error: 'invalid_scope',
      error_description: scope.body.message,
      code: 'INVALID_SCOPE',
      message: expect.any(String),
    });
  });
});
