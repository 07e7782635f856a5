import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import { administrator, auditOf, superuser, withoutAudit } from '../support/admin.js';
import { Events } from '../support/events.js';
import { expectApiError, expectInvalid, type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
let owner: Persona;
let application: { id: string; client_secret: string; bot: { token: string; username: string; discriminator: string } };
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
  owner = await person(service, 'owner');
  application = await create(owner);
});
afterAll(() => service.close());

async function create(persona: Persona) {
  const input = { name: 'Robot', redirect_uris: ['https://app.example/callback'] };
  const { status, body } = await service.as(persona).post('/v1/oauth2/applications', input);
  expect(status).toBe(200);
  return body;
}

const APPLICATIONS = '/v1/admin/applications';
const show = async (id: string) => (await service.as(root).get(`${APPLICATIONS}/${id}`)).body.application;
const transfer = (id: string, new_owner_id: unknown) =>
  service.as(root).patch(`${APPLICATIONS}/${id}`, { new_owner_id });

describe('admin.md 6 applications', () => {
  test('show the owners and the state of the secrets, never a secret', async () => {
    const { status, body, text } = await service.as(root).get(`${APPLICATIONS}/${application.id}`);
    expect(status).toBe(200);
    expect(body.application).toEqual({
      id: application.id,
      name: 'Robot',
      client_type: 'confidential',
      owner_user_id: owner.id,
      owner_username: 'owner',
      owner_global_name: null,
      owner_discriminator: expect.stringMatching(/^\d{4}$/),
      bot_user_id: application.id,
      bot_username: application.bot.username,
      bot_discriminator: application.bot.discriminator,
      bot_is_public: true,
      bot_require_code_grant: false,
      oauth2_redirect_uris: ['https://app.example/callback'],
      ...{ id_token_signed_response_alg: 'RS256', post_logout_redirect_uris: [], backchannel_logout_uri: null },
      backchannel_logout_session_required: false,
      is_trusted: false,
      trusted_scopes: [],
      resource_policies: [],
      resource_scopes: [],
      has_client_secret: true,
      client_secret_created_at: expect.stringMatching(/Z$/),
      has_bot_token: true,
      bot_token_preview: application.bot.token.split('.')[1]?.slice(0, 8),
      bot_token_created_at: expect.stringMatching(/Z$/),
      version: 1,
    });
    for (const secret of [application.client_secret, application.bot.token.split('.')[1]]) {
      expect(text).not.toContain(secret);
    }
  });

  test('are null when unknown', async () => {
    expect((await service.as(root).get(`${APPLICATIONS}/1`)).body).toEqual({ application: null });
    const bad = await service.as(root).get(`${APPLICATIONS}/x`);
    expectInvalid(bad, 'application_id: INVALID_SNOWFLAKE_FORMAT');
  });

  test('are listed by owner, oldest first, at both paths', async () => {
    const second = await create(owner);
    for (const path of [`${APPLICATIONS}?owner_id=${owner.id}`, `/v1/admin/users/${owner.id}/applications`]) {
      const { body } = await service.as(root).get(path);
      expect(body.applications.map(({ id }: { id: string }) => id)).toEqual([application.id, second.id]);
    }
    expect((await service.as(root).get(`/v1/admin/users/${root.id}/applications`)).body).toEqual({ applications: [] });
    expectApiError(await service.as(root).get(`${APPLICATIONS}?owner_id=1`), 'UNKNOWN_USER');
    expectApiError(await service.as(root).get('/v1/admin/users/1/applications'), 'UNKNOWN_USER');
    expectInvalid(await service.as(root).get(APPLICATIONS), 'owner_id: INVALID_FORMAT');
    await service.as(root).patch(`${APPLICATIONS}/${second.id}`, { new_owner_id: root.id });
  });

  test('application:list:by_owner opens the two listings and nothing else', async () => {
    const clerk = await administrator(service, 'application:list:by_owner');
    expect((await service.as(clerk).get(`${APPLICATIONS}?owner_id=${owner.id}`)).status).toBe(200);
    expect((await service.as(clerk).get(`/v1/admin/users/${owner.id}/applications`)).status).toBe(200);
    expectApiError(await service.as(clerk).get(`${APPLICATIONS}/${application.id}`), 'MISSING_ACL');
  });

  test('the built-in application is read by its ID and appears in no list', async () => {
    const builtIn = await show(service.app.get(AdminApplication).id);
    expect(builtIn).toMatchObject({
      name: 'Gatehouse Admin',
      owner_user_id: null,
      owner_username: null,
      bot_user_id: null,
      has_bot_token: false,
      has_client_secret: false,
    });
    const refused = () => transfer(builtIn.id, root.id);
    expectApiError(await withoutAudit(service, refused), 'ACCESS_DENIED');
  });
});

