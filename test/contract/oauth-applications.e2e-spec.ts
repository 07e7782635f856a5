import sharp from 'sharp';
import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import { administrator, adminKey } from '../support/admin.js';
import {
  type App,
  asApp,
  CALLBACK,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  isTokenActive,
  newApp,
  newCode,
  newTokens,
  newWebhook,
  noticesOf,
  type Persona,
  person,
  refresh,
  sendRaw,
  sudoProof,
  withTotp,
} from '../support/index.js';

const APPLICATIONS = '/v1/oauth2/applications';
const UNKNOWN = '1500000000000000000';

let service: Gatehouse;
let alice: Persona;
let mallory: Persona;
let app: App;
let builtIn: string;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
  mallory = await person(service, 'mallory');
  app = await newApp(service, alice);
  builtIn = service.app.get(AdminApplication).id;
});
afterAll(() => service.close());

const create = (input: unknown, holder = alice) => service.as(holder).post(APPLICATIONS, input);
const show = async ({ id }: { id: string }) => (await service.as(alice).get(`${APPLICATIONS}/${id}`)).body;
const edit = (input: unknown, target = app) => service.as(alice).patch(`${APPLICATIONS}/${target.id}`, input);
const editBot = (input: unknown, target = app) => service.as(alice).patch(`${APPLICATIONS}/${target.id}/bot`, input);
const countOf = async (id: string) =>
  (await service.sql('SELECT count(*)::int AS n FROM application WHERE owner_id = $1', [id]))[0]?.n;
const versionOf = async ({ id }: App) =>
  (await service.sql('SELECT version FROM application WHERE id = $1', [id]))[0]?.version;

const bot = (id: string, username: string) => ({
  id,
  username,
  discriminator: expect.stringMatching(/^\d{4}$/),
  avatar: null,
  banner: null,
  bio: null,
  flags: 0,
});
/** Members of OpenID Connect of an application that has set none of them. */
const openId = {
  ...{ id_token_signed_response_alg: 'RS256', post_logout_redirect_uris: [], backchannel_logout_uri: null },
  backchannel_logout_session_required: false,
  is_trusted: false,
  trusted_scopes: [],
};
const ownBot = (id: string, username: string) => ({
  ...bot(id, username),
  mfa_enabled: false,
  authenticator_types: [],
});

