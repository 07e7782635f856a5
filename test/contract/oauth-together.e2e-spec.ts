import pg from 'pg';
import {
  type App,
  asApp,
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
  person,
  pkce,
  REJECTED_ACCOUNT_STATES,
  race,
  refresh,
  type TestResponse,
} from '../support/index.js';

const PEOPLE = 12;

/**
 * Records the batch size of each statement with this part. Behind a pooler, statements have no names. `take` returns the
 * sizes, largest first.
 */
function watched(part: string) {
  const sizes: number[] = [];
  const prototype = pg.Client.prototype as unknown as { query: (this: unknown, ...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (...args) {
    const [first, second] = args as [string | { text: string; values?: unknown[] }, unknown];
    const { text, values } = typeof first === 'string' ? { text: first, values: second } : first;
    if (text.includes(part) && Array.isArray(values) && Array.isArray(values[1])) sizes.push(values[1].length);
    return query.apply(this, args);
  };
  return {
    take: () => sizes.splice(0).sort((a, b) => b - a),
    stop: () => {
      prototype.query = query;
    },
  };
}

/** Codes and refresh tokens that one client sends at the same time share a database statement (oauth.md 3.3). */
describe('each of many parallel requests gets the result that it would get on its own', () => {
  let service: Gatehouse;
  let people: Persona[];
  let app: App;
  let stranger: App;
  let exchanges: ReturnType<typeof watched>;
  let rotations: ReturnType<typeof watched>;
  beforeAll(async () => {
    exchanges = watched('INSERT INTO oauth_family');
    rotations = watched('JOIN oauth_family f ON f.id = p.family_id');
    service = await gatehouse({ env: { OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '0' } });
    ({ app, stranger } = await clients(service));
    people = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => person(service, `person${n}`)));
  });
  afterAll(async () => {
    exchanges.stop();
    rotations.stop();
    await service.close();
  });

  const inTurn = async <T>(work: (one: Persona, n: number) => Promise<T>): Promise<T[]> => {
    const done: T[] = [];
    for (const [n, one] of people.entries()) done.push(await work(one, n));
    return done;
  };
  const familiesOf = async (id: string): Promise<number> =>
    (await service.sql('SELECT 1 FROM oauth_family WHERE account_id = $1', [id])).length;
  const holderOf = async ({ body }: TestResponse): Promise<string> =>
    (await service.as(`Bearer ${body.access_token}`).get('/v1/oauth2/@me')).body.user.id;

  test('codes: account, scopes and verifier of each, and each is sent to the bot once', async () => {
    const notices = noticesOf(service, 'event');
    const requested = await inTurn(async (one, n) => {
      const { verifier, challenge } = pkce();
      const scope = n % 2 ? 'identify email' : 'identify';
      const bound = { scope, code_challenge: challenge, code_challenge_method: 'S256' };
      return { id: one.id, scope, verifier, code: await newCode(service, one, app, bound) };
    });
    exchanges.take();
    const { responses, statuses } = await race(PEOPLE, (n) =>
      exchange(service, app, requested[n]?.code ?? '', { code_verifier: requested[n]?.verifier ?? '' }),
    );
    expect(statuses).toEqual({ 200: PEOPLE });
    const sizes = exchanges.take();
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(PEOPLE);
    expect(sizes[0]).toBeGreaterThan(1);
    for (const [n, response] of responses.entries()) {
      expect({ id: await holderOf(response), scope: response.body.scope }).toEqual({
        id: requested[n]?.id,
        scope: requested[n]?.scope,
      });
    }
    const reported = (await notices.take()).filter(({ account_id }) => account_id === app.id);
    expect(reported.map(({ d }) => (d as { user_id: string }).user_id).sort()).toEqual(
      requested.map(({ id }) => id).sort(),
    );
    for (const { code } of requested) expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
  });

  test('codes: an error of one does not affect others', async () => {
    const codes = await inTurn((one) => newCode(service, one, app));
    const foreign = await newCode(service, people[11] as Persona, stranger);
    await service.sql(`UPDATE oauth_code SET expires_at = now() - interval '1 second' WHERE account_id = $1`, [
      (people[4] as Persona).id,
    ]);
    const before = await inTurn(({ id }) => familiesOf(id));
    const at = (n: number, more: Record<string, string> = {}) => exchange(service, app, codes[n] as string, more);
    const responses = await inState(service, people[5] as Persona, REJECTED_ACCOUNT_STATES[0] as string, () =>
      Promise.all([
        at(0),
        at(1, { redirect_uri: `${app.redirectUri}/` }),
        at(2, { code_verifier: pkce().verifier }),
        exchange(service, app, 'a'.repeat(43)),
        at(4),
        at(5),
        at(6),
        asApp(service, app, '/v1/oauth2/token', { grant_type: 'authorization_code', code: codes[7] as string }),
        at(8, { redirect_uri: 'a\u0000b' }),
        at(9),
        at(9),
        exchange(service, app, foreign),
      ]),
    );
    const verdicts = responses.map(({ status, body }) => (status === 200 ? 'tokens' : body.code));
    const wrong = Array.from({ length: 12 }, () => 'INVALID_GRANT');
    expect(verdicts).toEqual([
      'tokens',
      ...wrong.slice(0, 5),
      'tokens',
      ...['INVALID_REQUEST', 'INVALID_REQUEST'],
      expect.stringMatching(/^(tokens|INVALID_GRANT)$/),
      expect.stringMatching(/^(tokens|INVALID_GRANT)$/),
      'INVALID_GRANT',
    ]);
    const gained = (await inTurn(({ id }) => familiesOf(id))).map((now, n) => now - (before[n] as number));
    expect(gained).toEqual([1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
    expect(await holderOf(responses[0] as TestResponse)).toBe(people[0]?.id);
    expect(await holderOf(responses[6] as TestResponse)).toBe(people[6]?.id);
    // Malformed requests (7 and 8) consumed no code. The codes that were not presented (3, 10 and 11) still work.
    for (const n of [3, 7, 8, 10, 11]) expect((await at(n)).status).toBe(200);
    expectApiError(await exchange(service, stranger, foreign), 'INVALID_GRANT');
  });

  test('refresh tokens: pair, scopes and result of each', async () => {
    const given = await inTurn((one, n) => newTokens(service, one, app, n === 2 ? 'identify' : 'identify email'));
    const foreign = await newTokens(service, people[11] as Persona, stranger);
    const token = (n: number) => (given[n] as (typeof given)[number]).refresh_token;
    expect((await refresh(service, app, token(3))).status).toBe(200);
    await service.sql(
      `UPDATE oauth_token SET expires_at = now() - interval '1 second' WHERE account_id = $1 AND kind = 'refresh'`,
      [(people[4] as Persona).id],
    );
    rotations.take();
    const responses = await inState(service, people[5] as Persona, REJECTED_ACCOUNT_STATES[4] as string, () =>
      Promise.all([
        refresh(service, app, token(0)),
        refresh(service, app, token(1), { scope: 'identify' }),
        refresh(service, app, token(2), { scope: 'identify email' }),
        refresh(service, app, token(3)),
        refresh(service, app, token(4)),
        refresh(service, app, token(5)),
        refresh(service, app, 'a'.repeat(43)),
        refresh(service, app, foreign.refresh_token),
        refresh(service, app, token(8)),
        refresh(service, app, token(8)),
      ]),
    );
    expect(rotations.take()[0]).toBeGreaterThan(1);
    const verdicts = responses.map(({ status, body }) => (status === 200 ? body.scope : body.code));
    expect(verdicts.slice(0, 8)).toEqual([
      ...['identify email', 'identify', 'INVALID_SCOPE'],
      ...Array.from({ length: 5 }, () => 'INVALID_GRANT'),
    ]);
    expect(verdicts.slice(8).sort()).toEqual(['INVALID_GRANT', 'identify email']);
    expect(await Promise.all([0, 1].map((n) => holderOf(responses[n] as TestResponse)))).toEqual(
      [0, 1].map((n) => people[n]?.id),
    );
    // The family of 3 was revoked because of token reuse, that of `foreign` because another client presented its token.
    const isLeft = (n: number) => isTokenActive(service, (given[n] as (typeof given)[number]).access_token);
    expect(await Promise.all([0, 1, 2, 3, 8].map(isLeft))).toEqual([true, true, true, false, true]);
    expect(await isTokenActive(service, foreign.access_token)).toBe(false);
    // A narrowed token can get all scopes again, and a request for too many scopes changed nothing.
    expect((await refresh(service, app, responses[1]?.body.refresh_token)).body.scope).toBe('identify email');
    expect((await refresh(service, app, token(2))).status).toBe(200);
  });
});
