import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import {
  type App,
  consent,
  expectApiError,
  expectGrantRemoved,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inState,
  isTokenActive,
  newApp,
  newCode,
  newTokens,
  noticesOf,
  type Persona,
  person,
  REJECTED_ACCOUNT_STATES,
  refresh,
  signIn,
} from '../support/index.js';

const LIST = '/v1/oauth2/@me/authorizations';
const UNKNOWN = '1500000000000000000';

let service: Gatehouse;
let owner: Persona;
let app: App;
let second: App;
let third: App;
beforeAll(async () => {
  service = await gatehouse();
  owner = await person(service, 'owner');
  app = await newApp(service, owner, { name: 'First' });
  second = await newApp(service, owner, { name: 'Second', bot_public: true });
  third = await newApp(service, owner, { name: 'Third', bot_require_code_grant: true });
});
afterAll(() => service.close());

const listOf = async (who: Persona) => {
  const { status, body } = await service.as(who).get(LIST);
  expect(status).toBe(200);
  return body as {
    application: { id: string };
    scopes: string[];
    authorized_at: string;
    session_id_hashes: string[];
  }[];
};
const remove = (who: Persona, id: string) => service.as(who).delete(`${LIST}/${id}`);
const removeMany = (who: Persona, application_ids: unknown) =>
  service.as(who).post(`${LIST}/revoke`, { application_ids });
const familiesOf = ({ id }: Persona) =>
  service.sql('SELECT application_id FROM oauth_family WHERE account_id = $1', [id]);
const deauthorized = (target: App, { id }: Persona) => ({
  type: 'APPLICATION_DEAUTHORIZE',
  account_id: target.id,
  d: { user_id: id },
});

describe('5.11 GET /v1/oauth2/@me/authorizations', () => {
  test('lists grants, newest first, with the union of the scopes and the earliest time', async () => {
    const alice = await person(service, 'alice');
    expect(await listOf(alice)).toEqual([]);
    await newTokens(service, alice, app, 'email identify');
    await newTokens(service, alice, second, 'identify');
    const [, earliest] = await listOf(alice);
    await newTokens(service, alice, app, 'identify bot');
    await service.as(owner).patch(`/v1/oauth2/applications/${app.id}/bot`, { bio: 'about it' });
    const face = { icon: null, bot_public: true };
    expect(await listOf(alice)).toEqual([
      {
        application: { id: second.id, name: 'Second', description: null, ...face },
        scopes: ['identify'],
        authorized_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        by_platform: false,
        session_id_hashes: [],
      },
      {
        application: { id: app.id, name: 'First', description: 'about it', ...face },
        scopes: ['identify', 'email', 'bot'],
        authorized_at: earliest?.authorized_at,
        by_platform: false,
        session_id_hashes: [],
      },
    ]);
  });

  test('lists the active sessions with an ID token of each application, and no others', async () => {
    const eve = await person(service, 'eve');
    const other = { authorization: await signIn(service, eve) };
    await newTokens(service, eve, app, 'openid');
    await newTokens(service, other, app, 'openid');
    await newTokens(service, eve, second, 'identify');
    const sessions: { id_hash: string; current: boolean }[] = (await service.as(eve).get('/v1/auth/sessions')).body;
    const hashOf = (isCurrent: boolean) => sessions.find(({ current }) => current === isCurrent)?.id_hash;
    const signedIn = async () => (await listOf(eve)).map(({ session_id_hashes }) => session_id_hashes);
    expect(await signedIn()).toEqual([[], [hashOf(false), hashOf(true)]]);
    await service
      .as(eve)
      .post('/v1/auth/sessions/logout', { session_id_hashes: [hashOf(false)], password: eve.password })
      .expect(204);
    expect(await signedIn()).toEqual([[], [hashOf(true)]]);
  });

  test('a refresh changes nothing in it', async () => {
    const alice = await person(service, 'alice');
    const { refresh_token } = await newTokens(service, alice, app, 'identify email');
    const before = await listOf(alice);
    const next = (await refresh(service, app, refresh_token, { scope: 'identify' })).body;
    expect(await listOf(alice)).toEqual(before);
    await refresh(service, app, next.refresh_token);
    expect(await listOf(alice)).toEqual(before);
  });

  test('only applications with an active refresh token that has more than bot', async () => {
    const alice = await person(service, 'alice');
    await newTokens(service, alice, app, 'bot');
    await consent(service, alice, second, { scope: 'bot', redirect_uri: undefined });
    await newCode(service, alice, third);
    expect(await listOf(alice)).toEqual([]);
    await newTokens(service, alice, third);
    expect(await listOf(alice)).toHaveLength(1);
    await service.sql(
      `UPDATE oauth_token SET expires_at = now() - interval '1 second' WHERE kind = 'refresh' AND account_id = $1`,
      [alice.id],
    );
    expect(await listOf(alice)).toEqual([]);
  });

  test('shows every account its own', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    await newTokens(service, alice, app);
    expect(await listOf(bob)).toEqual([]);
    expect(await listOf(owner)).toEqual([]);
  });
});