describe('6.3 POST /v1/oauth2/applications', () => {
  test('returns a confidential application with its secret and bot token, which nothing shows again', async () => {
    const { status, body, headers } = await create({ name: '  My  App ', redirect_uris: [CALLBACK, CALLBACK] });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^\d+$/),
        name: 'My  App',
        client_type: 'confidential',
        redirect_uris: [CALLBACK],
        bot_public: true,
        bot_require_code_grant: false,
        ...openId,
        client_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        bot: { ...ownBot(body.id, 'My_App'), token: expect.stringMatching(`^${body.id}\\.[A-Za-z0-9_-]{43}$`) },
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    const { client_secret, bot: made, ...rest } = body;
    const shown = { ...rest, bot: ownBot(body.id, 'My_App') };
    const { body: listed } = await service.as(alice).get('/v1/users/@me/applications');
    expect(listed).toContainEqual(shown);
    expect(await show(body)).toEqual(shown);
    const elsewhere = [
      ...[listed, await show(body), (await edit({}, body)).body],
      (await service.anonymous.get(`${APPLICATIONS}/${body.id}/public`)).body,
      (await service.as(`Bot ${made.token}`).get('/v1/applications/@me')).body,
      await service.sql('SELECT t::text FROM application t'),
    ];
    for (const secret of [client_secret, made.token.split('.')[1]]) {
      expect(JSON.stringify(elsewhere)).not.toContain(secret);
    }
  });

  test('a public application has no secret', async () => {
    const { body } = await create({ name: 'Public', client_type: 'public', bot_public: false, redirect_uris: null });
    expect(body).toEqual({
      ...{ id: body.id, name: 'Public', client_type: 'public', redirect_uris: [], bot_public: false },
      ...{ bot_require_code_grant: false, ...openId },
      ...{ bot: { ...ownBot(body.id, 'Public'), token: expect.any(String) } },
    });
  });

  test('the bot has the authenticators of its owner', async () => {
    const owner = await person(service, 'owner');
    await withTotp(service, owner);
    const { body } = await create({ name: 'Careful' }, owner);
    expect(body.bot).toMatchObject({ mfa_enabled: true, authenticator_types: [0] });
  });

  test('the bot has the name of the application if possible, otherwise a random one', async () => {
    expect((await create({ name: 'Ünïcode böt!' })).body.bot.username).toBe('Unicode_bot');
    for (const name of ['日本', 'everyone', '!!!']) {
      expect((await create({ name })).body.bot.username).toMatch(/^bot_\d{8}$/);
    }
    await service.sql(
      `INSERT INTO account (id, bot, username, discriminator, created_at)
       SELECT 100000 + n, true, 'crowded', n, now() FROM generate_series(1, 9999) n`,
    );
    expect((await create({ name: 'Crowded' })).body.bot.username).toMatch(/^bot_\d{8}$/);
  });

  test('without any available name: 500, and nothing is created', async () => {
    const before = await countOf(alice.id);
    await service.sql(`CREATE FUNCTION full_house() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'taken' USING ERRCODE = 'unique_violation', CONSTRAINT = 'account_tag'; END $$`);
    await service.sql(
      'CREATE TRIGGER full_house BEFORE INSERT ON account FOR EACH ROW WHEN (NEW.bot) EXECUTE FUNCTION full_house()',
    );
    expectApiError(await create({ name: 'Homeless' }), 'BOT_USER_GENERATION_FAILED');
    await service.sql('DROP TRIGGER full_house ON account');
    expect(await countOf(alice.id)).toBe(before);
  });

  test('bounds of every member', async () => {
    const before = await countOf(alice.id);
    const faults: [object, string][] = [
      [{ name: undefined }, 'name: INVALID_FORMAT'],
      [{ name: '   ' }, 'name: INVALID_FORMAT'],
      [{ name: 5 }, 'name: INVALID_FORMAT'],
      [{ name: 'x'.repeat(101) }, 'name: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ client_type: 'native' }, 'client_type: INVALID_FORMAT'],
      [{ client_type: null }, 'client_type: INVALID_FORMAT'],
      [{ bot_public: 'yes' }, 'bot_public: INVALID_FORMAT'],
      [{ bot_require_code_grant: null }, 'bot_require_code_grant: INVALID_FORMAT'],
      [{ redirect_uris: CALLBACK }, 'redirect_uris: INVALID_FORMAT'],
      [{ redirect_uris: Array(11).fill(CALLBACK) }, 'redirect_uris: INVALID_FORMAT'],
      [{ redirect_uris: [CALLBACK, 5] }, 'redirect_uris.1: INVALID_FORMAT'],
    ];
    for (const [input, fault] of faults) expectInvalid(await create({ name: 'x', ...input }), fault);
    expect(await countOf(alice.id)).toBe(before);
    expect((await create({ name: '😀'.repeat(100) })).status).toBe(200);
  });

  test.each([
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://a.example/x',
      'ftp://a.example/',
    ],
    ...[
      'http://a.example/cb',
      '/cb',
      '//a.example/cb',
      'https:///cb',
      'https://',
      'a.example/cb',
      '',
      'app://callback',
    ],
    ...['https://a.example/#f', 'https://u@a.example/', 'https://u:p@a.example/', 'https://*.a.example/'],
    ...['https://a.example/*', 'https://a.example\\@b.example/', 'https://a.example/ x', 'https://a.example/\n'],
    ...[
      'https://a.example/?code=1',
      'https://a.example/?a=b&state',
      'https://a.example/?iss=',
      'https://a.example/?error=',
    ],
    ...[
      'https://a.example/?error_description=x',
      'https://a.example/?%63ode=1',
      'https://a.example/%0d%0aX:',
      'https://a.example/%09',
    ],
    ...['https://a.example/%5C', 'https://a.example/%zz'],
    ...['https://a.example/\u0000', 'https://bücher.example/', 'http://localhost.evil.example/', 'http://2130706433/'],
    ...['http://127.1/', 'http://0x7f.0.0.1/', 'http://[::ffff:127.0.0.1]/', `https://a.example/${'x'.repeat(240)}`],
  ])('OAU-07 OAU-09 %j cannot be registered, at creation or later', async (uri) => {
    const fault = 'redirect_uris.1: INVALID_URL_FORMAT';
    expectInvalid(await create({ name: 'x', redirect_uris: [CALLBACK, uri] }), fault);
    expectInvalid(await edit({ redirect_uris: [CALLBACK, uri] }), fault);
    expect((await show(app)).redirect_uris).toEqual([CALLBACK]);
  });

  test.each([
    ...['Gatehouse', 'gatehouse login', 'The GATEHOUSE team', 'G a t e h o u s e', 'Gаtehouse', 'Ｇａｔｅｈｏｕｓｅ'],
    ...['System Message', 'system-message bot'],
  ])('%s looks like the service itself: no application can have that name, at creation or later', async (name) => {
    const fault = 'name: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS';
    const before = await show(app);
    expectInvalid(await create({ name }), fault);
    expectInvalid(await edit({ name }), fault);
    expect(await show(app)).toEqual(before);
  });

  test('loopback redirect URIs may omit TLS', async () => {
    const uris = ['http://localhost:3000/cb', 'http://app.localhost/', 'http://127.0.0.1/cb', 'http://127.9.8.7/'];
    const all = [...uris, 'http://[::1]:8080/cb', `https://a.example/${'x'.repeat(238)}`];
    expect((await create({ name: 'Native', redirect_uris: all })).body.redirect_uris).toEqual(all);
  });

  test('members that name another owner, a secret or a token are ignored', async () => {
    const { body } = await create({
      ...{ name: 'Mine', owner_id: mallory.id, id: '5', client_secret: 'mine', bot: { token: '5.x' }, version: 9 },
    });
    expect(body.id).not.toBe('5');
    expect(body.client_secret).not.toBe('mine');
    expect((await service.as(alice).get(`${APPLICATIONS}/${body.id}`)).status).toBe(200);
  });

  test('an account without any way to sign in cannot create one', async () => {
    const guest = await person(service, 'guest');
    await service.sql('UPDATE account SET password_hash = NULL WHERE id = $1', [guest.id]);
    expectApiError(await create({ name: 'x' }, guest), 'UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS');
    expect(await countOf(guest.id)).toBe(0);
    await service.sql(`UPDATE account SET traits = '{sso}' WHERE id = $1`, [guest.id]);
    expect((await create({ name: 'x' }, guest)).status).toBe(200);
  });

  test.each(['1::bigint << 34', '1::bigint << 36', '1::bigint << 38'])(
    'a deleted or disabled account (flags %s) with an existing session cannot create one',
    async (flags) => {
      const bob = await person(service, 'bob');
      await service.sql(`UPDATE account SET flags = ${flags} WHERE id = $1`, [bob.id]);
      expectApiError(await create({ name: 'x' }, bob), 'ACCESS_DENIED');
      expect(await countOf(bob.id)).toBe(0);
    },
  );

  test('25 per owner, also for parallel requests; deleting one allows another', async () => {
    const busy = await person(service, 'busy');
    const responses = await Promise.all(Array.from({ length: 30 }, () => create({ name: 'x' }, busy)));
    const made = responses.filter(({ status }) => status === 200);
    expect(made).toHaveLength(25);
    for (const response of responses) if (response.status !== 200) expectApiError(response, 'MAX_APPLICATIONS');
    expect(await countOf(busy.id)).toBe(25);
    const { body: listed } = await service.as(busy).get('/v1/users/@me/applications');
    const ids = listed.map(({ id }: App) => BigInt(id));
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
    await service.as(busy).delete(`${APPLICATIONS}/${made[0]?.body.id}`, { password: busy.password });
    expect((await create({ name: 'x' }, busy)).status).toBe(200);
  });
});

