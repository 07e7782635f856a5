import { defineFeature } from '../../src/policy/feature.js';
import {
  type App,
  administrator,
  adminKey,
  auditOf,
  ban,
  basic,
  clients,
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newTokens,
  type Persona,
  person,
  signIn,
  type TestResponse,
  withoutAudit,
} from '../support/index.js';

const DECISIONS = '/v1/decisions';
const text = { 'en-US': 'Read notes' };
const notes = defineFeature('notes', {
  scopes: { 'notes.read': text },
  servicePolicies: {
    'notes-any': { accepts: 'authenticated' },
    'notes-read': { accepts: 'user', scope: 'notes.read' },
    'notes-open': { accepts: 'public' },
    'notes-sudo': { accepts: 'user', sudo: true },
    'notes-few': { accepts: 'user', requests: 2, seconds: 10 },
    'notes-other': { accepts: 'user' },
  },
});
const LISTED = ['notes-any', 'notes-few', 'notes-open', 'notes-read', 'notes-sudo'];

let service: Gatehouse;
let root: Persona;
let alice: Persona;
let app: App;
let stranger: App;
beforeAll(async () => {
  service = await gatehouse({ env: { RATE_LIMITS: 'on', SESSION_MAX_SECONDS: '86400' }, features: [notes] });
  root = await administrator(service, '*');
  ({ alice, app, stranger } = await clients(service));
  await allow(app, LISTED);
});
afterAll(() => service.close());

const patch = (client: App, policies: unknown, who = root.authorization) =>
  service.as(who).patch(`/v1/admin/applications/${client.id}`, { resource_policies: policies });
const allow = async (client: App, policies: readonly string[]) => patch(client, policies).expect(200);
const ask = (input: object, client: Pick<App, 'id' | 'secret'> = app) =>
  service.as(basic(client.id, client.secret ?? '')).post(DECISIONS, input);
const decide = async (policy: string, authorization?: string, more: object = {}) =>
  (await ask({ policy, authorization, ...more }).expect(200)).body;
const personalToken = async (who: Persona, more: object): Promise<string> => {
  const input = { name: 'Script', password: who.password, ...more };
  return `Bearer ${(await service.as(who).post('/v1/users/@me/access-tokens', input).expect(201)).body.token}`;
};

