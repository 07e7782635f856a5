import { CONNECTIONS, connect, signInWith } from '../machine/connections.js';
import {
  administrator,
  auditOf,
  environmentOf,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  type Persona,
  race,
  ScriptedProvider,
  setAcls,
  superuser,
  withGatehouse,
  withoutAudit,
} from '../support/index.js';

let provider: ScriptedProvider;
let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouse({ env: environmentOf(provider) });
  provider.seconds = () => service.clock.seconds();
  root = await superuser(service);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});
beforeEach(async () => {
  const { body } = await service.as(root).get(CONNECTIONS);
  for (const { id, identities } of body.connections)
    await service.as(root).delete(`${CONNECTIONS}/${id}`, { identities }).expect(204);
});

const create = (body: Record<string, unknown>) =>
  service.as(root).post(CONNECTIONS, { id: 'one', kind: 'oidc', display_name: 'One', ...body });
const edit = (body: Record<string, unknown>, id = 'one') => service.as(root).patch(`${CONNECTIONS}/${id}`, body);
const list = async () => (await service.as(root).get(CONNECTIONS).expect(200)).body.connections;

/** Asserts that the rejected request changes no connection and adds no entry to the audit log. */
async function withoutEffect<T>(refused: () => Promise<T>): Promise<T> {
  const stored = () => service.sql('SELECT * FROM connection ORDER BY id');
  const before = await stored();
  const response = await withoutAudit(service, refused);
  expect(await stored()).toEqual(before);
  return response;
}

const DEFAULTS = {
  ...{ position: 0, icon: null, client_id: null, client_secret_set: false, issuer: null, authorization_url: null },
  ...{ token_url: null, userinfo_url: null, jwks_url: null, emails_url: null, claims: null, enabled: false },
  ...{ allow_sign_up: true, link_by_email: false, require_second_factor: true, allowed_domains: [], identities: 0 },
};