describe('6 owner routes', () => {
  const OWNER_ROUTES = [
    ['get', ''],
    ['patch', ''],
    ['patch', '/bot'],
    ['post', '/bot/reset-token'],
    ['post', '/client-secret/reset'],
    ['delete', ''],
  ] as const;

  test.each(OWNER_ROUTES)(
    '%s {id}%s: an invalid ID, an unknown and the built-in application, another owner',
    async (method, rest) => {
      const me = service.as(mallory);
      const attempt = (id: string) =>
        method === 'get'
          ? me.get(`${APPLICATIONS}/${id}${rest}`)
          : me[method](`${APPLICATIONS}/${id}${rest}`, {
              password: mallory.password,
            });
      expectInvalid(await attempt('x'), 'id: INVALID_SNOWFLAKE_FORMAT');
      expectInvalid(await attempt('9223372036854775808'), 'id: SNOWFLAKE_OUT_OF_RANGE');
      for (const id of [UNKNOWN, builtIn, mallory.id]) expectApiError(await attempt(id), 'UNKNOWN_APPLICATION');
      const before = await service.sql('SELECT t::text FROM application t WHERE id = $1', [app.id]);
      expectApiError(await attempt(app.id), 'ACCESS_DENIED');
      expect(await service.sql('SELECT t::text FROM application t WHERE id = $1', [app.id])).toEqual(before);
    },
  );

  test('OAU-45 neither its bot nor an access token of its owner manages an application', async () => {
    const { access_token } = await newTokens(service, alice, app, 'identify email bot');
    for (const authorization of [app.bot, `Bearer ${access_token}`]) {
      const me = service.as(authorization);
      expectApiError(await me.get(`${APPLICATIONS}/${app.id}`), 'ACCESS_DENIED');
      expectApiError(await me.patch(`${APPLICATIONS}/${app.id}`, { name: 'taken' }), 'ACCESS_DENIED');
      expectApiError(await me.post(`${APPLICATIONS}/${app.id}/bot/reset-token`), 'ACCESS_DENIED');
      expectApiError(await me.delete(`${APPLICATIONS}/${app.id}`), 'ACCESS_DENIED');
      expectApiError(await me.post(APPLICATIONS, { name: 'x' }), 'ACCESS_DENIED');
      expectApiError(await me.get('/v1/users/@me/applications'), 'ACCESS_DENIED');
    }
    expect((await show(app)).name).toBe('Client');
  });

  test('a suspicious account can still manage its applications', async () => {
    const dora = await person(service, 'dora');
    const own = await newApp(service, dora);
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = ANY ($1)', [[dora.id, own.id]]);
    const me = service.as(dora);
    const statuses = [
      await me.get('/v1/users/@me/applications'),
      await me.get('/v1/oauth2/applications/@me'),
      await me.get(`${APPLICATIONS}/${own.id}`),
      await me.patch(`${APPLICATIONS}/${own.id}`, { name: 'Renamed' }),
      await me.patch(`${APPLICATIONS}/${own.id}/bot`, { bio: 'busy' }),
      await service.as(own.bot).get('/v1/applications/@me'),
      await service.as(own.bot).get('/v1/oauth2/applications/@me'),
      await me.post(`${APPLICATIONS}/${own.id}/bot/reset-token`, { password: dora.password }),
      await me.delete(`${APPLICATIONS}/${own.id}`, { password: dora.password }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 204]);
  });
});

