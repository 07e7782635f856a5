import { recordStatementNames } from '../machine/statement-names.js';
import {
  type App,
  asApp,
  clients,
  expectApiError,
  type Gatehouse,
  gatehouse,
  inState,
  isTokenActive,
  newTokens,
  type Persona,
  REJECTED_ACCOUNT_STATES,
  refresh,
  type Tokens,
} from '../support/index.js';

const INTROSPECT = '/v1/oauth2/introspect';
const REVOKE = '/v1/oauth2/token/revoke';
const INACTIVE = { active: false };

let service: Gatehouse;
let alice: Persona;
let app: App;
let stranger: App;
let publicApp: App;
beforeAll(async () => {
  service = await gatehouse();
  ({ alice, app, stranger, publicApp } = await clients(service));
});
afterAll(() => service.close());

const introspect = async (client: App, token: string) => {
  const { status, body } = await asApp(service, client, INTROSPECT, { token });
  expect(status).toBe(200);
  return body;
};
const expire = (token: string) =>
  service.sql(`UPDATE oauth_token SET expires_at = now() WHERE digest = sha256(convert_to($1, 'UTF8'))`, [token]);
const bothOf = ({ access_token, refresh_token }: Tokens) => [access_token, refresh_token];

describe('oauth.md 5.7: introspection', () => {
  test('returns account, scopes and lifetime of an active token', async () => {
    const { access_token, refresh_token } = await newTokens(service, alice, app, 'email identify');
    const [{ begun } = { begun: 0 }] = await service.sql(
      `SELECT floor(extract(epoch FROM created_at))::int AS begun FROM oauth_token
       WHERE digest = sha256(convert_to($1, 'UTF8'))`,
      [access_token],
    );
    const facts = { active: true, scope: 'identify email', client_id: app.id, sub: alice.id, iat: begun };
    expect(await introspect(app, access_token)).toEqual({ ...facts, token_type: 'Bearer', exp: begun + 604800 });
    expect(await introspect(app, refresh_token)).toEqual({
      ...{ ...facts, token_type: 'refresh_token', exp: begun + 2592000 },
    });
  });

  test('in parallel returns to each client the result of its own token', async () => {
    const [own, foreign] = [await newTokens(service, alice, app), await newTokens(service, alice, stranger, 'email')];
    const requested = [app, stranger].flatMap((client) =>
      [...bothOf(own), ...bothOf(foreign)].map((token) => ({ client, token })),
    );
    const responses = await Promise.all(requested.map(({ client, token }) => introspect(client, token)));
    expect(
      responses.map(({ active, client_id, scope, token_type }) => active && [client_id, scope, token_type]),
    ).toEqual([
      ...[[app.id, 'identify', 'Bearer'], [app.id, 'identify', 'refresh_token'], false, false],
      ...[false, false, [stranger.id, 'email', 'Bearer'], [stranger.id, 'email', 'refresh_token']],
    ]);
  });

  test('returns inactive for every other value', async () => {
    const tokens = await newTokens(service, alice, app);
    for (const token of [alice.authorization, 'A'.repeat(43), 'x', `${tokens.access_token}x`]) {
      expect(await introspect(app, token)).toEqual(INACTIVE);
    }
    for (const state of REJECTED_ACCOUNT_STATES) {
      await inState(service, alice, state, async () => {
        for (const token of bothOf(tokens)) expect(await introspect(app, token)).toEqual(INACTIVE);
      });
    }
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
    expect(await introspect(app, tokens.refresh_token)).toEqual(INACTIVE);
    expect(await introspect(app, tokens.access_token)).toMatchObject({ active: true });
    await expire(tokens.access_token);
    expect(await introspect(app, tokens.access_token)).toEqual(INACTIVE);
  });

  test('uses named statements, which a connection prepares once', async () => {
    const names = await recordStatementNames(service, 'oauth-', () => introspect(app, 'A'.repeat(43)));
    expect(names).toEqual(['oauth-client', 'oauth-introspect']);
  });

  test('is for authenticated confidential clients, and requires one token', async () => {
    const { access_token: token } = await newTokens(service, alice, publicApp);
    expectApiError(await asApp(service, publicApp, INTROSPECT, { token }), 'INVALID_CLIENT', {
      error: 'invalid_client',
    });
    expectApiError(await service.anonymous.form(INTROSPECT, { token }), 'INVALID_CLIENT');
    const impostor = { ...app, secret: 'A'.repeat(43) };
    expectApiError(await asApp(service, impostor, INTROSPECT, { token }), 'INVALID_CLIENT');
    expectApiError(await asApp(service, { ...app, id: '1' }, INTROSPECT, { token }), 'INVALID_CLIENT');
  });
});

