import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import type { RoutePlan } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { HARMLESS_OPERATIONS, OF_ACCOUNTS, type Recipe } from '../machine/account-operations.js';
import { administrator, adminKey, setAcls, superuser } from '../support/admin.js';
import {
  type Client,
  enforceSso,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  person,
  waitForDelivery,
  withPasskey,
  withTotp,
} from '../support/index.js';

const APPLICATION_ID = '987654321';
const SECRET = 'S'.repeat(43);

type Target = 'self' | 'superadmin' | 'application';

/** Mutations whose target is not an account. Each is tested below or in the suite that its text names. */
const OTHERS: Readonly<Record<string, string>> = {
  'POST /v1/admin/api-keys': 'the grant bound, below',
  'PATCH /v1/admin/api-keys/:key_id': 'own keys only, below',
  'DELETE /v1/admin/api-keys/:key_id': 'own keys only, below',
  'PATCH /v1/admin/instance/config': 'whom the instance believes, below',
  'POST /v1/admin/instance/sso/test': 'whom the instance believes, below',
  'POST /v1/admin/roles': 'roles belong to nobody: admin-roles',
  'PATCH /v1/admin/roles/:role_id': 'roles belong to nobody: admin-roles',
  'DELETE /v1/admin/roles/:role_id': 'roles belong to nobody: admin-roles',
  'POST /v1/admin/connections': 'whom the instance believes, with *: connections-1-administration',
  'PATCH /v1/admin/connections/:id': 'whom the instance believes, with *: connections-1-administration',
  'DELETE /v1/admin/connections/:id': 'whom the instance believes, with *: connections-1-administration',
  'POST /v1/admin/connections/:id/test': 'changes nothing: connections-1-administration',
};

let service: Gatehouse;
let root: Persona;
let robot: { id: string };
let caller: Persona;
let ordinary: Persona;
let key: { id: string; authorization: string };
let credentials: Record<'session' | 'bearer' | 'key', Client>;
const passkeys = new Map<string, string>();
const tokens = new Map<string, string>();

beforeAll(async () => {
  const env = {
    ADMIN_APPLICATION_ID: APPLICATION_ID,
    ADMIN_OAUTH_CLIENT_SECRET: SECRET,
    ADMIN_ENDPOINT: 'https://panel.example',
    SSO_ALLOW_PRIVATE_ADDRESSES: 'true',
  };
  service = await gatehouse({ env });
  root = await superuser(service);
  caller = await administrator(service, 'admin_api_key:manage');
  ordinary = await person(service, 'ordinary');
  for (const persona of [root, caller, ordinary]) {
    const { authenticator } = await withTotp(service, persona);
    const proof = { mfa_method: 'totp', mfa_code: authenticator.next() };
    await withPasskey(service, persona, undefined, proof);
    const [passkey] = await service.sql('SELECT id FROM passkey WHERE account_id = $1', [persona.id]);
    passkeys.set(persona.id, passkey?.id);
    const script = { name: 'Script', scopes: ['identify'], mfa_method: 'totp', mfa_code: authenticator.next() };
    const { body } = await service.as(persona).post('/v1/users/@me/access-tokens', script).expect(201);
    tokens.set(persona.id, body.id);
  }
  await enforceSso(service, false);
  await service.sql(
    "INSERT INTO sso_identity (issuer, subject, account_id) VALUES ('https://idp.example', 'root', $1)",
    [root.id],
  );
  robot = await newApp(service, root);
  const panel = {
    ...{ id: service.app.get(AdminApplication).id, owner: root, secret: SECRET },
    ...{ bot: '', redirectUri: 'https://panel.example/oauth2_callback' },
  };
  key = await adminKey(service, caller);
  credentials = {
    session: service.as(caller),
    bearer: service.as(`Bearer ${(await newTokens(service, caller, panel)).access_token}`),
    key: service.as(key.authorization),
  };
  await waitForDelivery(service);
});
afterAll(() => service.close());

const mutations = () =>
  service.app.get(Routes).all.filter(({ path, method }) => path.startsWith('/v1/admin/') && method !== 'GET');
const nameOf = ({ method, path }: RoutePlan) => `${method} ${path}`;

/** Gives the caller and the caller's key exactly the ACLs that the operation requires. */
async function equip(acls: readonly string[]): Promise<void> {
  await setAcls(service, caller, ['admin:authenticate', ...acls]);
  await service.sql('UPDATE admin_key SET acls = $2 WHERE id = $1', [key.id, acls]);
}

const TABLES = [
  ...['account', 'account_settings', 'session', 'passkey', 'backup_code', 'sso_identity', 'application', 'admin_key'],
  ...['one_time_secret', 'outbox', 'inbox_message', 'instance', 'ip_ban', 'audit_log', 'oauth_family', 'oauth_token'],
];