describe('6.4 PATCH /v1/oauth2/applications/{id}', () => {
  test('sent members replace, null clears, absent ones are unchanged; type and credentials are unchanged', async () => {
    const own = await newApp(service, alice);
    const tokens = await newTokens(service, alice, own);
    const first = await edit({ name: ' New ', client_type: 'public', bot_public: false }, own);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      ...{ id: own.id, name: 'New', client_type: 'confidential', redirect_uris: [CALLBACK], bot_public: false },
      ...{ bot_require_code_grant: false, ...openId, bot: ownBot(own.id, 'Client') },
    });
    const uris = ['https://b.example/', 'https://a.example/'];
    const second = await edit({ redirect_uris: [...uris, uris[0]], bot_require_code_grant: true }, own);
    expect(second.body).toMatchObject({ name: 'New', redirect_uris: uris, bot_require_code_grant: true });
    expect((await edit({ redirect_uris: null }, own)).body.redirect_uris).toEqual([]);
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    expect((await refresh(service, own, tokens.refresh_token)).status).toBe(200);
    expect((await service.as(own.bot).get('/v1/applications/@me')).status).toBe(200);
  });

  test('an empty change, or one with the present values, changes nothing', async () => {
    const before = await versionOf(app);
    expect((await edit({})).status).toBe(200);
    expect((await edit({ name: 'Client', redirect_uris: [CALLBACK], bot_public: true })).status).toBe(200);
    expect(await versionOf(app)).toBe(before);
    await edit({ bot_public: false });
    expect(await versionOf(app)).toBe(before + 1);
    await edit({ bot_public: true });
  });

  test('a pending code is invalid after its redirect URI is removed', async () => {
    const own = await newApp(service, alice, {
      redirect_uris: [CALLBACK, 'https://b.example/', 'http://127.0.0.1/cb'],
    });
    const gone = await newCode(service, alice, own);
    const kept = await newCode(service, alice, own, { redirect_uri: 'https://b.example/' });
    const floating = await newCode(service, alice, own, { redirect_uri: 'http://127.0.0.1:5000/cb' });
    await edit({ redirect_uris: ['https://b.example/', 'http://127.0.0.1/cb'] }, own);
    await edit({ redirect_uris: [CALLBACK, 'https://b.example/', 'http://127.0.0.1/cb'] }, own);
    expectApiError(await exchange(service, own, gone), 'INVALID_GRANT');
    expect((await exchange(service, own, kept, { redirect_uri: 'https://b.example/' })).status).toBe(200);
    expect((await exchange(service, own, floating, { redirect_uri: 'http://127.0.0.1:5000/cb' })).status).toBe(200);
  });

  test('an invalid change is rejected completely', async () => {
    expectInvalid(await edit({ name: 'Other', bot_public: null }), 'bot_public: INVALID_FORMAT');
    expectInvalid(await edit({ name: null }), 'name: INVALID_FORMAT');
    expect((await show(app)).name).toBe('Client');
  });
});

