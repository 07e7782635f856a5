import { administrator, adminKey, auditOf, setAcls } from '../support/admin.js';
import {
  type App,
  consent,
  exchange,
  expectApiError,
  expectGrantRemoved,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newCode,
  newTokens,
  type Persona,
  parametersOf,
  person,
  refresh,
  signIn,
  type TestResponse,
} from '../support/index.js';

const ID = '987654321';
const SECRET = 'S'.repeat(43);
const CALLBACK = 'https://panel.example/oauth2_callback';
const SELF = '/v1/admin/users/@me';

let service: Gatehouse;
let root: Persona;
let panel: App;
const env = { ADMIN_APPLICATION_ID: ID, ADMIN_OAUTH_CLIENT_SECRET: SECRET, ADMIN_ENDPOINT: 'https://panel.example' };
beforeAll(async () => {
  service = await gatehouse({ env });
  root = await administrator(service, '*');
  panel = { id: ID, owner: root, secret: SECRET, bot: `Bot ${ID}.${SECRET}`, redirectUri: CALLBACK };
});
afterAll(() => service.close());

const bearer = async (who: Persona, scope = 'identify') =>
  service.as(`Bearer ${(await newTokens(service, who, panel, scope)).access_token}`);

describe('admin.md 6.1 the built-in Admin application', () => {
  test.each(['identify', 'email', 'identify email'])(
    'its bearers are accepted regardless of their scope: %s',
    async (scope) => {
      const { status, body } = await (await bearer(root, scope)).get(SELF);
      expect({ status, id: body.user.id }).toEqual({ status: 200, id: root.id });
    },
  );

  const ENDS: Record<string, (clerk: Persona) => Promise<TestResponse>> = {
    'changes its password': (clerk) =>
      service.as(clerk).patch('/v1/users/@me', { password: clerk.password, new_password: 'a brand new password' }),
    'ends all its sessions': async (clerk) => {
      const { body } = await service.as(clerk).get('/v1/auth/sessions');
      const session_id_hashes = body.map(({ id_hash }: { id_hash: string }) => id_hash);
      return service.as(clerk).post('/v1/auth/sessions/logout', { session_id_hashes, password: clerk.password });
    },
    'logs out of the last one': (clerk) => service.as(clerk).post('/v1/auth/logout'),
  };

  test.each(Object.keys(ENDS))('oauth 3.4 its grant ends when the account %s', async (what) => {
    const clerk = await administrator(service);
    const tokens = await newTokens(service, clerk, panel);
    const code = await newCode(service, clerk, panel);
    const { status } = await (ENDS[what] as (typeof ENDS)[string])(clerk);
    expect(status).toBeLessThan(300);
    expectApiError(await service.as(`Bearer ${tokens.access_token}`).get(SELF), 'UNAUTHORIZED');
    await expectGrantRemoved(service, panel, clerk, { tokens: [tokens], code });
  });

  test('oauth 3.4 its grant stays when one of several sessions ends', async () => {
    const clerk = await administrator(service);
    const client = await bearer(clerk);
    const other = await signIn(service, clerk);
    const [ended] = (await service.as(other).get('/v1/auth/sessions')).body.filter(
      ({ current }: { current: boolean }) => !current,
    );
    const body = { session_id_hashes: [ended.id_hash], password: clerk.password };
    expect((await service.as(other).post('/v1/auth/sessions/logout', body)).status).toBe(204);
    expect((await client.get(SELF)).status).toBe(200);
    expect((await service.as(await signIn(service, clerk)).post('/v1/auth/logout')).status).toBe(204);
    expect((await client.get(SELF)).status).toBe(200);
  });

  test('a bearer has the present ACLs of its account on each request', async () => {
    const clerk = await administrator(service, 'user:lookup');
    const client = await bearer(clerk);
    expect((await client.get(`/v1/admin/users/${root.id}`)).status).toBe(200);
    expectApiError(await client.get('/v1/admin/instance/config'), 'MISSING_ACL');
    await setAcls(service, clerk, ['admin:authenticate']);
    expectApiError(await client.get(`/v1/admin/users/${root.id}`), 'MISSING_ACL');
    await setAcls(service, clerk, []);
    expectApiError(await client.get(SELF), 'MISSING_PERMISSIONS');
  });

  test('an operation by a bearer is audited as one of its account', async () => {
    const someone = await person(service, 'someone');
    const client = await bearer(root);
    expect((await client.put(`/v1/admin/users/${someone.id}/acls`, { acls: ['user:lookup'] })).status).toBe(200);
    const [entry] = (await auditOf(service, 'set_acls')).slice(-1);
    expect(entry).toMatchObject({ admin_user_id: root.id, api_key_id: null, target_id: someone.id });
  });

  test('a bearer creates keys within its ACLs, as a session does', async () => {
    const clerk = await administrator(service, 'user:lookup', 'admin_api_key:manage');
    const client = await bearer(clerk);
    expect((await client.post('/v1/admin/api-keys', { name: 'x', acls: ['user:lookup'] })).status).toBe(200);
    expectApiError(await client.post('/v1/admin/api-keys', { name: 'x', acls: ['*'] }), 'MISSING_ACL');
  });

  test('its bearer is rejected while the account is deleted, disabled or banned', async () => {
    const clerk = await administrator(service);
    const client = await bearer(clerk);
    for (const state of [34, 35, 36, 38].map((bit) => `flags = 1::bigint << ${bit}`).concat('banned = true')) {
      await service.sql(`UPDATE account SET ${state} WHERE id = $1`, [clerk.id]);
      expectApiError(await client.get(SELF), 'UNAUTHORIZED');
      await service.sql('UPDATE account SET flags = 0, banned = false WHERE id = $1', [clerk.id]);
      expect((await client.get(SELF)).status).toBe(200);
    }
  });

  test('has one redirect URI, no bot, and no public page', async () => {
    for (const redirect_uri of ['https://panel.example/', `${CALLBACK}/`, 'https://evil.example/oauth2_callback']) {
      expectApiError(await consent(service, root, panel, { redirect_uri }), 'INVALID_REQUEST');
    }
    expectApiError(await consent(service, root, panel, { scope: 'bot' }), 'NOT_A_BOT_APPLICATION');
    expectApiError(await consent(service, root, panel, { scope: 'identify bot' }), 'NOT_A_BOT_APPLICATION');
    expectApiError(await service.as(panel.bot).get('/v1/applications/@me'), 'UNAUTHORIZED');
    expectApiError(await service.anonymous.get(`/v1/oauth2/applications/${ID}/public`), 'UNKNOWN_APPLICATION');
    expectApiError(await service.as(root).get(`/v1/oauth2/applications/${ID}`), 'UNKNOWN_APPLICATION');
    const { body } = await service.as(root).get(`/v1/admin/applications/${ID}`);
    expect(body.application).toMatchObject({
      ...{ id: ID, name: 'Gatehouse Admin', oauth2_redirect_uris: [CALLBACK], has_client_secret: true },
      ...{ owner_user_id: null, bot_user_id: null, has_bot_token: false },
    });
  });

  test('works silently within a live grant, like any confidential client', async () => {
    await newTokens(service, root, panel);
    const response = await service.as(root).get('/v1/oauth2/authorize', {
      query: { client_id: ID, redirect_uri: CALLBACK, scope: 'identify', response_type: 'code', prompt: 'none' },
    });
    const { code, error } = parametersOf(response.headers.get('location') ?? '');
    expect(error).toBeUndefined();
    expect((await exchange(service, panel, code ?? '')).status).toBe(200);
  });

  test('3.4 its grant ends with the sessions of the account: codes, access and refresh tokens', async () => {
    const clerk = await administrator(service);
    const tokens = await newTokens(service, clerk, panel);
    const pending = await newCode(service, clerk, panel);
    expect((await service.as(root).delete(`/v1/admin/users/${clerk.id}/sessions`)).status).toBe(200);
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
    expectApiError(await refresh(service, panel, tokens.refresh_token), 'INVALID_GRANT');
    expectApiError(await exchange(service, panel, pending), 'INVALID_GRANT');
  });

  test('a logout of one session among others does not end its grant', async () => {
    const clerk = await administrator(service);
    const tokens = await newTokens(service, clerk, panel);
    const login = await service.anonymous.post('/v1/auth/login', { email: clerk.email, password: clerk.password });
    expect((await service.as(login.body.token).post('/v1/auth/logout')).status).toBe(204);
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
  });
});