describe('forward-auth.md 3: an admission', () => {
  test('names the caller, what it depends on, and for how long it may be kept', async () => {
    const { access_token } = await newTokens(service, alice, stranger, 'identify notes.read');
    const common = { admitted: true, status: 200, as_of: expect.stringMatching(/^\d+-\d+-[0-9a-f]{16}$/) };
    const account = { account_id: alice.id, username: expect.stringMatching(/^alice.*#\d{4}$/) };
    const tags = (count: number) => Array(count).fill(expect.stringMatching(/^[A-Za-z0-9_-]{22}$/));
    expect(await decide('notes-any', alice.authorization)).toEqual({
      ...{ ...common, expires_in: 300, tags: tags(3), identity: { kind: 'session', ...account } },
    });
    expect(await decide('notes-any', app.bot)).toEqual({
      ...{ ...common, expires_in: 300, tags: tags(4) },
      identity: { kind: 'bot', account_id: app.id, username: expect.any(String), application_id: app.id },
    });
    expect(await decide('notes-read', `Bearer ${access_token}`)).toEqual({
      ...{ ...common, expires_in: 300, tags: tags(5) },
      identity: { kind: 'bearer', ...account, application_id: stranger.id, scopes: ['identify', 'notes.read'] },
    });
    expect(await decide('notes-open')).toEqual({
      ...{ ...common, expires_in: 300, tags: tags(1), identity: { kind: 'anonymous' } },
    });
  });

  test('has tags of its own for each application', async () => {
    const ours = await decide('notes-any', alice.authorization);
    await allow(stranger, ['notes-any']);
    const { body } = await ask({ policy: 'notes-any', authorization: alice.authorization }, stranger).expect(200);
    expect(body.tags).toHaveLength(ours.tags.length);
    expect(body.tags.filter((tag: string) => ours.tags.includes(tag))).toEqual([]);
    expect((await decide('notes-any', alice.authorization)).tags).toEqual(ours.tags);
  });

  test('ends with the session, the token and the proof', async () => {
    const session = await signIn(service, alice);
    await service.sql(
      `UPDATE session SET created_at = now() - interval '86300 seconds'
       WHERE id = (SELECT max(id) FROM session WHERE account_id = $1)`,
      [alice.id],
    );
    const { expires_in: left } = await decide('notes-any', session);
    expect(left).toBeGreaterThan(80);
    expect(left).toBeLessThanOrEqual(100);
    const { access_token } = await newTokens(service, alice, stranger, 'identify notes.read');
    await service.sql(
      `UPDATE oauth_token SET expires_at = now() + interval '60 seconds'
       WHERE id = (SELECT max(id) FROM oauth_token WHERE account_id = $1 AND kind = 'access')`,
      [alice.id],
    );
    expect((await decide('notes-read', `Bearer ${access_token}`)).expires_in).toBeLessThanOrEqual(60);
  });
});

describe('forward-auth.md 3: a rejection', () => {
  test('is the response of a route, and may not be kept', async () => {
    const { access_token } = await newTokens(service, alice, stranger, 'identify');
    const { body, ...rest } = await decide('notes-read', `Bearer ${access_token}`);
    expect(rest).toMatchObject({ admitted: false, status: 403, expires_in: 0, identity: { kind: 'bearer' } });
    expect(rest.headers).toMatchObject({ 'Content-Type': 'application/json; charset=utf-8' });
    expect(JSON.parse(body)).toMatchObject({ code: 'MISSING_OAUTH_SCOPE', required_scope: 'notes.read' });
    expect(await decide('notes-sudo', alice.authorization)).toMatchObject({ status: 403, expires_in: 0 });
    expect(JSON.parse((await decide('notes-read', app.bot)).body).code).toBe('ACCESS_DENIED');
  });

  test('is the same for unknown, expired, revoked and malformed credentials, and for those of banned accounts', async () => {
    const bob = await person(service, 'bob');
    const { access_token: banned } = await newTokens(service, bob, stranger, 'identify notes.read');
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [bob.id]);
    const { access_token: expired } = await newTokens(service, alice, stranger, 'identify notes.read');
    await service.sql(
      `UPDATE oauth_token SET expires_at = now() - interval '1 second'
       WHERE id = (SELECT max(id) FROM oauth_token WHERE account_id = $1 AND kind = 'access')`,
      [alice.id],
    );
    const ended = await signIn(service, alice);
    await service.as(ended).post('/v1/auth/logout').expect(204);
    const { authorization: key } = await adminKey(service, root, '*');
    const narrow = await personalToken(alice, { scopes: ['notes.read'], networks: ['198.51.100.0/24'] });
    const responses = [];
    const presented = [
      undefined,
      '',
      'flx_unknown',
      'a b c',
      `Bearer ${banned}`,
      `Bearer ${expired}`,
      ended,
      key,
      narrow,
    ];
    for (const authorization of presented) {
      const { as_of, headers, ...rest } = await decide('notes-read', authorization);
      const {
        'X-RateLimit-Remaining': _left,
        'X-RateLimit-Reset': _at,
        'X-RateLimit-Reset-After': _in,
        ...fixed
      } = headers;
      responses.push({ ...rest, headers: fixed });
    }
    expect(responses[0]).toMatchObject({ admitted: false, status: 401, tags: [], expires_in: 0 });
    expect(responses[0]).not.toHaveProperty('identity');
    for (const response of responses) expect(response).toEqual(responses[0]);
  });

  test('with a bound token depends on the address', async () => {
    const narrow = await personalToken(alice, { scopes: ['notes.read'], networks: ['198.51.100.0/24'] });
    const from = async (address: string) => (await decide('notes-read', narrow, { address })).status;
    expect(await from('203.0.113.1')).toBe(401);
    expect(await from('::ffff:198.51.100.7')).toBe(200);
    expectInvalid(await ask({ policy: 'notes-read', address: 'nowhere' }), 'address: INVALID_FORMAT');
  });

  test('follows from a ban of the address, and from the limit of the policy', async () => {
    await ban(service, '203.0.113.9', null);
    const banned = await decide('notes-any', alice.authorization, { address: '203.0.113.9' });
    expect(banned).toMatchObject({ admitted: false, status: 403, expires_in: 0 });
    expect(JSON.parse(banned.body)).toMatchObject({ code: 'GLOBAL_IP_BANNED', ip_address: '203.0.113.9' });
    const first = await decide('notes-few', alice.authorization);
    expect(first.status).toBe(200);
    await decide('notes-few', alice.authorization);
    expect(await decide('notes-few', alice.authorization)).toMatchObject({
      ...{ admitted: false, status: 429, expires_in: 0, headers: { 'Retry-After': expect.any(String) } },
    });
  });
});

describe('forward-auth.md 3: the application', () => {
  test('authenticates with Basic only', async () => {
    const body = { policy: 'notes-any', authorization: alice.authorization };
    const wrong = [
      await service.anonymous.post(DECISIONS, { ...body, client_id: app.id, client_secret: app.secret }),
      await ask(body, { ...app, secret: 'wrong' }),
      await service.as(alice).post(DECISIONS, body),
    ];
    for (const response of wrong) {
      expect(response.status).toBe(401);
      expect(response.body).toMatchObject({ error: 'invalid_client', code: 'INVALID_CLIENT' });
    }
  });

  test('asks only for policies on its list', async () => {
    for (const policy of ['notes-other', 'unknown', '']) expectApiError(await ask({ policy }), 'NOT_FOUND');
    const { app: other } = await clients(service);
    expectApiError(await ask({ policy: 'notes-any' }, other), 'NOT_FOUND');
  });

  test('gets its list from an administrator with application:resource, which is audited', async () => {
    const { app: fresh } = await clients(service);
    const shown = (await patch(fresh, ['notes-read', 'notes-any', 'notes-any']).expect(200)).body.application;
    expect(shown.resource_policies).toEqual(['notes-any', 'notes-read']);
    const [entry] = (await auditOf(service, 'set_resource_policies')).filter(({ target_id }) => target_id === fresh.id);
    expect(entry?.metadata).toMatchObject({ old_policies: '', new_policies: 'notes-any,notes-read' });
    const { authorization } = await adminKey(service, root, 'application:trust');
    await withoutAudit(service, async () => {
      for (const policy of ['notes-unknown', 'Notes', 7])
        expectInvalid(await patch(fresh, [policy]), 'resource_policies.0: INVALID_FORMAT');
      expectApiError(await patch(fresh, ['notes-any'], authorization), 'MISSING_ACL');
    });
  });

  test('has its own limit, and 120 failures a minute', async () => {
    const { headers } = await ask({ policy: 'notes-any' });
    expect(headers.get('x-ratelimit-limit')).toBe('6000');
    const wrong = () => ask({ policy: 'notes-any' }, { ...app, secret: 'wrong' });
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 32 }, wrong));
    // Every half second, the limit permits one failure again.
    const limited = (attempt: () => PromiseLike<TestResponse>) =>
      eventually('the limit', async () => {
        await Promise.all(Array.from({ length: 32 }, wrong));
        const response = await attempt();
        return response.status === 429 ? response : undefined;
      });
    expectApiError(await limited(wrong), 'RATE_LIMITED');
    // The limit comes before the authentication.
    expectApiError(await limited(() => ask({ policy: 'notes-any' })), 'RATE_LIMITED');
  });
});

