import { recordStatementNames } from '../machine/statement-names.js';
import {
  type App,
  basic,
  clients,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  inState,
  isTokenActive,
  newCode,
  newTokens,
  noticesOf,
  type Persona,
  pkce,
  refresh,
  type TestResponse,
  type Tokens,
} from '../support/index.js';

const PATH = '/v1/oauth2/token';
const DIGEST = `digest = sha256(convert_to($1, 'UTF8'))`;
const CODE_DIGEST = `code_digest = sha256(convert_to($1, 'UTF8'))`;
const BANNED = 'banned = true';

let service: Gatehouse;
let alice: Persona;
let app: App;
let stranger: App;

const set = (table: string, assignment: string, secret: string, by = DIGEST) =>
  service.sql(`UPDATE ${table} SET ${assignment} WHERE ${by}`, [secret]);
const isPending = async (code: string) =>
  (await service.sql(`SELECT 1 FROM oauth_code WHERE ${DIGEST}`, [code])).length === 1;
const familiesOf = (code: string) => service.sql(`SELECT settled_at FROM oauth_family WHERE ${CODE_DIGEST}`, [code]);
const rowOf = async (token: string) => (await service.sql(`SELECT * FROM oauth_token WHERE ${DIGEST}`, [token]))[0];
/** Returns whether the token exists and can still be redeemed. */
const isFresh = async (token: string) => (await rowOf(token))?.consumed_at === null;

function expectNoRequest(response: TestResponse, path: string) {
  expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
  expect(response.body.errors).toEqual([expect.objectContaining({ path })]);
}
const expectNoGrant = (response: TestResponse) => expectApiError(response, 'INVALID_GRANT', { error: 'invalid_grant' });

/** Asserts that the family of these tokens is revoked. */
async function expectRevoked(tokens: Tokens) {
  expect(await isTokenActive(service, tokens.access_token)).toBe(false);
  expect(await rowOf(tokens.refresh_token)).toBeUndefined();
}
async function expectUntouched(tokens: Tokens) {
  expect(await isTokenActive(service, tokens.access_token)).toBe(true);
  expect(await isFresh(tokens.refresh_token)).toBe(true);
}