/** Returns all stored rows, without the columns that record the last use. */
async function everything(): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const table of TABLES) {
    const [row] = await service.sql(
      `SELECT array_agg(r ORDER BY r) AS rows FROM (SELECT
         (to_jsonb(t) - 'last_used_at' - 'last_active_at' - 'last_active_ip')::text AS r FROM ${table} t) rows`,
    );
    state[table] = row?.rows;
  }
  return state;
}

/** Asserts that every credential of the caller is rejected with the code, and that nothing changes. */
async function refused(ask: (client: Client) => ReturnType<Client['send']>, code: string): Promise<void> {
  const before = await everything();
  for (const client of Object.values(credentials)) expectApiError(await ask(client), code);
  expect(await everything()).toEqual(before);
}

const idOf = (target: Target): string => ({ self: caller.id, superadmin: root.id, application: robot.id })[target];

/** Returns the path of a mutation of the account or application with this ID. */
const pathFor = (path: string, id: string): string =>
  path
    .replace(':user_id', id)
    .replace(':application_id', id)
    .replace(':token_id', tokens.get(id) ?? '1')
    .replace(':credential_id', encodeURIComponent(passkeys.get(id) ?? 'none'));

const bodyFor = ({ path }: RoutePlan, { body }: Recipe) =>
  path.includes('/applications/') ? { new_owner_id: caller.id } : body;

describe("admin.md 2 protection of targets and of the caller's own account", () => {
  test('every mutation of the Admin API is listed here', () => {
    const named = [...Object.keys(OF_ACCOUNTS), ...Object.keys(OTHERS), ...Object.keys(HARMLESS_OPERATIONS)].sort();
    expect(mutations().map(nameOf).sort()).toEqual(named);
  });

  test.each(Object.entries(OF_ACCOUNTS))(
    "%s is rejected on a superadmin, on objects of a superadmin and, if documented, on the caller's own account",
    async (name, recipe) => {
      const plan = mutations().find((candidate) => nameOf(candidate) === name) as RoutePlan;
      await equip(plan.policy.acl?.acls ?? []);
      const ask = (target: Target) => (client: Client) =>
        client.send(plan.method, pathFor(plan.path, idOf(target)), bodyFor(plan, recipe));
      if (plan.path.includes(':user_id')) await refused(ask('superadmin'), 'MISSING_ACL');
      await refused(ask('application'), recipe.application ?? 'MISSING_ACL');
      if (recipe.self !== 'open') await refused(ask('self'), recipe.self);
    },
  );

  test('the same requests succeed on another account, so the target causes the rejection', async () => {
    for (const [name, recipe] of Object.entries(OF_ACCOUNTS)) {
      const plan = mutations().find((candidate) => nameOf(candidate) === name) as RoutePlan;
      await equip(plan.policy.acl?.acls ?? []);
      if (plan.path.includes('pending')) {
        await service.sql("UPDATE account SET traits = '{registration_pending_approval}' WHERE id = $1", [ordinary.id]);
      }
      const id = plan.path.includes(':application_id')
        ? (await newApp(service, await person(service, 'dev'))).id
        : ordinary.id;
      const response = await credentials.session.send(plan.method, pathFor(plan.path, id), bodyFor(plan, recipe));
      expect([name, response.status < 300, response.body?.code]).toEqual([name, true, undefined]);
      await service.sql('UPDATE account SET flags = 0, banned = false, deletion_at = NULL WHERE id = $1', [
        ordinary.id,
      ]);
      if (
        name.endsWith('/sessions') ||
        name.endsWith('/ban') ||
        name.includes('deletion') ||
        name.includes('disable')
      ) {
        await service.sql('UPDATE session SET revoked_at = NULL WHERE account_id = $1', [ordinary.id]);
      }
    }
  });

  test('an application is protected by the present ACLs of its owner, not by earlier ones', async () => {
    await equip(['application:transfer_ownership']);
    const owner = await person(service, 'owner');
    const { id } = await newApp(service, owner);
    const transfer = (client: Client) => client.patch(`/v1/admin/applications/${id}`, { new_owner_id: caller.id });
    for (const acls of [['*'], ['user:lookup'], ['admin:authenticate', 'user:view:ip']]) {
      await setAcls(service, owner, acls);
      await refused(transfer, 'MISSING_ACL');
    }
    // Values outside the registry grant no access and protect no account.
    await setAcls(service, owner, ['of a team that is gone']);
    expect((await transfer(credentials.session)).status).toBe(200);
  });
});