describe('6.5 PATCH /v1/oauth2/applications/{id}/bot', () => {
  const image = (format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif', width = 16) =>
    sharp({ create: { width, height: 16, channels: 3, background: '#306090' } })
      .toFormat(format)
      .toBuffer();
  let own: App;
  beforeAll(async () => {
    own = await newApp(service, alice, { name: 'Robot' });
  });

  test('another name gets another discriminator, another letter case keeps it; the bot is notified', async () => {
    const { discriminator: before } = (await show(own)).bot;
    const events = noticesOf(service, 'event');
    const cased = await editBot({ username: 'ROBOT', discriminator: String(Number(before)), bio: 'I move' }, own);
    expect({ status: cased.status, body: cased.body }).toEqual({
      status: 200,
      body: { ...bot(own.id, 'ROBOT'), discriminator: before, bio: 'I move' },
    });
    expect(await events.take()).toEqual([{ type: 'USER_UPDATE', account_id: own.id }]);
    expect((await editBot({ username: 'Droid' }, own)).body.username).toBe('Droid');
    await service.sql(
      `INSERT INTO account (id, bot, username, discriminator, created_at)
       SELECT 200000 + n, true, 'packed', n, now() FROM generate_series(1, 9999) n`,
    );
    expectApiError(await editBot({ username: 'Packed' }, own), 'USERNAME_NOT_AVAILABLE');
    expect((await show(own)).bot.username).toBe('Droid');
    await events.take();
    expect((await editBot({ bio: null }, own)).body.bio).toBeNull();
    expect((await editBot({}, own)).status).toBe(200);
    expect(await events.take()).toHaveLength(1);
  });

  test('bounds of every member', async () => {
    const faults: [object, string][] = [
      [{ username: '' }, 'username: USERNAME_LENGTH_INVALID'],
      [{ username: 'x'.repeat(33) }, 'username: USERNAME_LENGTH_INVALID'],
      [{ username: 'a b' }, 'username: USERNAME_INVALID_CHARACTERS'],
      [{ username: 'Everyone' }, 'username: USERNAME_RESERVED_VALUE'],
      [{ username: 'here' }, 'username: USERNAME_RESERVED_VALUE'],
      [{ username: 'system_message' }, 'username: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS'],
      [{ username: 'the_gatehouse' }, 'username: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS'],
      [{ username: null }, 'username: INVALID_FORMAT'],
      [{ discriminator: '12345' }, 'discriminator: INVALID_FORMAT'],
      [{ discriminator: 5 }, 'discriminator: INVALID_FORMAT'],
      [{ bio: 'x'.repeat(1025) }, 'bio: CONTENT_EXCEEDS_MAX_LENGTH'],
      [{ bio: 5 }, 'bio: INVALID_FORMAT'],
      [{ avatar: 5 }, 'avatar: INVALID_FORMAT'],
      [{ avatar: Buffer.from('no image').toString('base64') }, 'avatar: INVALID_IMAGE_FORMAT'],
      [{ banner: Buffer.from('no image').toString('base64') }, 'banner: INVALID_IMAGE_FORMAT'],
      [{ avatar: Buffer.alloc(2 * 1024 * 1024 + 3).toString('base64') }, 'avatar: IMAGE_SIZE_EXCEEDS_LIMIT'],
      [{ banner: Buffer.alloc(2 * 1024 * 1024 + 3).toString('base64') }, 'banner: IMAGE_SIZE_EXCEEDS_LIMIT'],
    ];
    const before = await show(own);
    for (const [input, fault] of faults) expectInvalid(await editBot({ bio: 'other', ...input }, own), fault);
    const other = before.bot.discriminator === '0001' ? '2' : '1';
    expectInvalid(
      await editBot({ bio: 'other', discriminator: other }, own),
      'discriminator: BOT_DISCRIMINATOR_CANNOT_BE_CHANGED',
    );
    expect(await show(own)).toEqual(before);
    const { body } = await editBot({ bio: 'é'.repeat(1024) }, own);
    expect(body.bio).toHaveLength(1024);
  });

  test.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'an avatar and a banner as %s replace the previous ones',
    async (format) => {
      const avatar = (await image(format)).toString('base64');
      const banner = `data:image/${format};base64,${(await image(format, 32)).toString('base64')}`;
      const { status, body } = await editBot({ avatar, banner }, own);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { avatar: expect.stringMatching(/^[0-9a-f]{32}$/), banner: expect.stringMatching(/^[0-9a-f]{32}$/) },
      });
      const stored = await service.sql('SELECT key, content_type FROM media_object WHERE owner_id = $1 ORDER BY key', [
        own.id,
      ]);
      expect(stored).toEqual([
        { key: `avatars/${own.id}/${body.avatar}`, content_type: 'image/webp' },
        { key: `banners/${own.id}/${body.banner}`, content_type: 'image/webp' },
      ]);
      const { body: shown } = await service.anonymous.get(`${APPLICATIONS}/${own.id}/public`);
      expect(shown).toMatchObject({ icon: body.avatar, bot: { avatar: body.avatar, banner: body.banner } });
    },
  );

  test('null clears them; they are deleted with the application', async () => {
    const objects = async (id: string) =>
      (await service.sql('SELECT key FROM media_object WHERE owner_id = $1', [id])).length;
    expect(await objects(own.id)).toBe(2);
    expect((await editBot({ avatar: null, banner: null }, own)).body).toMatchObject({ avatar: null, banner: null });
    expect(await objects(own.id)).toBe(0);
    const passing = await newApp(service, alice);
    await editBot({ avatar: (await image('png')).toString('base64') }, passing);
    expect(await objects(passing.id)).toBe(1);
    await service.as(alice).delete(`${APPLICATIONS}/${passing.id}`, { password: alice.password });
    expect(await objects(passing.id)).toBe(0);
  });

  test('a body of two large images is accepted, one above 6 MiB is not', async () => {
    const padded = Buffer.concat([await image('png'), Buffer.alloc(2 * 1024 * 1024 - 4096)]).toString('base64');
    const { status, body } = await editBot({ avatar: padded, banner: padded }, own);
    expect({ status, code: body.code }).toEqual({ status: 200, code: undefined });
    expectApiError(await editBot({ bio: 'x'.repeat(6 * 1024 * 1024) }, own), 'PAYLOAD_TOO_LARGE');
    expectApiError(await edit({ name: 'x'.repeat(300 * 1024) }, own), 'PAYLOAD_TOO_LARGE');
  });

  test('five renames in three hours', async () => {
    const restless = await newApp(service, alice);
    for (let n = 1; n <= 5; n++) expect((await editBot({ username: `name${n}` }, restless)).status).toBe(200);
    expectInvalid(await editBot({ username: 'name6' }, restless), 'username: USERNAME_CHANGED_TOO_MANY_TIMES');
    expect((await editBot({ username: 'name5', bio: 'the same name costs nothing' }, restless)).status).toBe(200);
  });

  test('an application whose bot account is deleted has none to edit or reset', async () => {
    const lost = await newApp(service, alice);
    await service.sql('UPDATE account SET bot = false WHERE id = $1', [lost.id]);
    expectApiError(await editBot({ bio: 'x' }, lost), 'BOT_USER_NOT_FOUND');
    expectApiError(
      await service.as(alice).post(`${APPLICATIONS}/${lost.id}/bot/reset-token`, { password: alice.password }),
      'BOT_USER_NOT_FOUND',
    );
  });
});