describe('admin.md 2 combination rules', () => {
  test('any of several ACLs: checked separately for the key and the owner', async () => {
    const owner = await administrator(service, 'admin_api_key:manage', 'application:list:by_owner');
    const key = await adminKey(service, owner, 'application:list:by_owner');
    const list = () => service.as(key).get(`/v1/admin/applications?owner_id=${owner.id}`);
    expect((await list()).status).toBe(200);
    await setAcls(service, owner, ['admin:authenticate', 'application:lookup']);
    expect((await list()).status).toBe(200);
    expectApiError(await service.as(key).get(`/v1/admin/applications/${ID}`), 'MISSING_ACL');
    await setAcls(service, owner, ['admin:authenticate', 'user:lookup']);
    expectApiError(await list(), 'MISSING_ACL');
  });
});

describe('admin.md 7 redaction of email addresses in audit entries', () => {
  test('values under keys that end in email are redacted without user:view:email', async () => {
    const someone = await person(service, 'someone');
    const email = 'moved@example.com';
    expect((await service.as(root).patch(`/v1/admin/users/${someone.id}/email`, { email })).status).toBe(200);
    const read = async (...acls: string[]) => {
      const viewer = await administrator(service, 'audit_log:view', ...acls);
      const { body } = await service.as(viewer).get('/v1/admin/audit-logs?action=change_email');
      const [entry] = body.logs;
      const single = await service.as(viewer).get(`/v1/admin/audit-logs/${entry.log_id}`);
      expect(single.body).toEqual(entry);
      return entry.metadata;
    };
    expect(await read()).toEqual({ old_email: '[redacted]', new_email: '[redacted]' });
    expect(await read('user:view:email')).toEqual({ old_email: someone.email, new_email: email });
  });
});

describe('admin.md 2.2 limits', () => {
  test('an account has one allowance for each kind of credential, and each key has its own', async () => {
    const overrides = '{"admin:audit_log":"2/86400"}';
    const strict = await gatehouse({ env: { ...env, RATE_LIMITS: 'on', RATE_LIMIT_OVERRIDES: overrides } });
    const viewer = await administrator(strict, 'audit_log:view', 'admin_api_key:manage');
    const [one, two] = [
      await adminKey(strict, viewer, 'audit_log:view'),
      await adminKey(strict, viewer, 'audit_log:view'),
    ];
    const clients = [
      strict.as(viewer),
      strict.as(`Bearer ${(await newTokens(strict, viewer, panel)).access_token}`),
      strict.as(one),
      strict.as(two),
    ];
    for (const client of clients) {
      for (const remaining of ['1', '0']) {
        const { status, headers } = await client.get('/v1/admin/audit-logs');
        expect({ status, remaining: headers.get('x-ratelimit-remaining') }).toEqual({ status: 200, remaining });
      }
      expectApiError(await client.get('/v1/admin/audit-logs'), 'RATE_LIMITED', { global: false });
    }
    await strict.close();
  });
});