describe('connections.md section 1: connections', () => {
  test('are created with defaults, listed in their order, changed and deleted', async () => {
    const { status, body } = await create({});
    const view = {
      ...{ id: 'one', kind: 'oidc', display_name: 'One', scope: 'openid email profile', ...DEFAULTS },
      redirect_uri: expect.stringMatching(/\/auth\/connections\/one\/callback$/),
    };
    expect([status, body]).toEqual([200, view]);
    await create({ id: 'two', display_name: 'Two' }).expect(200);
    await create({ id: 'first', display_name: 'First', position: 0 }).expect(200);
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual(['one', 'first', 'two']);
    await edit({ position: 9 }).expect(200);
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual(['first', 'two', 'one']);
    expect((await service.as(root).get(`${CONNECTIONS}/one`)).body).toEqual({ ...body, position: 9 });
    await service.as(root).delete(`${CONNECTIONS}/one`, { identities: 0 }).expect(204);
    expectApiError(await service.as(root).get(`${CONNECTIONS}/one`), 'UNKNOWN_CONNECTION');
  });

  test.each([
    ['google', { issuer: 'https://accounts.google.com', scope: 'openid email profile' }],
    ['gitlab', { issuer: 'https://gitlab.com' }],
    ['github', { userinfo_url: 'https://api.github.com/user', emails_url: 'https://api.github.com/user/emails' }],
    ['discord', { token_url: 'https://discord.com/api/oauth2/token', scope: 'identify email' }],
    ['microsoft', { issuer: null }],
  ])('the preset %s fills in what is not set', async (kind, expected) => {
    expect((await create({ kind })).body).toMatchObject(expected);
    const url = `${provider.issuer}/mine`;
    expect((await edit({ userinfo_url: url })).body).toMatchObject({ ...expected, userinfo_url: url });
    expect((await edit({ userinfo_url: null })).body).toMatchObject(expected);
  });

  test('the secret is encrypted and never returned, and null clears it', async () => {
    const { body } = await create({ client_secret: 'never returned' });
    expect([body.client_secret_set, JSON.stringify(body)]).toEqual([true, expect.not.stringContaining('never')]);
    const [row] = await service.sql("SELECT client_secret, settings::text FROM connection WHERE id = 'one'");
    expect(`${row?.client_secret.toString('latin1')}${row?.settings}`).not.toContain('never');
    expect((await edit({ client_secret: null })).body.client_secret_set).toBe(false);
    expect(JSON.stringify(await auditOf(service))).not.toContain('never returned');
  });

  test('reading requires instance:config:view, and every change requires *', async () => {
    await create({}).expect(200);
    const viewer = service.as(await administrator(service, 'instance:config:view', 'instance:config:update'));
    await viewer.get(CONNECTIONS).expect(200);
    await viewer.get(`${CONNECTIONS}/one`).expect(200);
    await withoutEffect(async () => {
      const calls = [
        () => viewer.post(CONNECTIONS, { id: 'mine', kind: 'google', display_name: 'Mine' }),
        () => viewer.patch(`${CONNECTIONS}/one`, { enabled: false }),
        () => viewer.delete(`${CONNECTIONS}/one`, { identities: 0 }),
        () => viewer.post(`${CONNECTIONS}/one/test`),
      ];
      for (const call of calls) expectApiError(await call(), 'MISSING_ACL');
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an ID with other characters', { id: 'One' }, 'id: INVALID_FORMAT'],
    ['an unknown kind', { kind: 'facebook' }, 'kind: INVALID_FORMAT'],
    ['no name', { display_name: '' }, 'display_name: INVALID_FORMAT'],
    ['http', { token_url: 'http://localhost/' }, 'token_url: INVALID_URL_FORMAT'],
    ['user info', { issuer: 'https://a:b@idp.example' }, 'issuer: INVALID_URL_FORMAT'],
    ['a fragment', { emails_url: 'https://idp.example/#a' }, 'emails_url: INVALID_URL_FORMAT'],
    ['a domain that is none', { allowed_domains: ['not a domain'] }, 'allowed_domains.0: INVALID_FORMAT'],
    ['an icon of another server', { icon: 'https://attacker.example/a.png' }, 'icon: INVALID_FORMAT'],
    ['claims without id', { kind: 'oauth2', claims: { email: 'mail' } }, 'claims: INVALID_FORMAT'],
    ['an unknown claim', { kind: 'oauth2', claims: { id: 'id', roles: 'roles' } }, 'claims: INVALID_FORMAT'],
    ['enabled without a client', { enabled: true, issuer: 'https://idp.example' }, 'enabled: SSO_MISCONFIGURED'],
    ['enabled without endpoints', { kind: 'oauth2', enabled: true, client_id: 'c' }, 'enabled: SSO_MISCONFIGURED'],
    [
      'the shared tenant of Microsoft',
      { kind: 'microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' },
      'issuer: INVALID_FORMAT',
    ],
  ])('are rejected: %s', async (_what, body, fault) => {
    await withoutEffect(async () => expectInvalid(await create(body), fault));
  });

  test('an ID is free once, and `sso` never', async () => {
    await create({}).expect(200);
    for (const id of ['one', 'sso']) {
      await withoutEffect(async () => expectInvalid(await create({ id }), 'id: CONNECTION_ID_ALREADY_IN_USE'));
    }
    for (const call of [() => edit({}, 'sso'), () => edit({}, 'unknown')])
      expectApiError(await call(), 'UNKNOWN_CONNECTION');
  });

  test('of 32 parallel requests at most 20 create a connection', async () => {
    const { of, codes } = await race(32, (n) => create({ id: `c${n}` }));
    expect([of(200).length, codes.MAX_CONNECTIONS]).toEqual([20, 12]);
    expect(await list()).toHaveLength(20);
  });

  test('private addresses are rejected if they are not allowed', async () => {
    await withGatehouse({}, async (strict) => {
      const admin = strict.as(await superuser(strict));
      const response = await admin.post(CONNECTIONS, {
        ...{ id: 'one', kind: 'oauth2', display_name: 'One', token_url: 'https://127.0.0.1/token' },
        userinfo_url: 'https://localhost/me',
      });
      expectInvalid(response, 'token_url: URL_NOT_PUBLICLY_ROUTABLE', 'userinfo_url: URL_NOT_PUBLICLY_ROUTABLE');
    });
  });

  test('enabling asks the provider for its metadata, and stores nothing if it does not answer', async () => {
    const provided = { enabled: true, client_id: 'c' };
    await withoutEffect(async () => {
      const { status, body } = await create({ ...provided, issuer: 'https://localhost:1' });
      expect([status, body.code]).toEqual([502, 'BAD_GATEWAY']);
      const wrong = await create({ ...provided, issuer: `${provider.issuer}/other` });
      expect([400, 502]).toContain(wrong.status);
    });
  });

  test('every change is in the audit log with its differences', async () => {
    await create({ scope: 'openid', client_secret: 'secret' }).expect(200);
    await edit({ display_name: 'Two', link_by_email: true, client_secret: null }).expect(200);
    await service.as(root).delete(`${CONNECTIONS}/one`, { identities: 0 }).expect(204);
    const [entry] = (await auditOf(service, 'update_connection')).slice(-1);
    expect(entry).toMatchObject({
      target_id: 'one',
      metadata: {
        ...{ old_display_name: 'One', new_display_name: 'Two', old_link_by_email: 'false', new_link_by_email: 'true' },
        client_secret: 'cleared',
      },
    });
    expect((await auditOf(service, 'create_connection')).at(-1)).toMatchObject({ target_id: 'one' });
    expect((await auditOf(service, 'delete_connection')).at(-1)).toMatchObject({
      metadata: { kind: 'oidc', display_name: 'Two', identities: '0' },
    });
  });

  test.each(['issuer', 'authorization_url', 'client_id'])(
    'a change of %s removes the identities of administrators, and only these',
    async (member) => {
      await connect(service, root, provider, { id: 'one' });
      const sign = (sub: string) => signInWith(service, provider, { sub }, { id: 'one' });
      const [admin, user] = [(await sign(`a-${member}`)).body, (await sign(`u-${member}`)).body];
      await setAcls(service, { id: admin.user_id }, ['user:lookup']);
      expect((await edit({ display_name: 'Other' })).body).not.toHaveProperty('voided_admin_links');
      const value = member === 'client_id' ? 'other' : `${provider.issuer}/other`;
      const { status, body } = await edit({ [member]: value, enabled: false });
      expect([status, body.voided_admin_links]).toEqual([200, 1]);
      const left = await service.sql('SELECT account_id FROM connection_identity');
      expect(left).toEqual([{ account_id: user.user_id }]);
    },
  );

  test('the test reports each check and is audited', async () => {
    await create({ issuer: provider.issuer, client_id: 'c', client_secret: 'hidden' }).expect(200);
    const { status, body } = await service.as(root).post(`${CONNECTIONS}/one/test`);
    expect([status, body.ok, body.checks.map(({ name }: { name: string }) => name)]).toEqual([
      ...[200, true],
      ['discovery', 'endpoints', 'jwks', 'algorithms'],
    ]);
    await create({ id: 'hub', kind: 'github', client_id: 'c', token_url: 'https://unknown.invalid/token' }).expect(200);
    const failed = await service.as(root).post(`${CONNECTIONS}/hub/test`);
    expect([failed.body.ok, JSON.stringify(body)]).toEqual([
      expect.any(Boolean),
      expect.not.stringContaining('hidden'),
    ]);
    expect(await auditOf(service, 'test_connection')).toHaveLength(2);
    expectApiError(await service.as(root).post(`${CONNECTIONS}/sso/test`), 'UNKNOWN_CONNECTION');
  });
});