describe('admin.md 2 grant bound and own keys', () => {
  test('no administrator creates or changes a key beyond their own ACLs', async () => {
    const foreign = await adminKey(service, root, '*');
    await equip(['admin_api_key:manage']);
    const own = await credentials.session.post('/v1/admin/api-keys', { name: 'own', acls: [] });
    const before = await everything();
    const requested: readonly (readonly [(client: Client) => ReturnType<Client['send']>, string])[] = [
      [(client) => client.post('/v1/admin/api-keys', { name: 'x', acls: ['*'] }), 'MISSING_ACL'],
      [(client) => client.patch(`/v1/admin/api-keys/${own.body.key_id}`, { acls: ['user:lookup'] }), 'MISSING_ACL'],
      [(client) => client.patch(`/v1/admin/api-keys/${foreign.id}`, { name: 'x' }), 'ADMIN_API_KEY_NOT_FOUND'],
      [(client) => client.delete(`/v1/admin/api-keys/${foreign.id}`), 'ADMIN_API_KEY_NOT_FOUND'],
    ];
    for (const [ask, code] of requested) {
      expectApiError(await ask(credentials.session), code);
      expectApiError(await ask(credentials.bearer), code);
      expectApiError(await ask(credentials.key), 'ACCESS_DENIED');
    }
    expect(await everything()).toEqual(before);
  });
});

describe('admin.md 2 which identity provider the instance trusts', () => {
  const CONFIG = '/v1/admin/instance/config';
  const THIEF = 'https://thief.example';
  const TRUST: Readonly<Record<string, unknown>> = {
    ...{ enabled: true, enforced: false, issuer: THIEF, authorization_url: THIEF, token_url: `${THIEF}/token` },
    ...{ userinfo_url: THIEF, jwks_url: `${THIEF}/keys`, client_id: 'thief', client_secret: 'a thief has secrets' },
    ...{ allowed_domains: ['thief.example'], auto_provision: true },
  };

  test.each(Object.entries(TRUST))('a change of sso.%s needs the wildcard', async (member, value) => {
    await equip(['instance:config:update']);
    await refused((client) => client.patch(CONFIG, { sso: { [member]: value } }), 'MISSING_ACL');
    // A rejected change stores nothing, including the members that the caller may change.
    const mixed = { sso: { [member]: value, display_name: 'x' }, registration: { mode: 'closed' } };
    await refused((client) => client.patch(CONFIG, mixed), 'MISSING_ACL');
  });

  test('clearing such a member is a change of it; a malformed body is reported first', async () => {
    await equip(['instance:config:update']);
    await refused((client) => client.patch(CONFIG, { sso: { token_url: null } }), 'MISSING_ACL');
    const { session } = credentials;
    expectInvalid(await session.patch(CONFIG, { sso: { token_url: 'http://x' } }), 'sso.token_url: INVALID_URL_FORMAT');
  });

  test('all members of the section are included, except its texts', async () => {
    const sso = Object.keys((await service.as(root).get(CONFIG)).body.sso);
    const readOnly = ['client_secret_set', 'redirect_uri'];
    const words = ['display_name', 'scope'];
    expect([...Object.keys(TRUST), ...readOnly, ...words].sort()).toEqual([...sso, 'client_secret'].sort());
  });

  test('the display name of the provider needs only the ACL of the operation; a wildcard needs nothing more', async () => {
    await equip(['instance:config:update']);
    const words = { sso: { display_name: 'Company', scope: 'openid email' } };
    for (const client of Object.values(credentials)) expect((await client.patch(CONFIG, words)).status).toBe(200);
    await equip(['*']);
    for (const client of Object.values(credentials)) {
      const domains = { sso: { allowed_domains: ['example.com'] } };
      expect((await client.patch(CONFIG, domains)).status).toBe(200);
    }
  });

  test('a key needs the wildcard on both the key and its owner', async () => {
    const change = () => credentials.key.patch(CONFIG, { sso: { allowed_domains: [] } });
    await setAcls(service, caller, ['*']);
    await service.sql('UPDATE admin_key SET acls = $2 WHERE id = $1', [key.id, ['instance:config:update']]);
    expectApiError(await change(), 'MISSING_ACL');
    await service.sql('UPDATE admin_key SET acls = $2 WHERE id = $1', [key.id, ['*']]);
    await setAcls(service, caller, ['admin:authenticate', 'instance:config:update']);
    expectApiError(await change(), 'MISSING_ACL');
  });

  test('the test of single sign-on needs the wildcard', async () => {
    await equip(['instance:config:update', 'instance:config:view']);
    await refused((client) => client.post('/v1/admin/instance/sso/test'), 'MISSING_ACL');
    await equip(['*']);
    expect((await credentials.session.post('/v1/admin/instance/sso/test')).status).toBe(200);
  });
});
