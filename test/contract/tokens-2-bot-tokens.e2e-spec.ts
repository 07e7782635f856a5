import { describeWithRedis, redisDatabase } from '../machine/redis.js';
import {
  expectApiError,
  expectInvalid,
  type Gatehouse,
  GatewayClient,
  gatehouse,
  newApp,
  type Persona,
  person,
  race,
  runJobs,
  sudoProof,
  type TestResponse,
  verifiedPerson,
  withTotp,
} from '../support/index.js';

const UNKNOWN = '1501314428688998182';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

type App = Awaited<ReturnType<typeof newApp>>;
const pathOf = ({ id }: { id: string }, token = '') =>
  `/v1/oauth2/applications/${id}/bot/tokens${token && `/${token}`}`;
const proof = ({ password }: Persona) => ({ password });
const create = async (owner: Persona, app: App, name?: string) =>
  (
    await service
      .as(owner)
      .post(pathOf(app), { name, ...proof(owner) })
      .expect(201)
  ).body;
const list = async (owner: Persona, app: App) => (await service.as(owner).get(pathOf(app)).expect(200)).body.tokens;
const statusOf = async (token: string) =>
  (await service.as(token.startsWith('Bot ') ? token : `Bot ${token}`).get('/v1/users/@me')).status;
const bare = (token: string) => token.replace('Bot ', '');
const rename = async (owner: Persona, app: App, name: string) =>
  service.as(owner).patch(`/v1/oauth2/applications/${app.id}/bot`, { bio: name }).expect(200);

async function ownerWithApp() {
  const owner = await verifiedPerson(service, 'owner');
  return { owner, app: await newApp(service, owner) };
}

describe('tokens.md 2: several bot tokens', () => {
  test('the first token is the default one; further ones are shown once and work alike', async () => {
    const { owner, app } = await ownerWithApp();
    const [first, ...more] = await list(owner, app);
    expect(more).toEqual([]);
    expect(first).toEqual({
      ...{ id: expect.stringMatching(/^\d+$/), name: 'default', preview: bare(app.bot).split('.')[1]?.slice(0, 8) },
      ...{ created_at: expect.any(String), last_used_at: null },
    });
    const { token, ...second } = await create(owner, app, ' Blue deployment ');
    expect(token).toMatch(new RegExp(`^${app.id}\\.[A-Za-z0-9_-]{43}$`));
    expect(second).toMatchObject({ name: 'Blue deployment', preview: token.split('.')[1].slice(0, 8) });
    expect(await list(owner, app)).toEqual([first, second]);
    expect([await statusOf(app.bot), await statusOf(token)]).toEqual([200, 200]);
    expect((await create(owner, app)).name).toBe('default');
  });

  test('a fourth one and the deletion of the last one are rejected', async () => {
    const { owner, app } = await ownerWithApp();
    await create(owner, app);
    await create(owner, app);
    const tokens = await list(owner, app);
    expectApiError(await service.as(owner).post(pathOf(app), proof(owner)), 'TOKEN_LIMIT_REACHED');
    expect(await list(owner, app)).toEqual(tokens);
    for (const { id } of tokens.slice(0, 2)) {
      await service.as(owner).delete(pathOf(app, id), proof(owner)).expect(204);
    }
    expectApiError(await service.as(owner).delete(pathOf(app, tokens[2].id), proof(owner)), 'LAST_BOT_TOKEN');
    expect(await list(owner, app)).toEqual([tokens[2]]);
    expect(await statusOf(app.bot)).toBe(401);
  });

  test('of 32 creations two succeed, and of 32 deletions of three tokens one token stays', async () => {
    const { owner, app } = await ownerWithApp();
    const { authenticator } = await withTotp(service, owner);
    const me = service.as(owner).sudo(await sudoProof(service, owner, authenticator));
    const created = await race(32, () => me.post(pathOf(app)));
    expect([created.statuses, created.codes]).toEqual([{ 201: 2, 400: 30 }, { TOKEN_LIMIT_REACHED: 30 }]);
    const tokens = await list(owner, app);
    const deleted = await race(32, (index) => me.delete(pathOf(app, tokens[index % 3].id)));
    expect(deleted.of(204)).toHaveLength(2);
    const left = await list(owner, app);
    expect(left).toHaveLength(1);
    const secrets = [app.bot, ...created.of(201).map(({ body }: TestResponse) => body.token)];
    const statuses = await Promise.all(secrets.map(statusOf));
    expect(statuses.sort()).toEqual([200, 401, 401]);
  });

  test('are for the owner in sudo mode only', async () => {
    const { owner, app } = await ownerWithApp();
    const bob = await person(service, 'bob');
    const [{ id }] = await list(owner, app);
    const refusals: readonly [TestResponse, string][] = [
      [await service.as(bob).get(pathOf(app)), 'ACCESS_DENIED'],
      [await service.as(bob).post(pathOf(app), proof(bob)), 'ACCESS_DENIED'],
      [await service.as(bob).delete(pathOf(app, id), proof(bob)), 'ACCESS_DENIED'],
      [await service.as(app.bot).get(pathOf(app)), 'ACCESS_DENIED'],
      [await service.as(owner).post(pathOf(app), {}), 'SUDO_MODE_REQUIRED'],
      [await service.as(owner).delete(pathOf(app, id)), 'SUDO_MODE_REQUIRED'],
      [await service.as(owner).delete(pathOf(app, UNKNOWN), proof(owner)), 'UNKNOWN_TOKEN'],
      [await service.as(owner).get(pathOf({ id: UNKNOWN })), 'UNKNOWN_APPLICATION'],
    ];
    for (const [response, code] of refusals) expectApiError(response, code);
    const long = { ...proof(owner), name: 'x'.repeat(101) };
    expectInvalid(await service.as(owner).post(pathOf(app), long), 'name: CONTENT_EXCEEDS_MAX_LENGTH');
    expect(await list(owner, app)).toHaveLength(1);
  });

  test('the reset replaces all of them by one, and the administrators see the oldest one', async () => {
    const { owner, app } = await ownerWithApp();
    const { token } = await create(owner, app);
    const path = `/v1/oauth2/applications/${app.id}/bot/reset-token`;
    const reset = (await service.as(owner).post(path, proof(owner)).expect(200)).body.token;
    expect(await Promise.all([app.bot, token, reset].map(statusOf))).toEqual([401, 401, 200]);
    const [only, ...more] = await list(owner, app);
    expect([only.name, only.preview, more]).toEqual(['default', reset.split('.')[1].slice(0, 8), []]);
    const next = await create(owner, app, 'next');
    await service.as(owner).delete(pathOf(app, only.id), proof(owner)).expect(204);
    const [row] = await service.sql('SELECT bot_preview FROM application WHERE id = $1', [app.id]);
    expect(row?.bot_preview).toBe(next.preview);
    expect(await statusOf(next.token)).toBe(200);
  });

  test('a previous version that writes the column of the application replaces all of them', async () => {
    const { owner, app } = await ownerWithApp();
    const { token } = await create(owner, app);
    await service.sql("UPDATE application SET bot_digest = '\\x01', bot_preview = 'previous' WHERE id = $1", [app.id]);
    expect([await statusOf(app.bot), await statusOf(token)]).toEqual([401, 401]);
    expect(await list(owner, app)).toMatchObject([{ name: 'default', preview: 'previous' }]);
  });

  test('each has security events of its owner', async () => {
    const { owner, app } = await ownerWithApp();
    const { id } = await create(owner, app, 'Green');
    await service.as(owner).delete(pathOf(app, id), proof(owner)).expect(204);
    const rows = await service.sql(
      "SELECT type, data FROM security_event WHERE account_id = $1 AND type LIKE 'bot_token%' ORDER BY id",
      [owner.id],
    );
    const data = { application_id: app.id, name: 'Client', by: 'owner', token_id: id, token_name: 'Green' };
    expect(rows).toEqual([
      { type: 'bot_token_created', data: { ...data, reason: 'created' } },
      { type: 'bot_token_deleted', data: { ...data, reason: 'deleted' } },
    ]);
  });
});