describe('forward-auth.md 3: failures of callers', () => {
  const settings = { IP_BAN_SCORE: '5', IP_BAN_STRIKES: '1', ABUSE_BANS: 'on' };

  test('ban their address only for decisions of this application', async () => {
    const own = await gatehouse({ env: settings, features: [notes] });
    const { alice: user, app: one, stranger: another } = await clients(own);
    const operator = await administrator(own, '*');
    for (const { id } of [one, another]) {
      const body = { resource_policies: ['notes-any'] };
      await own.as(operator).patch(`/v1/admin/applications/${id}`, body).expect(200);
    }
    const address = '8.8.4.4';
    const from = async (client: App, authorization: string, more: object = { address }) => {
      const input = { policy: 'notes-any', authorization, ...more };
      return (
        await own
          .as(basic(client.id, client.secret ?? ''))
          .post(DECISIONS, input)
          .expect(200)
      ).body;
    };
    expect(await from(one, user.authorization)).toMatchObject({ status: 200 });
    let status = 401;
    for (let n = 0; n < 40 && status === 401; n++) ({ status } = await from(one, `flx_unknown${n}`));
    const banned = await from(one, user.authorization);
    expect(banned).toMatchObject({ admitted: false, status: 403, expires_in: 0 });
    const { code, expires_at } = JSON.parse(banned.body);
    expect(code).toBe('GLOBAL_IP_TEMPORARILY_BANNED');
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    expect(await from(one, user.authorization, { address: '8.8.4.5' })).toMatchObject({ status: 200 });
    expect(await from(one, user.authorization, {})).toMatchObject({ status: 200 });
    expect(await from(another, user.authorization)).toMatchObject({ status: 200 });
    expect(await own.sql('SELECT value FROM ip_ban')).toEqual([]);
    await own.close();
  });
});
