import {
  type App,
  asApp,
  CALLBACK,
  clients,
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
  pkce,
  race,
  refresh,
} from '../support/index.js';

const S256 = (challenge: string) => ({ code_challenge: challenge, code_challenge_method: 'S256' });

/** Verifier parameters that do not match the challenge of any other request: none, and an unrelated one. */
const ANSWERS: Record<string, string>[] = [{}, { code_verifier: pkce().verifier }];

describe('3.1 OAUTH_PKCE_REQUIRED', () => {
  let service: Gatehouse;
  let alice: Persona;
  let owner: Persona;
  let app: App;
  beforeAll(async () => {
    service = await gatehouse({ env: { OAUTH_PKCE_REQUIRED: 'true' } });
    ({ alice, owner, app } = await clients(service));
  });
  afterAll(() => service.close());

  const codes = async () => (await service.sql('SELECT digest FROM oauth_code')).length;
  const withChallenge = async () => {
    const { verifier, challenge } = pkce();
    return { verifier, code: await newCode(service, alice, app, S256(challenge)) };
  };

  test('a confidential client also needs a challenge, and then its verifier', async () => {
    const before = await codes();
    expectApiError(await consent(service, alice, app), 'INVALID_REQUEST', { error: 'invalid_request' });
    expect(await codes()).toBe(before);
    const { verifier, code } = await withChallenge();
    expect((await exchange(service, app, code, { code_verifier: verifier })).status).toBe(200);
    for (const wrong of ANSWERS) {
      const { code } = await withChallenge();
      expectApiError(await exchange(service, app, code, wrong), 'INVALID_GRANT', { error: 'invalid_grant' });
      expect(await codes()).toBe(before);
    }
  });

  test('a silent request without one is consent_required at the client', async () => {
    const { verifier, code } = await withChallenge();
    expect((await exchange(service, app, code, { code_verifier: verifier })).status).toBe(200);
    const silently = async (more: object) => {
      const query = { client_id: app.id, redirect_uri: CALLBACK, scope: 'identify', prompt: 'none', ...more };
      const response = await service
        .as(alice)
        .get('/v1/oauth2/authorize', { query: { response_type: 'code', ...query } });
      return parametersOf(response.headers.get('location') ?? '');
    };
    expect(await silently({})).toMatchObject({ error: 'consent_required' });
    expect(await silently(S256(pkce().challenge))).toMatchObject({ code: expect.any(String) });
  });

  test('an earlier code is rejected, with and without a verifier', async () => {
    const before = await codes();
    for (const more of ANSWERS) {
      const { code } = await withChallenge();
      await service.sql('UPDATE oauth_code SET challenge = NULL');
      expectApiError(await exchange(service, app, code, more), 'INVALID_GRANT');
      expect(await codes()).toBe(before);
    }
  });

  test('an invitation of a bot, which has no code, needs none', async () => {
    const free = await newApp(service, owner, { bot_require_code_grant: false });
    const invited = await service.as(alice).post('/v1/oauth2/authorize/consent', { client_id: free.id, scope: 'bot' });
    expect(invited.status).toBe(200);
  });
});

describe('3 OAUTH_FAMILY_MAX_SECONDS', () => {
  const DAY = 86_400;
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  beforeAll(async () => {
    service = await gatehouse({
      env: { OAUTH_FAMILY_MAX_SECONDS: String(10 * DAY), OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '60' },
    });
    ({ alice, app } = await clients(service));
  });
  afterAll(() => service.close());

  /** Makes all families look this old. */
  const age = (days: number) =>
    service.sql(`UPDATE oauth_family SET created_at = now() - $1::int * interval '1 day'`, [days]);
  const lifeOf = async (token: string) => {
    const { body } = await asApp(service, app, '/v1/oauth2/introspect', { token });
    return body.exp - body.iat;
  };

  test('no token is valid longer than its family', async () => {
    const tokens = await newTokens(service, alice, app);
    expect(tokens.expires_in).toBe(7 * DAY);
    expect(await lifeOf(tokens.access_token)).toBe(7 * DAY);
    expect(await lifeOf(tokens.refresh_token)).toBe(10 * DAY);
  });

  test('a refresh returns the remaining lifetime', async () => {
    const first = await newTokens(service, alice, app);
    await age(8);
    const { status, body } = await refresh(service, app, first.refresh_token);
    expect(status).toBe(200);
    expect(body.expires_in).toBeGreaterThan(2 * DAY - 60);
    expect(body.expires_in).toBeLessThanOrEqual(2 * DAY);
    for (const token of [body.access_token, body.refresh_token]) {
      expect(Math.abs((await lifeOf(token)) - 2 * DAY)).toBeLessThan(60);
    }
    // A retry within the leeway returns the same pair.
    expect((await refresh(service, app, first.refresh_token)).body.access_token).toBe(body.access_token);
  });

  test('after that no refresh token of the family works, and nothing is consumed or revoked', async () => {
    const tokens = await newTokens(service, alice, app);
    await age(10);
    const { responses } = await race(32, () => refresh(service, app, tokens.refresh_token));
    for (const response of responses) expectApiError(response, 'INVALID_GRANT', { error: 'invalid_grant' });
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    await age(9);
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
  });

  test('a new consent starts another family', async () => {
    await age(11);
    const tokens = await newTokens(service, alice, app);
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
  });
});
