import { administrator, auditOf, setAcls, superuser, withoutAudit } from '../support/admin.js';
import {
  type App,
  CALLBACK,
  consent,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newTokens,
  type Persona,
  parametersOf,
  person,
  verifiedPerson,
} from '../support/index.js';

const SCOPES = ['email', 'openid', 'profile'];
const SCOPE = SCOPES.join(' ');

let service: Gatehouse;
let root: Persona;
let owner: Persona;
let app: App;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
  owner = await person(service, 'owner');
});
beforeEach(async () => {
  await setAcls(service, owner, []);
  app = await newApp(service, owner, { name: 'Wiki' });
});
afterAll(() => service.close());

const patch = (input: object, { as = root, id = app.id }: { as?: Persona; id?: string } = {}) =>
  service.as(as).patch(`/v1/admin/applications/${id}`, input);
const trust = (scopes: readonly string[] = SCOPES) => patch({ is_trusted: true, trusted_scopes: scopes });
const edit = (input: object) => service.as(owner).patch(`/v1/oauth2/applications/${app.id}`, input);
const stored = async () => (await service.as(root).get(`/v1/admin/applications/${app.id}`)).body.application;
const isTrusted = async () => (await stored()).is_trusted;
const auditOfApp = async (action: string) =>
  (await auditOf(service, action)).filter(({ target_id }) => target_id === app.id);

/** The answer to a silent request: the code or the error. */
async function silent(of: Persona, more: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const { status, body } = await consent(service, of, app, { scope: SCOPE, prompt: 'none', ...more });
  expect(status).toBe(200);
  return parametersOf(body.redirect_to);
}

const trustedFor = async (of?: Persona): Promise<string[]> =>
  (await (of ? service.as(of) : service.anonymous).get(`/v1/oauth2/applications/${app.id}/public`)).body.trusted_scopes;
const grants = async (of: Persona): Promise<{ by_platform: boolean; scopes: string[] }[]> =>
  (await service.as(of).get('/v1/oauth2/@me/authorizations')).body;
const remove = (of: Persona) => service.as(of).delete(`/v1/oauth2/@me/authorizations/${app.id}`);

describe('openid.md 4: an administrator trusts an application', () => {
  test('with its scopes, audited, and the owner and every caller can read it', async () => {
    const { status, body } = await trust(['profile', 'openid']);
    expect(status).toBe(200);
    expect(body.application).toMatchObject({ is_trusted: true, trusted_scopes: ['openid', 'profile'], version: 2 });
    expect((await service.as(owner).get(`/v1/oauth2/applications/${app.id}`)).body).toMatchObject({
      is_trusted: true,
      trusted_scopes: ['openid', 'profile'],
    });
    expect(await trustedFor()).toEqual(['openid', 'profile']);
    expect((await patch({ is_trusted: false })).body.application).toMatchObject({ is_trusted: false });
    expect(await trustedFor()).toEqual([]);
    expect(await auditOfApp('set_application_trust')).toMatchObject([
      { admin_user_id: root.id, metadata: { is_trusted: 'true', trusted_scopes: 'openid,profile' } },
      { admin_user_id: root.id, metadata: { is_trusted: 'false', trusted_scopes: 'openid,profile' } },
    ]);
  });

  test('needs application:trust, as a transfer needs its own ACL, and otherwise changes nothing', async () => {
    const heir = await person(service, 'heir');
    const [clerk, mover] = [
      await administrator(service, 'application:trust'),
      await administrator(service, 'application:transfer_ownership'),
    ];
    const both = { new_owner_id: heir.id, is_trusted: true };
    for (const [as, input] of [
      [clerk, { new_owner_id: heir.id }],
      [clerk, both],
      [mover, { is_trusted: true }],
      [mover, { trusted_scopes: [] }],
      [mover, both],
    ] as const) {
      expectApiError(await withoutAudit(service, () => patch(input, { as })), 'MISSING_ACL');
    }
    expect(await stored()).toMatchObject({ owner_user_id: owner.id, is_trusted: false, version: 1 });
    expect((await patch({ is_trusted: true }, { as: clerk })).status).toBe(200);
    await setAcls(service, owner, ['user:delete']);
    expectApiError(await withoutAudit(service, () => patch({ is_trusted: false }, { as: clerk })), 'MISSING_ACL');
    expect(await isTrusted()).toBe(true);
    expectInvalid(await patch({}), 'new_owner_id: INVALID_FORMAT');
    expectApiError(await patch({ is_trusted: true }, { id: '1' }), 'UNKNOWN_APPLICATION');
  });

  test.each([
    [{ client_type: 'public' }, 'a public client'],
    [{ redirect_uris: [CALLBACK, 'http://localhost/callback'] }, 'a redirect URI without https'],
  ])('is an error for %j: %s', async (input: object, _why) => {
    app = await newApp(service, owner, { ...input });
    expectInvalid(await withoutAudit(service, () => trust()), 'is_trusted: INVALID_FORMAT');
    expect(await isTrusted()).toBe(false);
  });

  test.each([
    [['bot'], 'trusted_scopes.0: INVALID_FORMAT'],
    [['openid', 'nonsense'], 'trusted_scopes.1: INVALID_FORMAT'],
    ['openid', 'trusted_scopes: INVALID_FORMAT'],
    [null, 'trusted_scopes: INVALID_FORMAT'],
  ])('never for the scopes %j', async (trusted_scopes, fault) => {
    expectInvalid(await withoutAudit(service, () => patch({ is_trusted: true, trusted_scopes })), fault);
    expect(await isTrusted()).toBe(false);
  });
});

