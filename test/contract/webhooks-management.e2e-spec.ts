import { runCleanup } from '../support/cleanup.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  createCredentialSet,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  newApp,
  newWebhook,
  type Persona,
  person,
  withGatehouse,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
let mallory: Persona;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  mallory = await person(service, 'mallory');
});
afterAll(() => service.close());

const UNKNOWN = '1500000000000000000';
const rowsOf = (id: string) =>
  service.sql('SELECT name, encode(digest, $2) AS digest FROM webhook WHERE id = $1', [id, 'hex']);

describe('webhooks.md sections 1 and 2, creation', () => {
  test('returns the webhook with its token and URL, which nothing else ever shows', async () => {
    const { status, body, headers } = await service.as(alice).post('/v1/users/@me/webhooks', { name: '  My hook  ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      application_id: null,
      name: 'My hook',
      avatar: null,
      user: { id: alice.id, username: 'alice', discriminator: expect.any(String), ...faces },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      token: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      url: `http://localhost:8080/v1/webhooks/${body.id}/${body.token}`,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    const { token, url, ...shown } = body;
    expect((await service.as(alice).get(`/v1/webhooks/${body.id}`)).body).toEqual(shown);
    expect((await service.as(alice).get('/v1/users/@me/webhooks')).body).toContainEqual(shown);
    expect(JSON.stringify(await service.sql('SELECT * FROM webhook'))).not.toContain(token);
  });
  const faces = { global_name: null, avatar: null, avatar_color: expect.any(Number), flags: 0 };

  test.each<[unknown, string]>([
    [undefined, 'name: INVALID_FORMAT'],
    [null, 'name: INVALID_FORMAT'],
    [5, 'name: INVALID_FORMAT'],
    ['', 'name: WEBHOOK_NAME_LENGTH_INVALID'],
    ['   ', 'name: WEBHOOK_NAME_LENGTH_INVALID'],
    ['x'.repeat(81), 'name: WEBHOOK_NAME_LENGTH_INVALID'],
    ['a\u0007b', 'name: WEBHOOK_NAME_LENGTH_INVALID'],
  ])('the name %j is rejected', async (name, fault) => {
    const before = await service.sql('SELECT count(*) FROM webhook');
    expectInvalid(await service.as(alice).post('/v1/users/@me/webhooks', { name }), fault);
    expect(await service.sql('SELECT count(*) FROM webhook')).toEqual(before);
  });

  test('80 code points are a valid name, at any size in bytes', async () => {
    const name = '𝒳'.repeat(80);
    expect((await newWebhook(service, alice, { name })).name).toBe(name);
  });

  test('a session may name an application that its account owns', async () => {
    const own = await createCredentialSet(service);
    const other = await createCredentialSet(service);
    const create = (application_id: unknown) =>
      service.as(own.session).post('/v1/users/@me/webhooks', { name: 'x', application_id });
    expect((await create(own.applicationId)).body.application_id).toBe(own.applicationId);
    expectApiError(await create(UNKNOWN), 'UNKNOWN_APPLICATION');
    expectApiError(await create(other.applicationId), 'ACCESS_DENIED');
    expectInvalid(await create('x'), 'application_id: INVALID_SNOWFLAKE_FORMAT');
    expectInvalid(await create(null), 'application_id: INVALID_FORMAT');
    const [row] = await service.sql('SELECT id FROM application WHERE owner_id IS NULL');
    if (row) expectApiError(await create(row.id), 'UNKNOWN_APPLICATION');
  });

  test('a bot uses its own application, named or not, and manages only its own webhooks', async () => {
    const { bot, applicationId, session } = await createCredentialSet(service);
    const other = await createCredentialSet(service);
    const create = (body: object) => service.as(bot).post('/v1/users/@me/webhooks', { name: 'x', ...body });
    const { body } = await create({});
    expect(body).toMatchObject({ application_id: applicationId, user: { id: applicationId, bot: true } });
    expect((await create({ application_id: applicationId })).status).toBe(200);
    expectApiError(await create({ application_id: other.applicationId }), 'ACCESS_DENIED');
    expectApiError(await create({ application_id: UNKNOWN }), 'UNKNOWN_APPLICATION');
    expectApiError(await service.as(session).get(`/v1/webhooks/${body.id}`), 'ACCESS_DENIED');
    expect((await service.as(session).get('/v1/users/@me/webhooks')).body).toEqual([]);
    expect((await service.as(bot).get('/v1/users/@me/webhooks')).body).toHaveLength(2);
  });

  test('of 60 parallel creations, exactly 50 succeed', async () => {
    const greedy = await person(service, 'greedy');
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => service.as(greedy).post('/v1/users/@me/webhooks', { name: 'x' })),
    );
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(10);
    for (const response of refused) expectApiError(response, 'MAX_WEBHOOKS');
    expect((await service.as(greedy).get('/v1/users/@me/webhooks')).body).toHaveLength(50);
    const [first] = (await service.as(greedy).get('/v1/users/@me/webhooks')).body;
    await service.as(greedy).delete(`/v1/webhooks/${first.id}`);
    expect((await service.as(greedy).post('/v1/users/@me/webhooks', { name: 'x' })).status).toBe(200);
  });
});