/** Asserts that the deletion of a bot token ends its gateway sessions, connected or not, and no others. */
async function expectSessionsToEnd(): Promise<void> {
  const { owner, app } = await ownerWithApp();
  const { id, token } = await create(owner, app);
  const { client: leaving } = await GatewayClient.identify(service, token);
  const { client: resting, ready } = await GatewayClient.identify(service, token);
  await resting.terminate();
  const { client: staying } = await GatewayClient.identify(service, bare(app.bot));
  await rename(owner, app, 'before');
  await service.as(owner).delete(pathOf(app, id), proof(owner)).expect(204);
  await rename(owner, app, 'after');
  expect((await leaving.closed())[0]).toBe(4004);
  expect((await staying.event('USER_UPDATE')).d.bio).toBe('before');
  expect((await staying.event('USER_UPDATE')).d.bio).toBe('after');
  const again = await GatewayClient.connect(service);
  again.resume(token, ready.session_id, 1);
  expect((await again.closed())[0]).toBe(4004);
  expect(await statusOf(app.bot)).toBe(200);
  staying.socket.terminate();
}

describe('tokens.md 2: gateway sessions', () => {
  test('belong to the token of their Identify: Resume with another one closes with 4004', async () => {
    const { owner, app } = await ownerWithApp();
    const { token } = await create(owner, app);
    const { client, ready } = await GatewayClient.identify(service, bare(app.bot));
    client.socket.terminate();
    const other = await GatewayClient.connect(service);
    other.resume(token, ready.session_id, 1);
    expect((await other.closed())[0]).toBe(4004);
    const same = await GatewayClient.connect(service);
    same.resume(bare(app.bot), ready.session_id, 1);
    await same.event('RESUMED');
    same.socket.terminate();
  });

  test('end with the deletion of their token, connected or not; those of other tokens lose no event', () =>
    expectSessionsToEnd());
});

describeWithRedis('tokens.md 2: gateway sessions that are stored in Redis', () => {
  let withoutRedis: Gatehouse;
  beforeAll(async () => {
    withoutRedis = service;
    service = await gatehouse({ env: { REDIS_URL: redisDatabase(4) } });
  });
  afterAll(async () => {
    await service.close();
    service = withoutRedis;
  });

  test('they end in the same way', () => expectSessionsToEnd());
});

describe('tokens.md 2: a leaked bot token', () => {
  test('is deleted, or replaced if it is the last one', async () => {
    const { owner, app } = await ownerWithApp();
    const { token } = await create(owner, app, 'Leaked');
    const report = async (credential: string) => {
      await service.anonymous.post('/v1/credentials/revoke', { credentials: [credential] }).expect(202);
      await runJobs(service);
    };
    await report(token);
    expect([await statusOf(token), await statusOf(app.bot)]).toEqual([401, 200]);
    const tokens = await list(owner, app);
    expect(tokens).toHaveLength(1);
    await report(app.bot);
    expect(await statusOf(app.bot)).toBe(401);
    const [replaced, ...more] = await list(owner, app);
    expect([more, replaced.preview === tokens[0].preview]).toEqual([[], false]);
  });
});