describe('admin.md 6 transfer of ownership', () => {
  test('transfers the application; its credentials stay valid, and the former owner loses access', async () => {
    const heir = await person(service, 'heir');
    const events = new Events(service);
    const { status, body } = await transfer(application.id, heir.id);
    expect(status).toBe(200);
    expect(body.application).toMatchObject({ owner_user_id: heir.id, owner_username: 'heir', version: 2 });
    expect(events.of(application)).toEqual(['USER_UPDATE']);
    expect((await service.as(`Bot ${application.bot.token}`).get('/v1/applications/@me')).body.owner.id).toBe(heir.id);
    expectApiError(await service.as(owner).get(`/v1/oauth2/applications/${application.id}`), 'ACCESS_DENIED');
    expect((await service.as(heir).get(`/v1/oauth2/applications/${application.id}`)).status).toBe(200);
    expect((await auditOf(service, 'transfer_ownership')).at(-1)).toMatchObject({
      target_type: 'application',
      target_id: application.id,
      metadata: { old_owner_id: owner.id, new_owner_id: heir.id },
    });
    const again = await transfer(application.id, heir.id);
    expect([again.status, again.body.application.version]).toEqual([200, 2]);
  });

  test('errors have an order: unknown application, unknown account, an account that cannot own', async () => {
    const before = await show(application.id);
    const gone = await person(service, 'gone');
    expectApiError(await withoutAudit(service, () => transfer('1', '1')), 'UNKNOWN_APPLICATION');
    expectApiError(await withoutAudit(service, () => transfer(application.id, '1')), 'UNKNOWN_USER');
    const bot = () => transfer(application.id, application.id);
    expectApiError(await withoutAudit(service, bot), 'ACCESS_DENIED');
    for (const state of [...[34n, 35n, 36n, 38n].map((bit) => `flags = ${1n << bit}`), 'banned = true']) {
      await service.sql('UPDATE account SET flags = 0, banned = false WHERE id = $1', [gone.id]);
      await service.sql(`UPDATE account SET ${state} WHERE id = $1`, [gone.id]);
      expectApiError(await withoutAudit(service, () => transfer(application.id, gone.id)), 'ACCESS_DENIED');
    }
    for (const value of ['x', undefined, null]) {
      const code = value === 'x' ? 'INVALID_SNOWFLAKE_FORMAT' : 'INVALID_FORMAT';
      expectInvalid(await transfer(application.id, value), `new_owner_id: ${code}`);
    }
    expect(await show(application.id)).toEqual(before);
  });

  test('stops at 25 applications, also for parallel transfers', async () => {
    const [rich, heir] = [await person(service, 'rich'), await person(service, 'heir')];
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push((await create(rich)).id);
    await service.sql(
      `INSERT INTO application (id, owner_id, name, client_type)
       SELECT n, $1, 'x', 'public' FROM generate_series(1000, 1021) n`,
      [heir.id],
    );
    const responses = await Promise.all(ids.map((id) => transfer(id, heir.id)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectApiError(response, 'MAX_APPLICATIONS');
  });
});
