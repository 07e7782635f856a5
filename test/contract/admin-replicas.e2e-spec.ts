import { Config } from '../../src/core/config/config.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { administrator, adminKey, setAcls } from '../support/admin.js';
import {
  asApp,
  enforceSso,
  expectApiError,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newApp,
  newTokens,
  type Persona,
  person,
  type TestResponse,
} from '../support/index.js';
import { eventually } from '../support/mail.js';

const CONFIG = '/v1/admin/instance/config';
const register = (service: Gatehouse) =>
  service.anonymous.post('/v1/auth/register', {
    email: `r${Math.random()}@example.com`,
    password: 'a long enough password',
  });

describeOnPostgres('on every replica', () => {
  let first: Gatehouse;
  let second: Gatehouse;
  let root: Persona;
  beforeAll(async () => {
    first = await gatehouse();
    second = await gatehouse({ env: { DATABASE_URL: first.app.get(Config).databaseUrl ?? '' } });
    root = await administrator(first, '*');
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  /** Waits until the change takes effect on the other replica. */
  const received = (what: string, attempt: () => Promise<TestResponse>, code: string | undefined) =>
    eventually(what, async () => ((await attempt()).body?.code === code ? true : undefined));

  test('admin.md 9 a change of the instance configuration applies within a second', async () => {
    const patch = (body: object) => first.as(root).patch(CONFIG, body);
    const closed = await patch({ registration: { mode: 'closed' }, app_public: { branding: { product_name: 'New' } } });
    expect(closed.status).toBe(200);
    await received('a closed registration', () => register(second), 'REGISTRATION_CLOSED');
    expect((await second.anonymous.get('/.well-known/service')).body).toMatchObject({
      product_name: 'New',
      registration: { mode: 'closed' },
    });
    expect((await second.as(root).get(CONFIG)).body).toEqual(closed.body);
    await patch({ registration: { mode: 'open' } });
    await received('an open registration', () => register(second), undefined);
  });

  test('SSOE-05 enforcement of single sign-on also applies within a second, in both directions', async () => {
    const alice = await person(first, 'alice');
    const login = () => second.anonymous.post('/v1/auth/login', { email: alice.email, password: alice.password });
    await enforceSso(first, true);
    await received('enforcement', login, 'SSO_REQUIRED');
    expect((await second.as(alice).get('/v1/users/@me')).status).toBe(200);
    await enforceSso(first, false);
    await received('the end of enforcement', login, undefined);
  });

  test('ADM-06 ACLs of an account and of its keys apply from the next request', async () => {
    const clerk = await administrator(first, 'user:lookup', 'admin_api_key:manage');
    const key = await adminKey(first, clerk, 'user:lookup');
    const attempt = () => second.as(key).get(`/v1/admin/users/${clerk.id}`);
    expect((await attempt()).status).toBe(200);
    await first.as(root).put(`/v1/admin/users/${clerk.id}/acls`, { acls: ['admin:authenticate'] });
    expectApiError(await attempt(), 'MISSING_ACL');
    await setAcls(first, clerk, []);
    expectApiError(await attempt(), 'MISSING_PERMISSIONS');
  });

  test('a revoked Admin key is rejected from the next request', async () => {
    const key = await adminKey(first, root, 'user:lookup');
    expect((await second.as(key).get(`/v1/admin/users/${root.id}`)).status).toBe(200);
    expect((await first.as(root).delete(`/v1/admin/api-keys/${key.id}`)).status).toBe(200);
    expectApiError(await second.as(key).get(`/v1/admin/users/${root.id}`), 'UNAUTHORIZED');
  });

  test('OAU-26 a changed client secret and bot token and revoked tokens of a grant are rejected also', async () => {
    const owner = await person(first, 'owner');
    const app = await newApp(first, owner);
    const tokens = await newTokens(second, owner, app);
    const introspect = () => asApp(second, app, '/v1/oauth2/introspect', { token: tokens.access_token });
    expect((await introspect()).body.active).toBe(true);
    const base = `/v1/oauth2/applications/${app.id}`;
    const sudo = { password: owner.password };
    expect((await first.as(owner).post(`${base}/bot/reset-token`, sudo)).status).toBe(200);
    expectApiError(await second.as(app.bot).get('/v1/applications/@me'), 'UNAUTHORIZED');
    expect((await first.as(owner).post(`${base}/client-secret/reset`, sudo)).status).toBe(200);
    expectApiError(await introspect(), 'INVALID_CLIENT');
    expect(await isTokenActive(second, tokens.access_token)).toBe(true);
    expect((await first.as(owner).delete(`/v1/oauth2/@me/authorizations/${app.id}`)).status).toBe(204);
    expect(await isTokenActive(second, tokens.access_token)).toBe(false);
  });

  test('one built-in Admin application and one audit chain', async () => {
    const { body } = await second.as(root).get('/v1/admin/audit-logs');
    expect(body.logs.map(({ action }: { action: string }) => action)).toContain('update_instance_config');
    const rows = await first.sql('SELECT 1 FROM application WHERE owner_id IS NULL');
    expect(rows).toHaveLength(1);
  });
});

describe('a replica that missed changes', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('reloads the instance configuration when its connection is back', async () => {
    const replica = service.app.get(ReplicaBus) as unknown as {
      deliver(notice: object, concerns: () => boolean): Promise<void>;
    };
    await service.sql(`INSERT INTO instance (name, value) VALUES ('registration', '{"mode": "closed"}')`);
    expect((await register(service)).status).toBe(200);
    await replica.deliver({ topic: 'resync', data: {} }, () => true);
    expectApiError(await register(service), 'REGISTRATION_CLOSED');
    expect(service.app.get(Instance).current.registration.mode).toBe('closed');
  });
});