describe('6.6 operations that need sudo', () => {
  const RESET = (id: string) => `${APPLICATIONS}/${id}/bot/reset-token`;
  const SECRET = (id: string) => `${APPLICATIONS}/${id}/client-secret/reset`;

  test('without proof nothing happens; a wrong password is reported', async () => {
    const own = await newApp(service, alice);
    const before = await service.sql('SELECT t::text FROM application t WHERE id = $1', [own.id]);
    for (const [method, path] of [
      ['post', RESET(own.id)],
      ['post', SECRET(own.id)],
      ['delete', `${APPLICATIONS}/${own.id}`],
    ] as const) {
      const methods = { totp: false, webauthn: false, backup_codes: false };
      expectApiError(await service.as(alice)[method](path), 'SUDO_MODE_REQUIRED', { has_mfa: false, methods });
      expectInvalid(
        await service.as(alice)[method](path, { password: 'a wrong password' }),
        'password: INVALID_PASSWORD',
      );
      expectInvalid(await service.as(alice)[method](path, { password: 5 }), 'password: INVALID_FORMAT');
    }
    expect(await service.sql('SELECT t::text FROM application t WHERE id = $1', [own.id])).toEqual(before);
  });

  test('a proof is accepted by each of them', async () => {
    const owner = await person(service, 'owner');
    const own = await newApp(service, owner);
    const { authenticator } = await withTotp(service, owner);
    expectApiError(await service.as(owner).post(RESET(own.id)), 'SUDO_MODE_REQUIRED', {
      has_mfa: true,
      methods: { totp: true, webauthn: false, backup_codes: true },
    });
    const proof = await sudoProof(service, owner, authenticator);
    const me = service.as(owner).sudo(proof);
    expect((await me.post(SECRET(own.id))).status).toBe(200);
    const { body } = await me.post(RESET(own.id));
    expect(body.bot).toMatchObject({ mfa_enabled: true, authenticator_types: [0] });
    expect((await me.delete(`${APPLICATIONS}/${own.id}`)).status).toBe(204);
  });

  test('after a reset, the old bot token is rejected immediately and the new one works', async () => {
    const own = await newApp(service, alice);
    const { status, body, headers } = await service.as(alice).post(RESET(own.id), { password: alice.password });
    expect({ status, body }).toEqual({
      status: 200,
      body: { token: expect.stringMatching(`^${own.id}\\.[A-Za-z0-9_-]{43}$`), bot: ownBot(own.id, 'Client') },
    });
    expect(headers.get('pragma')).toBe('no-cache');
    expectApiError(await service.as(own.bot).get('/v1/applications/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(own.bot).get('/v1/users/@me'), 'UNAUTHORIZED');
    expect((await service.as(`Bot ${body.token}`).get('/v1/applications/@me')).status).toBe(200);
    const [row] = await service.sql('SELECT bot_preview FROM application WHERE id = $1', [own.id]);
    expect(body.token.split('.')[1].slice(0, 8)).toBe(row?.bot_preview);
    const racing = await Promise.all(
      Array.from({ length: 4 }, () => service.as(alice).post(RESET(own.id), { password: alice.password })),
    );
    const alive = [];
    for (const response of racing) {
      expect(response.status).toBe(200);
      const { status: seen } = await service.as(`Bot ${response.body.token}`).get('/v1/applications/@me');
      if (seen === 200) alive.push(response);
    }
    expect(alive).toHaveLength(1);
  });

  test('a client secret is shown again only by its reset; a public client has none', async () => {
    const own = await newApp(service, alice);
    const { status, body, headers } = await service.as(alice).post(SECRET(own.id), { password: alice.password });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...{ id: own.id, name: 'Client', client_type: 'confidential', redirect_uris: [CALLBACK], bot_public: true },
        ...{ bot_require_code_grant: false, ...openId },
        ...{ client_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) },
      },
    });
    expect(headers.get('pragma')).toBe('no-cache');
    expect(body.client_secret).not.toBe(own.secret);
    const open = await newApp(service, alice, { client_type: 'public' });
    expectApiError(
      await service.as(alice).post(SECRET(open.id), { password: alice.password }),
      'PUBLIC_CLIENT_HAS_NO_SECRET',
    );
  });

  test('deletion removes codes, tokens, secret, bot token and webhooks; the bot account keeps its ID', async () => {
    const bob = await person(service, 'bob');
    const own = await newApp(service, alice, { name: 'Doomed' });
    const tokens = await newTokens(service, bob, own, 'identify bot');
    const pending = await newCode(service, bob, own);
    const ofBot = await newWebhook(service, own.bot);
    const naming = await newWebhook(service, alice, { name: 'hook', application_id: own.id });
    const other = await newWebhook(service, alice);
    const spared = await newTokens(service, bob, app);
    const remove = () => service.as(alice).delete(`${APPLICATIONS}/${own.id}`, { password: alice.password });
    expect((await remove()).status).toBe(204);
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
    expectApiError(await refresh(service, own, tokens.refresh_token), 'INVALID_CLIENT');
    expectApiError(
      await asApp(service, own, '/v1/oauth2/introspect', { token: tokens.access_token }),
      'INVALID_CLIENT',
    );
    expectApiError(await exchange(service, app, pending), 'INVALID_GRANT');
    expectApiError(await service.as(own.bot).get('/v1/applications/@me'), 'UNAUTHORIZED');
    expectApiError(await service.as(own.bot).get('/v1/users/@me'), 'UNAUTHORIZED');
    expectApiError(await service.anonymous.get(`${APPLICATIONS}/${own.id}/public`), 'UNKNOWN_APPLICATION');
    for (const hook of [ofBot, naming]) {
      expectApiError(await service.anonymous.post(hook.path, { content: 'x' }), 'UNKNOWN_WEBHOOK');
    }
    expect((await service.anonymous.post(other.path, { content: 'x' })).status).toBe(204);
    expect(await isTokenActive(service, spared.access_token)).toBe(true);
    for (const table of ['oauth_code', 'oauth_family', 'oauth_token', 'oauth_bot_grant', 'webhook']) {
      const left = await service.sql(`SELECT 1 FROM ${table} WHERE application_id = $1`, [own.id]);
      expect({ table, left: left.length }).toEqual({ table, left: 0 });
    }
    const [row] = await service.sql('SELECT username, discriminator, global_name, bio FROM account WHERE id = $1', [
      own.id,
    ]);
    expect(row).toEqual({ username: 'DeletedUser', discriminator: 0, global_name: 'Deleted User', bio: null });
    expectApiError(await remove(), 'UNKNOWN_APPLICATION');
    expect((await service.as(bob).get('/v1/users/@me')).status).toBe(200);
  });

  test('of parallel deletions one succeeds; concurrent consents and exchanges leave nothing', async () => {
    const own = await newApp(service, alice);
    const bob = await person(service, 'bob');
    const codes = await Promise.all(Array.from({ length: 4 }, () => newCode(service, bob, own)));
    const remove = () => service.as(alice).delete(`${APPLICATIONS}/${own.id}`, { password: alice.password });
    const approve = () =>
      service.as(bob).post('/v1/oauth2/authorize/consent', {
        ...{ client_id: own.id, redirect_uri: own.redirectUri, scope: 'identify' },
      });
    const removals = Promise.all([remove(), remove(), remove()]);
    const responses = await Promise.all([...codes.map((code) => exchange(service, own, code)), approve(), approve()]);
    const statuses = (await removals).map(({ status }) => status).sort();
    expect(statuses).toEqual([204, 404, 404]);
    for (const { status } of responses) expect([200, 400, 401, 404]).toContain(status);
    for (const table of ['oauth_code', 'oauth_family', 'oauth_token']) {
      expect(await service.sql(`SELECT 1 FROM ${table} WHERE application_id = $1`, [own.id])).toEqual([]);
    }
  });
});