describe('with the defaults', () => {
  beforeAll(async () => {
    service = await gatehouse({ env: { OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '0' } });
    ({ alice, app, stranger } = await clients(service));
  });
  afterAll(() => service.close());

  describe('oauth.md 1.3 and 5.6: the parameters', () => {
    const send = (more: [string, string][]) =>
      service.as(basic(app.id, app.secret as string)).send('POST', PATH, new URLSearchParams(more));

    test.each(['grant_type', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope'])(
      '%s is sent at most once, for every grant type',
      async (name) => {
        const { refresh_token, ...tokens } = await newTokens(service, alice, app);
        const code = await newCode(service, alice, app);
        const codeGrant = { grant_type: 'authorization_code', code, redirect_uri: app.redirectUri };
        for (const form of [{ grant_type: 'refresh_token', refresh_token }, codeGrant]) {
          const rest = Object.entries(form).filter(([key]) => key !== name);
          const value = (form as Record<string, string>)[name] ?? 'x';
          expectNoRequest(await send([...rest, [name, value], [name, value]]), name);
        }
        expect(await isPending(code)).toBe(true);
        await expectUntouched({ refresh_token, ...tokens });
      },
    );

    test('if two parameters are repeated, the grant type is reported, because the rest depends on it', async () => {
      const code = await newCode(service, alice, app);
      const form: [string, string][] = [
        ['code', code],
        ['redirect_uri', app.redirectUri],
        ['grant_type', 'authorization_code'],
      ];
      expectNoRequest(await send([...form, ...form]), 'grant_type');
      expect(await isPending(code)).toBe(true);
    });

    test('the grant type is required and one of two', async () => {
      expectNoRequest(await send([]), 'grant_type');
      expectNoRequest(await send([['grant_type', '']]), 'grant_type');
      for (const type of ['password', 'refresh_token ', 'Authorization_Code']) {
        expectApiError(await send([['grant_type', type]]), 'UNSUPPORTED_GRANT_TYPE', {
          error: 'unsupported_grant_type',
        });
      }
    });

    test('a missing redirect URI, code or refresh token is rejected, and the request consumes nothing', async () => {
      const code = await newCode(service, alice, app);
      expectNoRequest(
        await send([
          ['grant_type', 'authorization_code'],
          ['code', code],
        ]),
        'redirect_uri',
      );
      expectNoRequest(await exchange(service, app, '', {}), 'code');
      expectNoRequest(await exchange(service, app, code, { redirect_uri: ` ${app.redirectUri}` }), 'redirect_uri');
      expectNoRequest(await refresh(service, app, ''), 'refresh_token');
      for (const code_verifier of [` ${pkce().verifier}`, `${pkce().verifier}\n`]) {
        expectNoRequest(await exchange(service, app, code, { code_verifier }), 'code_verifier');
      }
      expect(await isPending(code)).toBe(true);
      expect((await exchange(service, app, code)).status).toBe(200);
    });

    test('a refresh accepts up to 256 characters of known and granted scopes, and otherwise consumes nothing', async () => {
      const tokens = await newTokens(service, alice, app, 'identify email');
      expectNoRequest(await refresh(service, app, tokens.refresh_token, { scope: 'email'.padEnd(257) }), 'scope');
      for (const scope of ['nonsense', 'identify nonsense', '+', 'bot', 'identify bot']) {
        const response = await refresh(service, app, tokens.refresh_token, { scope });
        expectApiError(response, 'INVALID_SCOPE', { error: 'invalid_scope' });
      }
      await expectUntouched(tokens);
      const { status, body } = await refresh(service, app, tokens.refresh_token, { scope: 'email'.padEnd(256) });
      expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'email' });
      const both = await refresh(service, app, body.refresh_token, { scope: 'email identify' });
      expect({ status: both.status, scope: both.body.scope }).toEqual({ status: 200, scope: 'identify email' });
      expect((await rowOf(both.body.access_token))?.scopes).toEqual(['identify', 'email']);
    });
  });

  describe('oauth.md 3.3: a code', () => {
    test('is exchanged for a pair of tokens with its lifetimes, application, account and scopes', async () => {
      const code = await newCode(service, alice, app, { scope: 'email identify' });
      const { status, body } = await exchange(service, app, code);
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          access_token: expect.stringMatching(/^[\w-]{43}$/),
          token_type: 'Bearer',
          expires_in: 604800,
          refresh_token: expect.stringMatching(/^[\w-]{43}$/),
          scope: 'identify email',
        },
      });
      expect(await isPending(code)).toBe(false);
      const [family] = await familiesOf(code);
      expect(family?.settled_at).not.toBeNull();
      for (const [token, kind, seconds] of [
        [body.access_token, 'access', 604800],
        [body.refresh_token, 'refresh', 2592000],
      ]) {
        const { expires_at, created_at, ...row } = (await rowOf(token)) ?? {};
        expect(row).toMatchObject({
          ...{ kind, application_id: app.id, account_id: alice.id, scopes: ['identify', 'email'], parent_id: null },
        });
        expect(expires_at - created_at).toBe(seconds * 1000);
      }
    });

    test('is consumed by any failed exchange', async () => {
      const { verifier, challenge } = pkce();
      const bound = { code_challenge: challenge, code_challenge_method: 'S256' };
      const failures: [cause: string, attempt: (code: string) => Promise<TestResponse>, more?: object][] = [
        ['another client', (code) => exchange(service, stranger, code)],
        ['another address', (code) => exchange(service, app, code, { redirect_uri: `${app.redirectUri}/` })],
        ['a verifier that nobody asked for', (code) => exchange(service, app, code, { code_verifier: verifier })],
        ['another verifier', (code) => exchange(service, app, code, { code_verifier: 'v'.repeat(43) }), bound],
        ['no verifier', (code) => exchange(service, app, code), bound],
        ['a long verifier', (code) => exchange(service, app, code, { code_verifier: 'v'.repeat(5000) }), bound],
      ];
      for (const [cause, attempt, more] of failures) {
        const code = await newCode(service, alice, app, { ...more });
        expectNoGrant(await attempt(code));
        expect({ cause, isPending: await isPending(code) }).toEqual({ cause, isPending: false });
        expect({ cause, families: await familiesOf(code) }).toEqual({ cause, families: [] });
        expectNoGrant(await exchange(service, app, code, more ? { code_verifier: verifier } : {}));
      }
      const code = await newCode(service, alice, app, bound);
      expect((await exchange(service, app, code, { code_verifier: verifier })).status).toBe(200);
    });

    test('that is expired or unknown is rejected', async () => {
      const code = await newCode(service, alice, app);
      await set('oauth_code', `expires_at = now() - interval '1 second'`, code);
      expectNoGrant(await exchange(service, app, code));
      expect(await familiesOf(code)).toEqual([]);
      expectNoGrant(await exchange(service, app, 'A'.repeat(43)));
    });

    test('of a banned account stays valid until the ban ends', async () => {
      const code = await newCode(service, alice, app);
      await inState(service, alice, BANNED, async () => expectNoGrant(await exchange(service, app, code)));
      expect(await isPending(code)).toBe(true);
      expect((await exchange(service, app, code)).status).toBe(200);
    });

    test('presented again revokes its family, except within the time of a race', async () => {
      for (const [moment, isRace] of [
        [`created_at = now() + interval '1 hour', settled_at = NULL`, true],
        [`settled_at = now() + interval '1 hour'`, true],
        [`created_at = now() - interval '11 seconds', settled_at = NULL`, false],
        ['created_at = created_at', false],
      ] as const) {
        const code = await newCode(service, alice, app);
        const tokens: Tokens = (await exchange(service, app, code)).body;
        await set('oauth_family', moment, code, CODE_DIGEST);
        expectNoGrant(await exchange(service, app, code));
        await (isRace ? expectUntouched : expectRevoked)(tokens);
      }
    });

    test('is exchanged by one of 8 parallel requests', async () => {
      const code = await newCode(service, alice, app);
      const responses = await Promise.all(Array.from({ length: 8 }, () => exchange(service, app, code)));
      const [won, ...more] = responses.filter(({ status }) => status === 200);
      for (const response of responses) if (response !== won) expectNoGrant(response);
      expect(more).toEqual([]);
      await expectUntouched(won?.body);
    });

    test('authorizes the bot only if the account consented to that scope', async () => {
      const bots = () => service.sql('SELECT application_id FROM oauth_bot_grant WHERE account_id = $1', [alice.id]);
      const silently = { client_id: app.id, redirect_uri: app.redirectUri, scope: 'bot', prompt: 'none' };
      await newTokens(service, alice, app, 'identify email');
      const { headers } = await service.as(alice).get('/v1/oauth2/authorize', { query: silently });
      const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
      expect((await exchange(service, app, code)).body.scope).toBe('bot');
      expect(await bots()).toEqual([]);
      await newTokens(service, alice, app, 'identify bot');
      expect(await bots()).toEqual([{ application_id: app.id }]);
    });

    test('notifies the bot, unless it was notified at the consent', async () => {
      const notices = noticesOf(service, 'event');
      for (const [scope, atConsent] of [
        ['identify bot', 0],
        ['bot', 1],
      ] as const) {
        const code = await newCode(service, alice, app, { scope });
        expect(await notices.take()).toHaveLength(atConsent);
        expect((await exchange(service, app, code)).status).toBe(200);
        expect(await notices.take()).toHaveLength(1 - atConsent);
      }
    });
  });

  describe('oauth.md 3.3: a refresh token', () => {
    test('is consumed for a new pair with full lifetimes; earlier tokens are unchanged', async () => {
      const first = await newTokens(service, alice, app, 'identify email');
      const { status, body } = await refresh(service, app, first.refresh_token, { scope: 'identify' });
      expect({ status, body }).toEqual({
        status: 200,
        body: { ...first, access_token: body.access_token, refresh_token: body.refresh_token, scope: 'identify' },
      });
      expect(new Set([...Object.values(first), ...Object.values(body)]).size).toBe(8);
      const used = await rowOf(first.refresh_token);
      expect(used).toMatchObject({ consumed_at: expect.any(Date), settled_at: expect.any(Date) });
      const [access, next] = [await rowOf(body.access_token), await rowOf(body.refresh_token)];
      expect(access).toMatchObject({ kind: 'access', scopes: ['identify'], parent_id: used?.id });
      expect(next).toMatchObject({ kind: 'refresh', scopes: ['identify', 'email'], parent_id: used?.id });
      expect([access?.expires_at - access?.created_at, next?.expires_at - next?.created_at]).toEqual([
        ...[604800000, 2592000000],
      ]);
      expect(await isTokenActive(service, first.access_token)).toBe(true);
      expect((await refresh(service, app, body.refresh_token)).body.scope).toBe('identify email');
    });

    test('of another client, or presented again, revokes its family', async () => {
      const misuses: ((first: Tokens, second: Tokens) => Promise<TestResponse>)[] = [
        (_, { refresh_token }) => refresh(service, stranger, refresh_token),
        (_, { refresh_token }) => refresh(service, stranger, refresh_token, { scope: 'bot' }),
        ({ refresh_token }) => refresh(service, app, refresh_token),
        ({ refresh_token }) => refresh(service, app, refresh_token, { scope: 'bot' }),
      ];
      for (const misuse of misuses) {
        const other = await newTokens(service, alice, app);
        const first = await newTokens(service, alice, app);
        const second: Tokens = (await refresh(service, app, first.refresh_token)).body;
        expectNoGrant(await misuse(first, second));
        await expectRevoked(second);
        await expectUntouched(other);
      }
    });

    test('presented again revokes nothing within the time of a race', async () => {
      for (const [moment, isRace] of [
        [`consumed_at = now() + interval '1 hour', settled_at = NULL`, true],
        [`settled_at = now() + interval '1 hour'`, true],
        [`consumed_at = now() - interval '11 seconds', settled_at = NULL`, false],
      ] as const) {
        const first = await newTokens(service, alice, app);
        const second: Tokens = (await refresh(service, app, first.refresh_token)).body;
        await set('oauth_token', moment, first.refresh_token);
        expectNoGrant(await refresh(service, app, first.refresh_token));
        await (isRace ? expectUntouched : expectRevoked)(second);
      }
    });

    test('is redeemed by one of 8 parallel requests', async () => {
      const first = await newTokens(service, alice, app);
      const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(service, app, first.refresh_token)));
      const [won, ...more] = responses.filter(({ status }) => status === 200);
      for (const response of responses) if (response !== won) expectNoGrant(response);
      expect(more).toEqual([]);
      await expectUntouched(won?.body);
    });

    test('that is expired, unknown or of another kind is rejected and revokes nothing', async () => {
      const tokens = await newTokens(service, alice, app);
      expectNoGrant(await refresh(service, app, 'A'.repeat(43)));
      expectNoGrant(await refresh(service, app, tokens.access_token));
      await expectUntouched(tokens);
      await set('oauth_token', `expires_at = now() - interval '1 second'`, tokens.refresh_token);
      for (const more of [{}, { scope: 'bot' }] as Record<string, string>[]) {
        expectNoGrant(await refresh(service, app, tokens.refresh_token, more));
        await expectUntouched(tokens);
      }
    });

    test('of a banned account stays valid until the ban ends, used or not', async () => {
      const first = await newTokens(service, alice, app);
      const second: Tokens = (await refresh(service, app, first.refresh_token)).body;
      await inState(service, alice, BANNED, async () => {
        for (const { refresh_token } of [first, second]) {
          for (const more of [{}, { scope: 'bot' }] as Record<string, string>[])
            expectNoGrant(await refresh(service, app, refresh_token, more));
        }
      });
      await expectUntouched(second);
      expect((await refresh(service, app, second.refresh_token)).status).toBe(200);
    });
  });

  test('uses named statements, which a connection prepares once', async () => {
    const code = await newCode(service, alice, app);
    const { refresh_token } = await newTokens(service, alice, app);
    const requested = async (work: () => Promise<TestResponse>) =>
      (await recordStatementNames(service, 'oauth-', work)).join(' ');
    const exchanged = () => requested(() => exchange(service, app, code));
    const refreshed = () => requested(() => refresh(service, app, refresh_token));
    expect(await exchanged()).toBe('oauth-client oauth-exchange oauth-settle-families');
    expect(await exchanged()).toBe('oauth-client oauth-exchange oauth-replayed-code');
    expect(await refreshed()).toBe('oauth-client oauth-refresh oauth-settle-tokens');
    expect(await refreshed()).toBe('oauth-client oauth-refresh oauth-revoke-family');
  });

  test('is valid even if its follow-up update failed, which is logged', async () => {
    await service.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
    );
    for (const table of ['oauth_family', 'oauth_token']) {
      await service.sql(`CREATE TRIGGER refuse BEFORE UPDATE OF settled_at ON ${table}
        FOR EACH ROW WHEN (NEW.settled_at IS NOT NULL) EXECUTE FUNCTION refuse()`);
    }
    service.log.length = 0;
    const first = await newTokens(service, alice, app);
    const second: Tokens = (await refresh(service, app, first.refresh_token)).body;
    await service.sql('DROP FUNCTION refuse CASCADE');
    await expectUntouched(second);
    const said = service.log.filter((line) => line.includes('marking OAuth2 codes or refresh tokens as used failed'));
    expect(said).toHaveLength(2);
    for (const line of said) expect(line).toMatch(/"error"/);
  });
});