describe('5.11 DELETE /v1/oauth2/@me/authorizations/{applicationId}', () => {
  test('revokes only this whole grant; the bot is notified once', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const [first, again] = [await newTokens(service, alice, app), await newTokens(service, alice, app, 'email bot')];
    const pending = await newCode(service, alice, app);
    const elsewhere = await newTokens(service, alice, second);
    const others = await newTokens(service, bob, app);
    const events = noticesOf(service, 'event');
    expect((await remove(alice, app.id)).status).toBe(204);
    await expectGrantRemoved(service, app, alice, { tokens: [first, again], code: pending });
    expect(await isTokenActive(service, elsewhere.access_token)).toBe(true);
    expect(await isTokenActive(service, others.access_token)).toBe(true);
    expect((await listOf(alice)).map(({ application }) => application.id)).toEqual([second.id]);
    expect(await events.take()).toEqual([deauthorized(app, alice)]);
    expect((await remove(alice, app.id)).status).toBe(204);
    expect(await events.take()).toEqual([]);
  });

  test('a bot authorization or a pending code is also a grant, an expired code is not', async () => {
    const alice = await person(service, 'alice');
    const events = noticesOf(service, 'event');
    await consent(service, alice, second, { scope: 'bot', redirect_uri: undefined });
    await newCode(service, alice, third);
    await newCode(service, alice, app);
    await service.sql(
      `UPDATE oauth_code SET expires_at = now() - interval '1 second' WHERE account_id = $1 AND application_id = $2`,
      [alice.id, app.id],
    );
    await events.take();
    for (const { id } of [second, third, app]) expect((await remove(alice, id)).status).toBe(204);
    expect(await events.take()).toEqual([deauthorized(second, alice), deauthorized(third, alice)]);
  });

  test('the grant of the built-in Admin application can be revoked', async () => {
    const alice = await person(service, 'alice');
    const { id } = service.app.get(AdminApplication);
    await service.sql(
      `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
       VALUES ($1::bigint, $2, $1, '{identify}', sha256(convert_to($1::text, 'UTF8')))`,
      [alice.id, id],
    );
    const events = noticesOf(service, 'event');
    expect((await remove(alice, id)).status).toBe(204);
    expect(await familiesOf(alice)).toEqual([]);
    expect(await events.take()).toEqual([]);
  });

  test('an unknown application and an invalid ID', async () => {
    const alice = await person(service, 'alice');
    expectApiError(await remove(alice, UNKNOWN), 'UNKNOWN_APPLICATION');
    expectInvalid(await remove(alice, 'x'), 'applicationId: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await remove(alice, '9223372036854775808'), 'applicationId: SNOWFLAKE_OUT_OF_RANGE');
  });
});