describe('webhooks.md section 2, accepted credentials', () => {
  test.each<[string, string]>([
    ['GET', '/v1/users/@me/webhooks'],
    ['POST', '/v1/users/@me/webhooks'],
    ['GET', `/v1/webhooks/${UNKNOWN}`],
    ['PATCH', `/v1/webhooks/${UNKNOWN}`],
    ['DELETE', `/v1/webhooks/${UNKNOWN}`],
    ['POST', `/v1/webhooks/${UNKNOWN}/token/rotate`],
    ['GET', `/v1/webhooks/${UNKNOWN}/messages`],
  ])('%s %s: no credential 401, an access token 403, a suspicious account 403', async (method, path) => {
    const { bearer } = await createCredentialSet(service, { scopes: ['identify'] });
    expectApiError(await service.anonymous.send(method, path), 'UNAUTHORIZED');
    expectApiError(await service.as(bearer).send(method, path), 'ACCESS_DENIED');
    const suspicious = await createCredentialSet(service, { suspicious: 1 });
    expectApiError(await service.as(suspicious.session).send(method, path), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
  });

  test.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/token/rotate'],
    ['GET', '/messages'],
  ])(
    '%s {id}%s: malformed ID, unknown webhook, webhook of another account, and nothing is changed',
    async (method, rest) => {
      const { id } = await newWebhook(service, alice);
      const before = await rowsOf(id);
      const body = method === 'GET' ? undefined : { name: 'stolen', password: mallory.password };
      const call = (target: string) => service.as(mallory).send(method, `/v1/webhooks/${target}${rest}`, body);
      expectInvalid(await call('01'), 'id: INVALID_SNOWFLAKE_FORMAT');
      expectInvalid(await call('9223372036854775808'), 'id: SNOWFLAKE_OUT_OF_RANGE');
      expectApiError(await call(UNKNOWN), 'UNKNOWN_WEBHOOK');
      expectApiError(await call(id), 'ACCESS_DENIED');
      expect(await rowsOf(id)).toEqual(before);
    },
  );
});