describe('openid.md 4: the owner of a trusted application', () => {
  beforeEach(() => trust());

  const changes: [string, () => Promise<{ status: number }>][] = [
    ['redirect URIs', () => edit({ redirect_uris: [CALLBACK, 'https://evil.example/'] })],
    ['logout URIs', () => edit({ post_logout_redirect_uris: ['https://evil.example/'] })],
    ['back-channel URI', () => edit({ backchannel_logout_uri: 'https://8.8.8.8/logout' })],
    [
      'secret',
      () =>
        service.as(owner).post(`/v1/oauth2/applications/${app.id}/client-secret/reset`, { password: owner.password }),
    ],
  ];
  test.each(changes)('ends the trust with new %s, audited', async (_what, change) => {
    expect((await change()).status).toBe(200);
    expect(await isTrusted()).toBe(false);
    expect(await trustedFor()).toEqual([]);
    expect(await auditOfApp('end_application_trust')).toMatchObject([
      { admin_user_id: owner.id, target_type: 'application', metadata: {} },
    ]);
  });

  test('keeps it with other changes and cannot give it', async () => {
    const input = { name: 'Pedia', redirect_uris: [CALLBACK], bot_public: false, is_trusted: false };
    expect((await edit(input)).status).toBe(200);
    expect(await isTrusted()).toBe(true);
    expect(await auditOfApp('end_application_trust')).toEqual([]);
    await patch({ is_trusted: false });
    await edit({ is_trusted: true, trusted_scopes: ['openid'], name: 'Again' });
    expect(await isTrusted()).toBe(false);
  });

  test('loses it by a transfer, unless the same request gives it again', async () => {
    const [heir, next] = [await person(service, 'heir'), await person(service, 'next')];
    await patch({ new_owner_id: heir.id });
    expect(await isTrusted()).toBe(false);
    expect(await auditOfApp('end_application_trust')).toMatchObject([{ admin_user_id: root.id }]);
    await patch({ new_owner_id: next.id, is_trusted: true });
    expect(await stored()).toMatchObject({ owner_user_id: next.id, is_trusted: true });
  });
});

describe('openid.md 4: users of a trusted application', () => {
  let user: Persona;
  beforeEach(async () => {
    await trust();
    user = await verifiedPerson(service, 'user');
  });

  test('give the first access once, and later ones are silent and shown as given by the platform', async () => {
    expect(await trustedFor(user)).toEqual(SCOPES);
    expect(await silent(user)).toMatchObject({ error: 'consent_required' });
    await newTokens(service, user, app, SCOPE);
    const { code } = await silent(user);
    expect((await exchange(service, app, code as string)).status).toBe(200);
    expect(await grants(user)).toMatchObject([{ by_platform: true, scopes: SCOPES }]);
  });

  test('give a full consent for other scopes or with prompt=consent', async () => {
    await newTokens(service, user, app, `${SCOPE} identify`);
    expect(await grants(user)).toMatchObject([{ by_platform: false }]);
    const other = await verifiedPerson(service, 'other');
    const response = await consent(service, other, app, { scope: SCOPE, prompt: 'consent' });
    await exchange(service, app, parametersOf(response.body.redirect_to).code as string);
    expect(await grants(other)).toMatchObject([{ by_platform: false }]);
  });

  test('are asked again after the owner changed a redirect URI, also those who came silently', async () => {
    await newTokens(service, user, app, SCOPE);
    await exchange(service, app, (await silent(user)).code as string);
    const evil = 'https://evil.example/callback';
    await edit({ redirect_uris: [CALLBACK, evil] });
    for (const redirect_uri of [CALLBACK, evil]) {
      expect(await silent(user, { redirect_uri })).toMatchObject({ error: 'consent_required' });
    }
    await newTokens(service, user, app, SCOPE);
    expect(await silent(user)).toHaveProperty('code');
  });

  test('are asked again for scopes that are no longer trusted', async () => {
    await newTokens(service, user, app, SCOPE);
    await trust(['openid']);
    expect(await silent(user)).toMatchObject({ error: 'consent_required' });
    expect(await silent(user, { scope: 'openid' })).toHaveProperty('code');
  });

  test('who removed the access are asked fully again, until they consent', async () => {
    await newTokens(service, user, app, SCOPE);
    expect((await remove(user)).status).toBe(204);
    expect(await trustedFor(user)).toEqual([]);
    expect(await trustedFor()).toEqual(SCOPES);
    expect(await silent(user)).toMatchObject({ error: 'consent_required' });
    await newTokens(service, user, app, SCOPE);
    expect(await grants(user)).toMatchObject([{ by_platform: false }]);
    expect(await trustedFor(user)).toEqual(SCOPES);
  });

  test('who removed nothing are not remembered', async () => {
    await remove(user);
    expect(await trustedFor(user)).toEqual(SCOPES);
  });
});