describe('5.11 POST /v1/oauth2/@me/authorizations/revoke', () => {
  test('revokes several grants together; IDs may repeat, be numbers, and name applications without a grant', async () => {
    const alice = await person(service, 'alice');
    const tokens = [await newTokens(service, alice, app), await newTokens(service, alice, second)];
    const kept = await newTokens(service, alice, await newApp(service, owner));
    const events = noticesOf(service, 'event');
    const ids = [app.id, second.id, app.id, third.id];
    const response = await removeMany(alice, ids);
    expect({ status: response.status, text: response.text }).toEqual({ status: 204, text: '' });
    for (const { access_token } of tokens) expect(await isTokenActive(service, access_token)).toBe(false);
    expect(await isTokenActive(service, kept.access_token)).toBe(true);
    const reported = await events.take();
    expect(reported).toHaveLength(2);
    expect(reported).toEqual(expect.arrayContaining([deauthorized(app, alice), deauthorized(second, alice)]));
  });

  test('if one application is unknown, nothing is revoked', async () => {
    const alice = await person(service, 'alice');
    const { access_token } = await newTokens(service, alice, app);
    const events = noticesOf(service, 'event');
    expectApiError(await removeMany(alice, [app.id, UNKNOWN]), 'UNKNOWN_APPLICATION');
    expect(await isTokenActive(service, access_token)).toBe(true);
    expect(await events.take()).toEqual([]);
  });

  test('1 to 100 IDs', async () => {
    const alice = await person(service, 'alice');
    const { access_token } = await newTokens(service, alice, app);
    for (const ids of [[], Array(101).fill(app.id), app.id, null, undefined, {}]) {
      expectInvalid(await removeMany(alice, ids), 'application_ids: INVALID_FORMAT');
    }
    expectInvalid(await removeMany(alice, [app.id, 'x']), 'application_ids.1: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await removeMany(alice, [1.5]), 'application_ids.0: INVALID_FORMAT');
    expect(await isTokenActive(service, access_token)).toBe(true);
    expect((await removeMany(alice, Array(100).fill(app.id))).status).toBe(204);
    expect(await isTokenActive(service, access_token)).toBe(false);
    expectApiError(await removeMany(alice, [1]), 'UNKNOWN_APPLICATION');
  });
});

describe('5.11, accepted credentials', () => {
  test('neither a bot nor an access token can list or revoke a grant; a suspicious account can', async () => {
    const alice = await person(service, 'alice');
    const { access_token } = await newTokens(service, alice, app, 'identify email bot');
    for (const authorization of [app.bot, `Bearer ${access_token}`]) {
      const them = service.as(authorization);
      expectApiError(await them.get(LIST), 'ACCESS_DENIED');
      expectApiError(await them.delete(`${LIST}/${app.id}`), 'ACCESS_DENIED');
      expectApiError(await them.post(`${LIST}/revoke`, { application_ids: [app.id] }), 'ACCESS_DENIED');
    }
    expect(await isTokenActive(service, access_token)).toBe(true);
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [alice.id]);
    expect(await listOf(alice)).toHaveLength(1);
    expect((await remove(alice, app.id)).status).toBe(204);
    expect(await familiesOf(alice)).toEqual([]);
  });
});

describe('5.9 and 5.10 contents of an access token', () => {
  const PATHS = ['/v1/oauth2/userinfo', '/v1/oauth2/@me'];

  test('are its account and its application', async () => {
    const alice = await person(service, 'alice');
    const { access_token } = await newTokens(service, alice, second, 'identify email');
    const [info, current] = await Promise.all(PATHS.map((path) => service.as(`Bearer ${access_token}`).get(path)));
    expect(info?.body).toMatchObject({ sub: alice.id, username: 'alice', email: alice.email });
    expect(current?.body).toMatchObject({
      application: { id: second.id, name: 'Second' },
      scopes: ['identify', 'email'],
      user: { id: alice.id },
    });
  });

  test('are rejected while its account is banned, and returned again afterwards', async () => {
    const alice = await person(service, 'alice');
    const { access_token } = await newTokens(service, alice, app);
    const them = service.as(`Bearer ${access_token}`);
    for (const path of PATHS) {
      const { body } = await them.get(path);
      for (const state of REJECTED_ACCOUNT_STATES) {
        expectApiError(await inState(service, alice, state, () => them.get(path)), 'UNAUTHORIZED');
      }
      expect(await them.get(path)).toMatchObject({ status: 200, body });
    }
  });
});