describe('oauth.md 5.8: revocation', () => {
  const revoke = async (client: App, token: string) => {
    const { status, text } = await asApp(service, client, REVOKE, { token });
    expect({ status, text }).toEqual({ status: 200, text: '' });
  };
  const left = ({ id }: Persona) => service.sql('SELECT application_id FROM oauth_family WHERE account_id = $1', [id]);

  test('with either token, or one just redeemed, revokes everything that the account granted the client', async () => {
    const elsewhere = await newTokens(service, alice, stranger);
    for (const named of ['access_token', 'refresh_token', 'used'] as const) {
      const [tokens, more] = [await newTokens(service, alice, app), await newTokens(service, alice, app)];
      if (named === 'used') expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200);
      await revoke(app, tokens[named === 'used' ? 'refresh_token' : named]);
      for (const { access_token } of [tokens, more]) expect(await isTokenActive(service, access_token)).toBe(false);
      expect(await isTokenActive(service, elsewhere.access_token)).toBe(true);
    }
    expect((await left(alice)).every(({ application_id }) => application_id !== app.id)).toBe(true);
    expect(
      await service.sql(
        `SELECT DISTINCT data FROM security_event WHERE account_id = $1 AND type = 'application_removed'`,
        [alice.id],
      ),
    ).toEqual([{ data: { application_id: app.id, name: 'Client', by: 'application', reason: 'token_revoked' } }]);
  });

  test('by a public client works for its own tokens', async () => {
    const tokens = await newTokens(service, alice, publicApp);
    await revoke(publicApp, tokens.refresh_token);
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
  });

  test('with an expired or unknown token, or one of another client, revokes nothing', async () => {
    const tokens = await newTokens(service, alice, app);
    for (const token of bothOf(tokens)) await revoke(stranger, token);
    await revoke(app, 'A'.repeat(43));
    await expire(tokens.refresh_token);
    await revoke(app, tokens.refresh_token);
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
  });

  test.each([INTROSPECT, REVOKE])('%s accepts one token and one hint of any value', async (path) => {
    const { access_token: token } = await newTokens(service, alice, app);
    const client = { client_id: app.id, client_secret: app.secret as string };
    const send = (...more: [string, string][]) =>
      service.anonymous.send('POST', path, new URLSearchParams([...Object.entries(client), ...more]));
    for (const [faulty, blamed] of [
      [[], 'token'],
      [[['token', '']], 'token'],
      [[['token', ` ${token}`]], 'token'],
      [[['token', 'x'.repeat(257)]], 'token'],
      [
        [
          ['token', token],
          ['token', token],
        ],
        'token',
      ],
      [
        [
          ['token', token],
          ['token_type_hint', 'x'],
          ['token_type_hint', 'x'],
        ],
        'token_type_hint',
      ],
    ] as [[string, string][], string][]) {
      const response = await send(...faulty);
      expectApiError(response, 'INVALID_REQUEST', { error: 'invalid_request' });
      expect(response.body.errors).toEqual([expect.objectContaining({ path: blamed })]);
    }
    expect(await isTokenActive(service, token)).toBe(true);
    expect((await send(['token', token], ['token_type_hint', 'nonsense'])).status).toBe(200);
  });
});