describe('6.1 GET /v1/applications/@me', () => {
  const path = '/v1/applications/@me';

  test('shows a bot its application; GET /v1/oauth2/applications/@me does the same', async () => {
    const shown = {
      id: app.id,
      name: 'Client',
      icon: null,
      description: null,
      bot_public: true,
      bot_require_code_grant: false,
      redirect_uris: [CALLBACK],
      owner: {
        ...{ id: alice.id, username: 'alice', discriminator: expect.any(String), global_name: null, avatar: null },
        ...{ avatar_color: expect.any(Number), flags: 0 },
      },
      bot: bot(app.id, 'Client'),
    };
    for (const where of [path, '/v1/oauth2/applications/@me']) {
      const { status, body } = await service.as(app.bot).get(where);
      expect({ status, body }).toEqual({ status: 200, body: shown });
    }
    const { body: own } = await service.as(alice).get('/v1/oauth2/applications/@me');
    expect(own).toEqual((await service.as(alice).get('/v1/users/@me/applications')).body);
  });

  test('the scheme Bot in any letter case, and in no other place', async () => {
    const token = app.bot.slice(4);
    for (const scheme of ['Bot', 'bot', 'BOT', 'bOt']) {
      expect((await service.as(`${scheme} ${token}`).get(path)).status).toBe(200);
    }
    for (const scheme of ['bot', 'BOT']) {
      expectApiError(await service.as(`${scheme} ${token}`).get('/v1/users/@me'), 'UNAUTHORIZED');
      expectApiError(await service.as(`${scheme} ${token}`).get('/v1/oauth2/applications/@me'), 'UNAUTHORIZED');
    }
  });

  test('anything without the prefix is INVALID_TOKEN', async () => {
    const { access_token } = await newTokens(service, alice, app);
    const key = await adminKey(service, await administrator(service, '*'), '*');
    const token = app.bot.slice(4);
    for (const value of [
      ...[alice.authorization, `Bearer ${alice.authorization}`, `Bearer ${access_token}`, key.authorization, token],
      ...[`Bots ${token}`, `Robot ${token}`, `Bot:${token}`, 'B', `Basic ${token}`],
    ]) {
      expectApiError(await service.as(value).get(path), 'INVALID_TOKEN');
    }
    expectApiError(await service.anonymous.get(path), 'INVALID_TOKEN');
  });

  test('with the prefix, any error of the token is the same UNAUTHORIZED', async () => {
    const banned = await newApp(service, alice);
    await service.sql('UPDATE account SET banned = true WHERE id = $1', [banned.id]);
    const [id, secret] = app.bot.slice(4).split('.');
    const bodies = new Set<string>();
    for (const value of [
      ...['Bot', 'bot', `Bot  ${id}.${secret}`, `Bot ${id}.${secret} x`, `Bot ${id}`, `Bot ${id}.`, `Bot .${secret}`],
      ...[`Bot ${banned.id}.${secret}`, `Bot 0${id}.${secret}`, `Bot ${id}.${secret}A`, `Bot ${builtIn}.${secret}`],
      ...[`Bot ${id}.${'A'.repeat(43)}`, `Bot ${alice.authorization}`, banned.bot, `Bot ${UNKNOWN}.${secret}`],
    ]) {
      const response = await service.as(value).get(path);
      expectApiError(response, 'UNAUTHORIZED');
      bodies.add(response.text);
    }
    expect(bodies.size).toBe(1);
    const twice = await sendRaw(service, [
      `GET ${path} HTTP/1.1`,
      `Authorization: ${app.bot}`,
      `Authorization: ${app.bot}`,
      'Connection: close',
    ]);
    expectApiError(twice, 'UNAUTHORIZED');
  });
});