describe('webhooks.md section 2, changes', () => {
  test('PATCH changes the sent members and strips unknown ones', async () => {
    const { id } = await newWebhook(service, alice);
    const { status, body } = await service.as(alice).patch(`/v1/webhooks/${id}`, { name: ' new ', unknown: 1 });
    expect({ status, body }).toMatchObject({ status: 200, body: { id, name: 'new' } });
    expect(body).not.toHaveProperty('token');
    expect((await service.as(alice).patch(`/v1/webhooks/${id}`, {})).body.name).toBe('new');
    expectInvalid(
      await service.as(alice).patch(`/v1/webhooks/${id}`, { name: '' }),
      'name: WEBHOOK_NAME_LENGTH_INVALID',
    );
  });

  test('rotation needs sudo, revokes the old token immediately and returns the new one', async () => {
    const hook = await newWebhook(service, alice);
    expectApiError(await service.as(alice).post(`/v1/webhooks/${hook.id}/token/rotate`, {}), 'SUDO_MODE_REQUIRED');
    expect((await service.anonymous.get(hook.path)).status).toBe(200);
    const response = await service.as(alice).post(`/v1/webhooks/${hook.id}/token/rotate`, { password: alice.password });
    expect(response.status).toBe(200);
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(response.body.token).not.toBe(hook.token);
    expect(response.body.url).toBe(`http://localhost:8080/v1/webhooks/${hook.id}/${response.body.token}`);
    expectApiError(await service.anonymous.get(hook.path), 'UNKNOWN_WEBHOOK');
    expect((await service.anonymous.get(new URL(response.body.url).pathname)).status).toBe(200);
  });

  test('a bot rotates without a proof', async () => {
    const { bot } = await createCredentialSet(service);
    const { id } = await newWebhook(service, bot);
    expect((await service.as(bot).post(`/v1/webhooks/${id}/token/rotate`)).status).toBe(200);
  });

  test('of 32 parallel deletions, exactly one succeeds, and the messages are deleted with the webhook', async () => {
    const hook = await newWebhook(service, alice);
    await service.anonymous.post(hook.path, { content: 'hello' });
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => service.as(alice).delete(`/v1/webhooks/${hook.id}`)),
    );
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204))
      expectApiError(response, 'UNKNOWN_WEBHOOK');
    expect(await service.sql('SELECT 1 FROM webhook_message WHERE webhook_id = $1', [hook.id])).toEqual([]);
    expectApiError(await service.anonymous.post(hook.path, { content: 'x' }), 'UNKNOWN_WEBHOOK');
  });

  test('each change is sent only to the gateway sessions of the owner', async () => {
    const bob = await person(service, 'bob');
    const { client } = await GatewayClient.identify(service, bob.authorization);
    const { client: stranger } = await GatewayClient.identify(service, mallory.authorization);
    const hook = await newWebhook(service, bob);
    await service.as(bob).patch(`/v1/webhooks/${hook.id}`, { name: 'b' });
    await service.anonymous.patch(hook.path, { name: 'c' });
    await service.as(bob).post(`/v1/webhooks/${hook.id}/token/rotate`, { password: bob.password });
    await service.as(bob).delete(`/v1/webhooks/${hook.id}`);
    for (const action of ['create', 'update', 'update', 'rotate', 'delete']) {
      expect((await client.event('WEBHOOKS_UPDATE')).d).toEqual({ webhook_id: hook.id, action });
    }
    expect(stranger.received.filter(({ t }) => t === 'WEBHOOKS_UPDATE')).toEqual([]);
    for (const { socket } of [client, stranger]) socket.terminate();
  });
});

describe('webhooks.md section 2, messages', () => {
  test('newest first, paged by exclusive cursors', async () => {
    const hook = await newWebhook(service, alice);
    for (let n = 1; n <= 5; n++) await service.anonymous.post(hook.path, { content: String(n) });
    const list = async (query = '') => {
      const { status, body } = await service.as(alice).get(`/v1/webhooks/${hook.id}/messages${query}`);
      expect(status).toBe(200);
      return body as { id: string; content: string }[];
    };
    const contents = async (query?: string) => (await list(query)).map(({ content }) => content);
    const [five, four, three, two] = await list();
    expect(await contents()).toEqual(['5', '4', '3', '2', '1']);
    expect(await contents('?limit=2')).toEqual(['5', '4']);
    expect(await contents(`?before=${three?.id}`)).toEqual(['2', '1']);
    expect(await contents(`?after=${two?.id}&limit=2`)).toEqual(['4', '3']);
    expect(await contents(`?after=${five?.id}`)).toEqual([]);
    expect(await contents('?before=1&x=2')).toEqual([]);
    expect(four).toBeDefined();
  });

  test.each([
    ['limit=0', 'limit: INVALID_FORMAT'],
    ['limit=101', 'limit: INVALID_FORMAT'],
    ['limit=x', 'limit: INVALID_FORMAT'],
    ['limit=5&limit=5', 'limit: INVALID_FORMAT'],
    ['before=x', 'before: INVALID_SNOWFLAKE_FORMAT'],
    ['before=1&after=1', 'after: INVALID_FORMAT'],
  ])('%s is rejected', async (query, fault) => {
    const { id } = await newWebhook(service, mallory);
    expectInvalid(await service.as(mallory).get(`/v1/webhooks/${id}/messages?${query}`), fault);
  });
});

