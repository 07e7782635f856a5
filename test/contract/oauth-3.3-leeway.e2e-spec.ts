import { recordStatementNames } from '../machine/statement-names.js';
import {
  type App,
  clients,
  expectApiError,
  type Gatehouse,
  gatehouse,
  inState,
  isTokenActive,
  newTokens,
  type Persona,
  refresh,
  type TestResponse,
  type Tokens,
  withGatehouse,
} from '../support/index.js';

const DAY = 86_400;
const DIGEST = `digest = sha256(convert_to($1, 'UTF8'))`;

let service: Gatehouse;
let alice: Persona;
let app: App;
let stranger: App;
beforeAll(async () => {
  service = await gatehouse({
    env: { OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '30', OAUTH_FAMILY_MAX_SECONDS: String(3 * DAY) },
  });
  ({ alice, app, stranger } = await clients(service));
});
afterAll(() => service.close());

const rowOf = async (token: string) => (await service.sql(`SELECT * FROM oauth_token WHERE ${DIGEST}`, [token]))[0];
const set = (assignment: string, token: string) =>
  service.sql(`UPDATE oauth_token SET ${assignment} WHERE ${DIGEST}`, [token]);
const ago = (seconds: number) => `consumed_at = now() - interval '${seconds} seconds', settled_at = consumed_at`;
const expectNoGrant = (response: TestResponse) => expectApiError(response, 'INVALID_GRANT', { error: 'invalid_grant' });

/** Redeems a refresh token and returns both token pairs, the redeemed one and the new one. */
async function redeemed(scope?: string) {
  const first = await newTokens(service, alice, app, 'identify email');
  const { status, body } = await refresh(service, app, first.refresh_token, scope === undefined ? {} : { scope });
  expect(status).toBe(200);
  return { first, second: body as Tokens };
}
const isFamilyThere = async ({ access_token }: Tokens) => {
  const isThere = await isTokenActive(service, access_token);
  expect((await rowOf(access_token)) !== undefined).toBe(isThere);
  return isThere;
};

describe('oauth.md 3.3: a refresh that is retried within the leeway', () => {
  test.each([undefined, 'identify'])('returns the same pair, with its remaining lifetime (scope %j)', async (scope) => {
    const { first, second } = await redeemed(scope);
    await set(`expires_at = expires_at - interval '1 hour'`, second.access_token);
    for (const more of [{}, { scope: 'email' }] as Record<string, string>[]) {
      const { status, body } = await refresh(service, app, first.refresh_token, more);
      expect({ status, body }).toEqual({ status: 200, body: { ...second, expires_in: expect.any(Number) } });
      expect(body.expires_in).toBeLessThanOrEqual(3 * DAY - 3600);
      expect(body.expires_in).toBeGreaterThan(0);
    }
    expect(second.scope).toBe(scope ?? 'identify email');
    const [{ children } = { children: 0 }] = await service.sql(
      'SELECT count(*)::int AS children FROM oauth_token WHERE parent_id = $1',
      [(await rowOf(first.refresh_token))?.id],
    );
    expect(children).toBe(2);
    expect((await refresh(service, app, second.refresh_token)).status).toBe(200);
  });

  test.each<[string, (pair: { first: Tokens; second: Tokens }) => Promise<TestResponse>]>([
    [
      'after it',
      async ({ first }) => {
        await set(ago(31), first.refresh_token);
        return refresh(service, app, first.refresh_token);
      },
    ],
    [
      'once its successor was used',
      async ({ first, second }) => {
        expect((await refresh(service, app, second.refresh_token)).status).toBe(200);
        return refresh(service, app, first.refresh_token);
      },
    ],
    ['by another client', ({ first }) => refresh(service, stranger, first.refresh_token)],
    [
      'where its successor is none that it could have brought',
      async ({ first, second }) => {
        await set(`digest = sha256('x')`, second.refresh_token);
        return refresh(service, app, first.refresh_token);
      },
    ],
  ])('is reuse %s: the complete family is revoked', async (_, misuse) => {
    const pair = await redeemed();
    expectNoGrant(await misuse(pair));
    expect(await isFamilyThere(pair.second)).toBe(false);
    expect(await rowOf(pair.first.refresh_token)).toBeUndefined();
  });

  test('uses a named statement, which a connection prepares once', async () => {
    const { first } = await redeemed();
    const names = await recordStatementNames(service, 'oauth-', () => refresh(service, app, first.refresh_token));
    expect(names).toEqual(['oauth-client', 'oauth-refresh', 'oauth-successor']);
  });

  test('returns nothing and revokes nothing while the account is banned', async () => {
    const { first, second } = await redeemed();
    await inState(service, alice, 'banned = true', async () => {
      expectNoGrant(await refresh(service, app, first.refresh_token));
    });
    expect(await isFamilyThere(second)).toBe(true);
    expect((await refresh(service, app, first.refresh_token)).body.access_token).toBe(second.access_token);
  });
});

describe('oauth.md 3: deletion of a family', () => {
  const ageFamily = (token: string, days: number) =>
    service.sql(
      `UPDATE oauth_family SET created_at = now() - $2 * interval '1 day'
       WHERE id = (SELECT family_id FROM oauth_token WHERE ${DIGEST})`,
      [token, days],
    );

  test('ends every token of it, and responses say so', async () => {
    const first = await newTokens(service, alice, app);
    expect(first.expires_in).toBe(3 * DAY);
    for (const token of [first.access_token, first.refresh_token]) {
      const { expires_at, created_at } = (await rowOf(token)) ?? {};
      expect(expires_at - created_at).toBe(3 * DAY * 1000);
    }
    await ageFamily(first.refresh_token, 2);
    const { body } = await refresh(service, app, first.refresh_token);
    expect(body.expires_in).toBeGreaterThan(0);
    expect(body.expires_in).toBeLessThanOrEqual(DAY);
    const [family] = await service.sql(
      `SELECT created_at FROM oauth_family WHERE id = (SELECT family_id FROM oauth_token WHERE ${DIGEST})`,
      [first.refresh_token],
    );
    for (const token of [body.access_token, body.refresh_token]) {
      expect((await rowOf(token))?.expires_at - family?.created_at).toBe(3 * DAY * 1000);
    }
  });

  test('rejects refreshes, without further effect', async () => {
    const tokens = await newTokens(service, alice, app);
    await ageFamily(tokens.refresh_token, 3);
    expectNoGrant(await refresh(service, app, tokens.refresh_token));
    expect((await rowOf(tokens.refresh_token))?.consumed_at).toBeNull();
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
  });
});

describe('oauth.md 3.3: the leeway by default', () => {
  test('is 10 seconds', async () => {
    await withGatehouse({}, async (usual) => {
      const known = await clients(usual);
      for (const [seconds, isSame] of [
        [5, true],
        [11, false],
      ] as const) {
        const first = await newTokens(usual, known.alice, known.app);
        const { body: second } = await refresh(usual, known.app, first.refresh_token);
        await usual.sql(`UPDATE oauth_token SET ${ago(seconds)} WHERE ${DIGEST}`, [first.refresh_token]);
        const response = await refresh(usual, known.app, first.refresh_token);
        if (isSame) expect(response.body).toMatchObject({ refresh_token: second.refresh_token });
        else expectNoGrant(response);
        expect(await isTokenActive(usual, second.access_token)).toBe(isSame);
      }
    });
  });
});
