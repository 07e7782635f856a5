import { expect } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { testOnPostgres } from '../machine/postgres.js';
import {
  type App,
  asApp,
  clients,
  eventually,
  exchange,
  expectApiError,
  type Gatehouse,
  gatehouse,
  inState,
  isTokenActive,
  newApp,
  newCode,
  newTokens,
  type Persona,
  person,
  pkce,
  REJECTED_ACCOUNT_STATES,
  refresh,
  type TestResponse,
} from '../support/index.js';

const ORIGIN = 'https://app.example';
const PARALLEL = 32;
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Asserts that exactly one response has tokens and all others are `INVALID_GRANT`. Returns the tokens. */
function theWinner(responses: TestResponse[]) {
  const won = responses.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const response of responses) if (response.status !== 200) expectApiError(response, 'INVALID_GRANT');
  return (won[0] as TestResponse).body;
}

describe('3.3 rotation, reuse, races', () => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  let stranger: App;
  let publicStranger: App;
  beforeAll(async () => {
    service = await gatehouse({ env: { OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '0' } });
    ({ alice, app, stranger, publicApp: publicStranger } = await clients(service));
  });
  afterAll(() => service.close());

  const familiesOf = async (code: string) =>
    (await service.sql(`SELECT 1 FROM oauth_family WHERE code_digest = sha256(convert_to($1, 'UTF8'))`, [code])).length;
  const isPending = async (code: string) =>
    (await service.sql(`SELECT 1 FROM oauth_code WHERE digest = sha256(convert_to($1, 'UTF8'))`, [code])).length === 1;

  test('a code works once; presented again it revokes every token of its family', async () => {
    const other = await newTokens(service, alice, app);
    const code = await newCode(service, alice, app);
    const first = (await exchange(service, app, code)).body;
    const second = (await refresh(service, app, first.refresh_token)).body;
    expect(await isTokenActive(service, first.access_token)).toBe(true);
    expectApiError(await exchange(service, app, code), 'INVALID_GRANT', { error: 'invalid_grant' });
    expect(await isTokenActive(service, first.access_token)).toBe(false);
    expect(await isTokenActive(service, second.access_token)).toBe(false);
    expectApiError(await refresh(service, app, second.refresh_token), 'INVALID_GRANT');
    expect(await familiesOf(code)).toBe(0);
    expect(await isTokenActive(service, other.access_token)).toBe(true);
  });

  test('a code presented again by another client also revokes its family', async () => {
    const code = await newCode(service, alice, app);
    const tokens = (await exchange(service, app, code)).body;
    expectApiError(await exchange(service, publicStranger, code), 'INVALID_GRANT');
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
  });

  test('of 32 parallel redemptions of one code, exactly one succeeds, and its tokens stay valid', async () => {
    for (let round = 0; round < 5; round++) {
      const code = await newCode(service, alice, app);
      const responses = await Promise.all(times(PARALLEL, () => exchange(service, app, code)));
      const tokens = theWinner(responses);
      expect(await familiesOf(code)).toBe(1);
      expect(await isTokenActive(service, tokens.access_token)).toBe(true);
      expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
    }
  });

  test('a code is consumed by a well-formed exchange that fails', async () => {
    const { challenge } = pkce();
    const bound = { code_challenge: challenge, code_challenge_method: 'S256' };
    const failures: [string, (code: string) => Promise<TestResponse>, Record<string, unknown>?][] = [
      ['another client', (code) => exchange(service, stranger, code)],
      ['another public client', (code) => exchange(service, publicStranger, code)],
      ['another redirect URI', (code) => exchange(service, app, code, { redirect_uri: `${app.redirectUri}/` })],
      ['a verifier that nobody asked for', (code) => exchange(service, app, code, { code_verifier: pkce().verifier })],
      ['a wrong verifier', (code) => exchange(service, app, code, { code_verifier: pkce().verifier }), bound],
      ['no verifier', (code) => exchange(service, app, code), bound],
    ];
    for (const [cause, attempt, more] of failures) {
      const code = await newCode(service, alice, app, more);
      expectApiError(await attempt(code), 'INVALID_GRANT');
      expect({ cause, pending: await isPending(code) }).toEqual({ cause, pending: false });
      expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
      expect(await familiesOf(code)).toBe(0);
    }
  });

  test('a malformed request consumes nothing', async () => {
    const code = await newCode(service, alice, app);
    const malformed: Record<string, string>[] = [
      { grant_type: 'authorization_code', code },
      { grant_type: 'authorization_code', code, redirect_uri: '' },
      { grant_type: 'authorization_code', code, redirect_uri: ` ${app.redirectUri}` },
      { grant_type: 'authorization_code', code, redirect_uri: `https://${'a'.repeat(300)}` },
      { code, redirect_uri: app.redirectUri },
    ];
    for (const form of malformed) {
      expectApiError(await asApp(service, app, '/v1/oauth2/token', form), 'INVALID_REQUEST');
    }
    expect((await exchange(service, app, code)).status).toBe(200);
  });

  test('a client that does not authenticate itself consumes nothing', async () => {
    const code = await newCode(service, alice, app);
    const impostor = { ...app, secret: 'A'.repeat(43) };
    expectApiError(await exchange(service, impostor, code), 'INVALID_CLIENT');
    expect((await exchange(service, app, code)).status).toBe(200);
  });

  test('an expired code is rejected', async () => {
    const code = await newCode(service, alice, app);
    await service.sql(`UPDATE oauth_code SET expires_at = expires_at - interval '601 seconds'`);
    expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
    expect(await familiesOf(code)).toBe(0);
  });

  test('a code is valid for 600 seconds', async () => {
    const code = await newCode(service, alice, app);
    const [row] = await service.sql(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM oauth_code
       WHERE digest = sha256(convert_to($1, 'UTF8'))`,
      [code],
    );
    expect(row?.seconds).toBe(600);
  });

  test('a code of a deleted, disabled or banned account is rejected without being consumed', async () => {
    for (const state of REJECTED_ACCOUNT_STATES) {
      const code = await newCode(service, alice, app);
      await inState(service, alice, state, async () =>
        expectApiError(await exchange(service, app, code), 'INVALID_GRANT'),
      );
      expect((await exchange(service, app, code)).status).toBe(200);
    }
  });

  test('a refresh creates a new pair with full lifetimes; earlier access tokens keep their own', async () => {
    const first = await newTokens(service, alice, app, 'identify email');
    await service.sql(
      `UPDATE oauth_token SET expires_at = expires_at - interval '1 hour' WHERE account_id = $1 AND consumed_at IS NULL`,
      [alice.id],
    );
    const { status, body } = await refresh(service, app, first.refresh_token);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        token_type: 'Bearer',
        expires_in: 604800,
        refresh_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        scope: 'identify email',
      },
    });
    expect(body.access_token).not.toBe(first.access_token);
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(await isTokenActive(service, first.access_token)).toBe(true);
    expect(await isTokenActive(service, body.access_token)).toBe(true);
  });

  test('a consumed refresh token presented again revokes the whole family, including access tokens', async () => {
    const other = await newTokens(service, alice, app);
    const first = await newTokens(service, alice, app);
    const second = (await refresh(service, app, first.refresh_token)).body;
    const third = (await refresh(service, app, second.refresh_token)).body;
    expectApiError(await refresh(service, app, first.refresh_token), 'INVALID_GRANT');
    for (const { access_token } of [first, second, third])
      expect(await isTokenActive(service, access_token)).toBe(false);
    expectApiError(await refresh(service, app, third.refresh_token), 'INVALID_GRANT');
    expect(await isTokenActive(service, other.access_token)).toBe(true);
    expect((await refresh(service, app, other.refresh_token)).status).toBe(200);
  });

  test('of 32 parallel redemptions of one refresh token, exactly one succeeds, and its tokens stay valid', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await newTokens(service, alice, app);
      const responses = await Promise.all(times(PARALLEL, () => refresh(service, app, first.refresh_token)));
      const tokens = theWinner(responses);
      expect(await isTokenActive(service, tokens.access_token)).toBe(true);
      expect(await isTokenActive(service, first.access_token)).toBe(true);
      expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
    }
  });

  test('a refresh token presented by another client is rejected and revokes its family', async () => {
    for (const other of [stranger, publicStranger]) {
      const tokens = await newTokens(service, alice, app);
      expectApiError(await refresh(service, other, tokens.refresh_token), 'INVALID_GRANT');
      expect(await isTokenActive(service, tokens.access_token)).toBe(false);
      expectApiError(await refresh(service, app, tokens.refresh_token), 'INVALID_GRANT');
    }
  });

  test('an expired refresh token is rejected and revokes nothing', async () => {
    const tokens = await newTokens(service, alice, app);
    await service.sql(
      `UPDATE oauth_token SET expires_at = now() - interval '1 second'
       WHERE kind = 'refresh' AND digest = sha256(convert_to($1, 'UTF8'))`,
      [tokens.refresh_token],
    );
    expectApiError(await refresh(service, app, tokens.refresh_token), 'INVALID_GRANT');
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
  });

  test('a refresh token is valid for 30 days, an access token for 7', async () => {
    const tokens = await newTokens(service, alice, app);
    for (const [token, seconds] of [
      [tokens.refresh_token, 2592000],
      [tokens.access_token, 604800],
    ] as const) {
      const { body } = await asApp(service, app, '/v1/oauth2/introspect', { token });
      expect(body.exp - body.iat).toBe(seconds);
    }
  });

  test('a refresh token of a deleted, disabled or banned account is rejected without being consumed', async () => {
    for (const state of REJECTED_ACCOUNT_STATES) {
      const tokens = await newTokens(service, alice, app);
      await inState(service, alice, state, async () =>
        expectApiError(await refresh(service, app, tokens.refresh_token), 'INVALID_GRANT'),
      );
      expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
    }
  });

  test('an access token is not accepted as a refresh token or code, nor a refresh token as an access token', async () => {
    const tokens = await newTokens(service, alice, app);
    expectApiError(await refresh(service, app, tokens.access_token), 'INVALID_GRANT');
    expectApiError(await exchange(service, app, tokens.refresh_token), 'INVALID_GRANT');
    expectApiError(await service.as(`Bearer ${tokens.refresh_token}`).get('/v1/oauth2/@me'), 'UNAUTHORIZED');
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
  });

  const endings: [what: string, end: (own: App, refreshToken: string) => Promise<TestResponse>][] = [
    ['a revocation', (own, token) => asApp(service, own, '/v1/oauth2/token/revoke', { token })],
    [
      'the removal of a redirect URI',
      (own) => service.as(alice).patch(`/v1/oauth2/applications/${own.id}`, { redirect_uris: [`${ORIGIN}/other`] }),
    ],
  ];
  for (const [what, end] of endings) {
    testOnPostgres(`${what} locks codes in the order of exchanges, so they never wait for each other`, async () => {
      const [bob, own] = [await person(service, 'bob'), await newApp(service, alice)];
      const { refresh_token } = await newTokens(service, bob, own);
      for (let count = 0; count < 12; count++) await newCode(service, bob, own);
      const ended = await service.app.get(Database).transaction(async (tx) => {
        await tx.query(
          'SELECT 1 FROM oauth_code WHERE digest = (SELECT min(digest::text)::bytea FROM oauth_code WHERE account_id = $1) FOR UPDATE',
          [bob.id],
        );
        const response = end(own, refresh_token);
        await eventually('a request that waits', async () => {
          const waiting =
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
          return (await service.sql(waiting)).length > 0 || undefined;
        });
        // The request waits for the first code and has locked no other.
        await tx.query('SELECT 1 FROM oauth_code WHERE account_id = $1 FOR UPDATE NOWAIT', [bob.id]);
        return [response] as const;
      });
      expect((await ended[0]).status).toBe(200);
      expect(await service.sql('SELECT 1 FROM oauth_code WHERE account_id = $1', [bob.id])).toHaveLength(0);
    });
  }

  test('after a revocation has responded, no token of the grant works, despite concurrent requests', async () => {
    for (let round = 0; round < 10; round++) {
      const bob = await person(service, 'bob');
      const tokens = await newTokens(service, bob, app);
      const codes = await Promise.all(times(12, () => newCode(service, bob, app)));
      const seen: string[] = [tokens.access_token];
      const responses = await Promise.all([
        ...times(8, () => refresh(service, app, tokens.refresh_token)),
        ...codes.map((code) => exchange(service, app, code)),
        asApp(service, app, '/v1/oauth2/token/revoke', { token: tokens.refresh_token }),
        ...times(4, () => refresh(service, app, tokens.refresh_token)),
      ]);
      for (const { status, body } of responses) {
        expect([200, 400]).toContain(status);
        if (body?.access_token) seen.push(body.access_token);
      }
      for (const token of seen) expect(await isTokenActive(service, token)).toBe(false);
      const left = await service.sql('SELECT 1 FROM oauth_family WHERE account_id = $1', [bob.id]);
      expect(left).toHaveLength(0);
      for (const { body } of responses) {
        if (body?.refresh_token) expectApiError(await refresh(service, app, body.refresh_token), 'INVALID_GRANT');
      }
    }
  });

  test('deauthorizing during refreshes leaves no active token either', async () => {
    for (let round = 0; round < 10; round++) {
      const bob = await person(service, 'bob');
      const families = await Promise.all(times(4, () => newTokens(service, bob, app)));
      const responses = await Promise.all([
        ...families.map(({ refresh_token }) => refresh(service, app, refresh_token)),
        service.as(bob).delete(`/v1/oauth2/@me/authorizations/${app.id}`),
        ...families.map(({ refresh_token }) => refresh(service, app, refresh_token)),
      ]);
      for (const { status } of responses) expect([200, 204, 400]).toContain(status);
      for (const { body } of responses) {
        if (body?.access_token) expect(await isTokenActive(service, body.access_token)).toBe(false);
      }
      expect(await service.sql('SELECT 1 FROM oauth_token WHERE account_id = $1', [bob.id])).toHaveLength(0);
    }
  });

  test('only digests of the tokens are stored', async () => {
    const code = await newCode(service, alice, app);
    const tokens = (await exchange(service, app, code)).body;
    for (const table of ['oauth_code', 'oauth_family', 'oauth_token', 'application']) {
      const rows = await service.sql(`SELECT t::text AS line FROM ${table} t`);
      const text = rows.map(({ line }) => line).join('\n');
      const secrets = [code, tokens.access_token, tokens.refresh_token, app.secret as string, app.bot.slice(4)];
      for (const secret of secrets) expect(text).not.toContain(secret.split('.').pop());
    }
  });
});

describe('3.3 reuse within OAUTH_REFRESH_REUSE_LEEWAY_SECONDS', () => {
  let service: Gatehouse;
  let alice: Persona;
  let app: App;
  let stranger: App;
  beforeAll(async () => {
    service = await gatehouse({ env: { OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '30' } });
    alice = await person(service, 'alice');
    app = await newApp(service, alice);
    stranger = await newApp(service, alice);
  });
  afterAll(() => service.close());

  const age = (seconds: number) =>
    service.sql(
      `UPDATE oauth_token SET consumed_at = consumed_at - $1 * interval '1 second',
         settled_at = settled_at - $1 * interval '1 second',
         expires_at = expires_at - $1 * interval '1 second'`,
      [seconds],
    );

  test('the same client gets the same pair again, with its remaining lifetime', async () => {
    const first = await newTokens(service, alice, app, 'identify email');
    const second = (await refresh(service, app, first.refresh_token, { scope: 'identify' })).body;
    await age(20);
    const { status, body } = await refresh(service, app, first.refresh_token);
    expect({ status, body }).toEqual({ status: 200, body: { ...second, expires_in: expect.any(Number) } });
    expect(body.expires_in).toBeLessThanOrEqual(604780);
    expect(body.expires_in).toBeGreaterThan(604770);
    expect(await isTokenActive(service, body.access_token)).toBe(true);
    const [count] = await service.sql(
      `SELECT count(*)::int AS live FROM oauth_token WHERE kind = 'refresh' AND consumed_at IS NULL
         AND family_id = (SELECT family_id FROM oauth_token WHERE digest = sha256(convert_to($1, 'UTF8')))`,
      [first.refresh_token],
    );
    expect(count?.live).toBe(1);
  });

  test('it ends with the leeway: after that the family is revoked', async () => {
    const first = await newTokens(service, alice, app);
    const second = (await refresh(service, app, first.refresh_token)).body;
    await age(31);
    expectApiError(await refresh(service, app, first.refresh_token), 'INVALID_GRANT');
    expect(await isTokenActive(service, second.access_token)).toBe(false);
  });

  test('it ends once the successor has been used', async () => {
    const first = await newTokens(service, alice, app);
    const second = (await refresh(service, app, first.refresh_token)).body;
    const third = (await refresh(service, app, second.refresh_token)).body;
    expectApiError(await refresh(service, app, first.refresh_token), 'INVALID_GRANT');
    expect(await isTokenActive(service, third.access_token)).toBe(false);
  });

  test('another client gets nothing, and the family is revoked', async () => {
    const first = await newTokens(service, alice, app);
    const second = (await refresh(service, app, first.refresh_token)).body;
    expectApiError(await refresh(service, stranger, first.refresh_token), 'INVALID_GRANT');
    expect(await isTokenActive(service, second.access_token)).toBe(false);
  });

  test('a banned account gets nothing, and nothing is revoked', async () => {
    const first = await newTokens(service, alice, app);
    const second = (await refresh(service, app, first.refresh_token)).body;
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [alice.id]);
    const response = await refresh(service, app, first.refresh_token);
    await service.sql('UPDATE account SET banned = false WHERE id = $1', [alice.id]);
    expectApiError(response, 'INVALID_GRANT');
    expect(await isTokenActive(service, second.access_token)).toBe(true);
  });

  test('of 32 parallel redemptions, all that succeed get the same pair', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await newTokens(service, alice, app);
      const responses = await Promise.all(times(PARALLEL, () => refresh(service, app, first.refresh_token)));
      const won = responses.filter(({ status }) => status === 200);
      expect(won.length).toBeGreaterThan(0);
      expect(new Set(won.map(({ body }) => `${body.access_token} ${body.refresh_token}`)).size).toBe(1);
      for (const response of responses) if (response.status !== 200) expectApiError(response, 'INVALID_GRANT');
      expect((await refresh(service, app, won[0]?.body.refresh_token)).status).toBe(200);
    }
  });

  test('codes have no leeway', async () => {
    const code = await newCode(service, alice, app);
    const tokens = (await exchange(service, app, code)).body;
    expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
  });
});