describe('6 GET /v1/oauth2/applications/{id}/public', () => {
  test('returns the same to everyone, and to a session its own account', async () => {
    const own = await newApp(service, alice, { name: 'Open', bot_public: false });
    await editBot({ bio: 'about' }, own);
    const path = `${APPLICATIONS}/${own.id}/public`;
    const shown = {
      ...{ id: own.id, name: 'Open', icon: null, description: 'about', redirect_uris: [CALLBACK], scopes: ['bot'] },
      ...{ bot_public: false, bot: { ...bot(own.id, 'Open'), bio: 'about' }, current_user: null },
      trusted_scopes: [],
    };
    const { access_token } = await newTokens(service, mallory, own);
    const anonymous = await service.anonymous.get(path);
    expect({ status: anonymous.status, body: anonymous.body }).toEqual({ status: 200, body: shown });
    for (const credential of [own.bot, `Bearer ${access_token}`, 'flx_nobody', 'Bot x', 'Nonsense 1']) {
      expect((await service.as(credential).get(path)).body).toEqual(shown);
    }
    const { body } = await service.as(mallory).get(path);
    expect(body).toEqual({ ...shown, current_user: { ...body.current_user, id: mallory.id, username: 'mallory' } });
    expect(Object.keys(body.current_user).sort()).toEqual(
      ['id', 'username', 'discriminator', 'global_name', 'avatar', 'avatar_color', 'flags'].sort(),
    );
  });

  test('an application without a bot account has no bot to invite', async () => {
    const lost = await newApp(service, alice);
    await service.sql('DELETE FROM account_settings WHERE account_id = $1', [lost.id]);
    await service.sql('DELETE FROM account WHERE id = $1', [lost.id]);
    const { body } = await service.anonymous.get(`${APPLICATIONS}/${lost.id}/public`);
    expect(body).toMatchObject({ id: lost.id, icon: null, description: null, scopes: [], bot: null });
  });

  test('unknown, built-in and malformed IDs', async () => {
    for (const id of [UNKNOWN, builtIn, alice.id]) {
      expectApiError(await service.anonymous.get(`${APPLICATIONS}/${id}/public`), 'UNKNOWN_APPLICATION');
    }
    expectInvalid(await service.anonymous.get(`${APPLICATIONS}/x/public`), 'id: INVALID_SNOWFLAKE_FORMAT');
  });
});

describe('6.1 of admin.md: the built-in Admin application', () => {
  test('appears in no list of any owner, and its ID has no bot operations', async () => {
    const admin = await administrator(service, '*');
    expect((await service.as(admin).get('/v1/users/@me/applications')).body).toEqual([]);
    const { body } = await service.as(admin).get(`/v1/admin/applications/${builtIn}`);
    expect(body.application).toMatchObject({ id: builtIn, owner_user_id: null, has_bot_token: false });
  });

  test('OAU-47 an application with its name is an ordinary one', async () => {
    expectInvalid(await create({ name: 'Gatehouse Admin' }), 'name: USERNAME_CANNOT_CONTAIN_RESERVED_TERMS');
    const impostor = await newApp(service, alice);
    // Simulates an application that got this name before the name was reserved.
    await service.sql("UPDATE application SET name = 'Gatehouse Admin' WHERE id = $1", [impostor.id]);
    const admin = await administrator(service, '*');
    const { access_token } = await newTokens(service, admin, impostor);
    expectApiError(await service.as(`Bearer ${access_token}`).get('/v1/admin/users/@me'), 'ACCESS_DENIED');
  });
});