describe('webhooks.md section 8, retention and deletion', () => {
  test('expired messages are not found immediately; their rows and nonces are deleted by the next sweep', async () => {
    const hook = await newWebhook(service, alice);
    const { body } = await service.anonymous.post(`${hook.path}?wait=1`, { content: 'x', nonce: 'n' });
    await service.sql("UPDATE webhook_message SET expires_at = expires_at - interval '30 days' WHERE id = $1", [
      body.id,
    ]);
    expectApiError(await service.anonymous.get(`${hook.path}/messages/${body.id}`), 'UNKNOWN_MESSAGE');
    expectApiError(
      await service.anonymous.patch(`${hook.path}/messages/${body.id}`, { content: 'y' }),
      'UNKNOWN_MESSAGE',
    );
    expectApiError(await service.anonymous.delete(`${hook.path}/messages/${body.id}`), 'UNKNOWN_MESSAGE');
    expect((await service.as(alice).get(`/v1/webhooks/${hook.id}/messages`)).body).toEqual([]);
    await service.sql("UPDATE webhook_repeat SET expires_at = now() - interval '1 second'");
    await runCleanup(service);
    expect(await service.sql('SELECT 1 FROM webhook_message WHERE id = $1', [body.id])).toEqual([]);
    expect(await service.sql('SELECT 1 FROM webhook_repeat WHERE webhook_id = $1', [hook.id])).toEqual([]);
  });

  test('WEBHOOK_MESSAGE_RETENTION_DAYS and WEBHOOK_MAX_PER_ACCOUNT are applied', async () => {
    await withGatehouse(
      { env: { WEBHOOK_MESSAGE_RETENTION_DAYS: '2', WEBHOOK_MAX_PER_ACCOUNT: '1' } },
      async (other) => {
        const bob = await person(other, 'bob');
        const hook = await newWebhook(other, bob);
        expectApiError(await other.as(bob).post('/v1/users/@me/webhooks', { name: 'x' }), 'MAX_WEBHOOKS');
        await other.anonymous.post(hook.path, { content: 'x' });
        const [row] = await other.sql(
          'SELECT extract(epoch FROM expires_at - created_at)::float AS life FROM webhook_message',
        );
        expect(Math.round(row?.life / 3600)).toBe(48);
      },
    );
  });

  test('webhooks of a deleted application, of its bot and of a deleted owner are deleted with them', async () => {
    const bob = await person(service, 'bob');
    const app = await newApp(service, bob);
    const naming = await newWebhook(service, bob, { name: 'x', application_id: app.id });
    const ofBot = await newWebhook(service, app.bot);
    const plain = await newWebhook(service, bob);
    const deleted = await service.as(bob).delete(`/v1/oauth2/applications/${app.id}`, { password: bob.password });
    expect(deleted.status).toBe(204);
    for (const hook of [naming, ofBot]) expectApiError(await service.anonymous.get(hook.path), 'UNKNOWN_WEBHOOK');
    expectApiError(await service.as(bob).get(`/v1/webhooks/${naming.id}`), 'UNKNOWN_WEBHOOK');
    expect((await service.as(bob).get('/v1/users/@me/webhooks')).body).toHaveLength(1);
    expect((await service.anonymous.get(plain.path)).status).toBe(200);
    await service.sql("UPDATE account SET deletion_at = now() - interval '1 second' WHERE id = $1", [bob.id]);
    expectApiError(await service.anonymous.get(plain.path), 'UNKNOWN_WEBHOOK');
    await runCleanup(service);
    const left = await service.sql('SELECT 1 FROM webhook WHERE id = ANY($1)', [[naming.id, ofBot.id, plain.id]]);
    expect(left).toEqual([]);
  });
});
