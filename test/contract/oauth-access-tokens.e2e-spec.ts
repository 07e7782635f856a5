import { AdminApplication } from '../../src/accounts/grants/admin-application.service.js';
import { administrator, adminKey } from '../support/admin.js';
import {
  type App,
  asApp,
  clients,
  expectApiError,
  expectGrantRemoved,
  type Gatehouse,
  gatehouse,
  inState,
  isTokenActive,
  newCode,
  newTokens,
  noticesOf,
  type Persona,
  person,
  REJECTED_ACCOUNT_STATES,
  refresh,
  type TestResponse,
  verifyEmail,
} from '../support/index.js';

const USERINFO = '/v1/oauth2/userinfo';
const ME = '/v1/oauth2/@me';
const REVOKE = '/v1/oauth2/token/revoke';

let service: Gatehouse;
let alice: Persona;
let app: App;
let stranger: App;
let publicApp: App;
beforeAll(async () => {
  service = await gatehouse();
  ({ alice, app, stranger, publicApp } = await clients(service));
});
afterAll(() => service.close());

const asBearer = (token: string) => service.as(`Bearer ${token}`);
const introspect = (client: App, token: string, more: Record<string, string> = {}) =>
  asApp(service, client, '/v1/oauth2/introspect', { token, ...more });
const expire = (token: string) =>
  service.sql(
    `UPDATE oauth_token SET expires_at = now() - interval '1 second' WHERE digest = sha256(convert_to($1, 'UTF8'))`,
    [token],
  );

const face = () => ({
  id: alice.id,
  username: 'alice',
  discriminator: expect.stringMatching(/^\d{4}$/),
  global_name: null,
  avatar: null,
  avatar_color: expect.any(Number),
  flags: 0,
});

describe('5.9 GET /v1/oauth2/userinfo', () => {
  const claims = () => ({ sub: alice.id, ...face(), bot: false, system: false, email: null });

  test('returns the user who granted the token; the email address only with scope email', async () => {
    const plain = await asBearer((await newTokens(service, alice, app)).access_token).get(USERINFO);
    expect({ status: plain.status, body: plain.body }).toEqual({ status: 200, body: claims() });
    expect(plain.headers.get('cache-control')).toBe('no-store');
    const { access_token } = await newTokens(service, alice, app, 'identify email');
    const unverified = await asBearer(access_token).get(USERINFO);
    expect(unverified.body).toEqual({ ...claims(), email: alice.email, verified: false });
    await verifyEmail(service, alice);
    const verified = await asBearer(access_token).get(USERINFO);
    expect(verified.body).toEqual({ ...claims(), email: alice.email, verified: true });
  });

  test('an account without an email address has no verification state', async () => {
    const bob = await person(service, 'bob');
    const { access_token } = await newTokens(service, bob, app, 'identify email');
    await service.sql('UPDATE account SET email = NULL WHERE id = $1', [bob.id]);
    const { body } = await asBearer(access_token).get(USERINFO);
    expect(body.email).toBeNull();
    expect(body).not.toHaveProperty('verified');
  });

  test('only the public bits of the flags are shown, including the highest', async () => {
    const carol = await person(service, 'carol');
    const { access_token } = await newTokens(service, carol, app);
    await service.sql('UPDATE account SET flags = (1::bigint << 47) | (1::bigint << 33) | 1 WHERE id = $1', [carol.id]);
    expect((await asBearer(access_token).get(USERINFO)).body.flags).toBe(1);
  });

  test.each(['email', 'bot', 'email bot'])(
    'scope %j alone is not enough, and the error names identify',
    async (scope) => {
      const { access_token } = await newTokens(service, alice, app, scope);
      expectApiError(await asBearer(access_token).get(USERINFO), 'MISSING_OAUTH_SCOPE', { required_scope: 'identify' });
      expectApiError(await asBearer(access_token).get('/v1/users/@me'), 'MISSING_OAUTH_SCOPE', {
        required_scope: 'identify',
      });
    },
  );

  test.each(['identify.read', 'IDENTIFY', 'identify email', 'identif', 'identify_all', '*', ''])(
    'OAU-36 a token that was changed to the scope %j does not have identify',
    async (held) => {
      const { access_token } = await newTokens(service, alice, app);
      await service.sql(`UPDATE oauth_token SET scopes = ARRAY[$2] WHERE digest = sha256(convert_to($1, 'UTF8'))`, [
        access_token,
        held,
      ]);
      expectApiError(await asBearer(access_token).get(USERINFO), 'MISSING_OAUTH_SCOPE', { required_scope: 'identify' });
    },
  );
});

describe('5.10 GET /v1/oauth2/@me', () => {
  const application = () => ({
    id: app.id,
    name: 'Client',
    icon: null,
    description: null,
    bot_public: true,
    bot_require_code_grant: false,
  });

  test('returns what the token authorizes; the user only with scope identify', async () => {
    const before = Date.now();
    const { access_token, expires_in } = await newTokens(service, alice, app, 'email identify');
    const { status, body } = await asBearer(access_token).get(ME);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        application: application(),
        scopes: ['identify', 'email'],
        expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        user: {
          sub: alice.id,
          ...face(),
          bot: false,
          system: false,
          email: alice.email,
          verified: expect.any(Boolean),
        },
      },
    });
    expect(Date.parse(body.expires)).toBeGreaterThan(before + (expires_in - 60) * 1000);
    for (const scope of ['email', 'bot']) {
      const token = (await newTokens(service, alice, app, scope)).access_token;
      const response = await asBearer(token).get(ME);
      expect(response.body).toEqual({ application: application(), scopes: [scope], expires: expect.any(String) });
    }
  });

  test('a narrowed token shows its own scopes', async () => {
    const tokens = await newTokens(service, alice, app, 'identify email');
    const narrowed = (await refresh(service, app, tokens.refresh_token, { scope: 'identify' })).body;
    const { body } = await asBearer(narrowed.access_token).get(ME);
    expect(body.scopes).toEqual(['identify']);
    expect(body.user.email).toBeNull();
    const again = (await refresh(service, app, narrowed.refresh_token)).body;
    expect((await asBearer(again.access_token).get(ME)).body.scopes).toEqual(['identify', 'email']);
  });
});

describe('5.9 and 5.10, accepted credentials', () => {
  test('only an active access token', async () => {
    const operator = await administrator(service, '*');
    const key = await adminKey(service, operator, '*');
    const { access_token, refresh_token } = await newTokens(service, alice, app);
    const wrong = [
      ...[alice.authorization, `Bearer ${alice.authorization}`, app.bot, key.authorization, `Bearer ${refresh_token}`],
      ...[`bearer ${access_token}`, `Bearer  ${access_token}`, `Bearer ${access_token}x`, `Bot ${access_token}`],
      ...[access_token, `Bearer ${access_token.slice(0, -1)}`, `Bearer ${'A'.repeat(43)}`],
    ];
    for (const path of [USERINFO, ME]) {
      for (const authorization of wrong) expectApiError(await service.as(authorization).get(path), 'UNAUTHORIZED');
      expectApiError(await service.anonymous.get(path), 'UNAUTHORIZED');
      expectApiError(await service.anonymous.get(`${path}?access_token=${access_token}`), 'UNAUTHORIZED');
      expect((await asBearer(access_token).get(path)).status).toBe(200);
    }
  });

  test('an expired token is rejected', async () => {
    const { access_token } = await newTokens(service, alice, app);
    await expire(access_token);
    for (const path of [USERINFO, ME]) expectApiError(await asBearer(access_token).get(path), 'UNAUTHORIZED');
  });

  test('not while the account is deleted, disabled or banned', async () => {
    const { access_token } = await newTokens(service, alice, app);
    for (const state of REJECTED_ACCOUNT_STATES) {
      await inState(service, alice, state, async () => {
        for (const path of [USERINFO, ME]) expectApiError(await asBearer(access_token).get(path), 'UNAUTHORIZED');
      });
      expect((await asBearer(access_token).get(ME)).status).toBe(200);
    }
  });

  test('a suspicious account is gated after the scope', async () => {
    const dora = await person(service, 'dora');
    const [full, bare] = [await newTokens(service, dora, app), await newTokens(service, dora, app, 'email')];
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [dora.id]);
    for (const path of [USERINFO, ME]) {
      expectApiError(await asBearer(full.access_token).get(path), 'ACCOUNT_SUSPICIOUS_ACTIVITY');
    }
    expectApiError(await asBearer(bare.access_token).get(USERINFO), 'MISSING_OAUTH_SCOPE');
    expect((await asBearer(full.access_token).get('/v1/users/@me')).status).toBe(200);
  });
});

describe('4 the bearer view of GET /v1/users/@me', () => {
  test('is the private user object without members about the account itself', async () => {
    const eve = await person(service, 'eve');
    await service.sql(
      `UPDATE account SET acls = '{admin:authenticate}', traits = '{captcha_exempt}', suspicious_flags = 4,
         email_bounced = true WHERE id = $1`,
      [eve.id],
    );
    const { body: own } = await service.as(eve).get('/v1/users/@me');
    const { authenticator_types, email_bounced, ...kept } = own;
    expect(email_bounced).toBe(true);
    const reduced = {
      ...kept,
      ...{ acls: [], traits: [], required_actions: [], mfa_enabled: false, password_last_changed_at: null },
    };
    const plain = await asBearer((await newTokens(service, eve, app)).access_token).get('/v1/users/@me');
    expect(plain.body).toEqual({ ...reduced, email: null, verified: false });
    const { access_token } = await newTokens(service, eve, app, 'identify email');
    expect((await asBearer(access_token).get('/v1/users/@me')).body).toEqual({ ...reduced, email: eve.email });
  });
});

describe('5.7 POST /v1/oauth2/introspect', () => {
  const INACTIVE = { active: false };

  test('describes active tokens of the requesting client', async () => {
    const { access_token, refresh_token, expires_in } = await newTokens(service, alice, app, 'email identify');
    const shape = {
      active: true,
      scope: 'identify email',
      client_id: app.id,
      token_type: 'Bearer',
      iat: expect.any(Number),
      exp: expect.any(Number),
      sub: alice.id,
    };
    const access = await introspect(app, access_token);
    expect({ status: access.status, body: access.body }).toEqual({ status: 200, body: shape });
    expect(access.body.exp - access.body.iat).toBe(expires_in);
    expect(access.headers.get('cache-control')).toBe('no-store');
    expect(access.headers.get('pragma')).toBe('no-cache');
    expect((await introspect(app, refresh_token)).body).toEqual({ ...shape, token_type: 'refresh_token' });
  });

  test('a wrong hint does not change the result', async () => {
    const { access_token, refresh_token } = await newTokens(service, alice, app);
    for (const token of [access_token, refresh_token]) {
      for (const token_type_hint of ['access_token', 'refresh_token', 'something else']) {
        expect((await introspect(app, token, { token_type_hint })).body.active).toBe(true);
      }
    }
  });

  test('an unknown, expired or consumed token, and one of another client, are all inactive', async () => {
    const tokens = await newTokens(service, alice, app);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await introspect(stranger, token)).body).toEqual(INACTIVE);
    }
    const code = await newCode(service, alice, app);
    for (const token of [code, alice.authorization, app.bot, app.secret as string, 'A'.repeat(43), 'x']) {
      expect((await introspect(app, token)).body).toEqual(INACTIVE);
    }
    await refresh(service, app, tokens.refresh_token);
    expect((await introspect(app, tokens.refresh_token)).body).toEqual(INACTIVE);
    await expire(tokens.access_token);
    expect((await introspect(app, tokens.access_token)).body).toEqual(INACTIVE);
  });

  test('OAU-42 not active after a revocation of any kind', async () => {
    const revocations: [string, (tokens: { access_token: string }) => Promise<TestResponse>][] = [
      ['by the client', ({ access_token }) => asApp(service, app, REVOKE, { token: access_token })],
      ['by the account', () => service.as(alice).delete(`/v1/oauth2/@me/authorizations/${app.id}`)],
      [
        'by the account, with others',
        () => service.as(alice).post('/v1/oauth2/@me/authorizations/revoke', { application_ids: [app.id] }),
      ],
    ];
    for (const [how, revoke] of revocations) {
      const tokens = await newTokens(service, alice, app);
      expect((await revoke(tokens)).status).toBeLessThan(300);
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect({ how, body: (await introspect(app, token)).body }).toEqual({ how, body: INACTIVE });
      }
      expect(await isTokenActive(service, tokens.access_token)).toBe(false);
      expectApiError(await refresh(service, app, tokens.refresh_token), 'INVALID_GRANT');
    }
  });

  test('not active while the account is deleted, disabled or banned', async () => {
    const tokens = await newTokens(service, alice, app);
    for (const state of REJECTED_ACCOUNT_STATES) {
      await inState(service, alice, state, async () => {
        for (const token of [tokens.access_token, tokens.refresh_token]) {
          expect((await introspect(app, token)).body).toEqual(INACTIVE);
        }
      });
    }
    expect((await introspect(app, tokens.access_token)).body.active).toBe(true);
  });

  test('the token is required once, within its length limits', async () => {
    const attempt = (body: string) =>
      service.anonymous.send('POST', '/v1/oauth2/introspect', new URLSearchParams(body) as unknown);
    const client = `client_id=${app.id}&client_secret=${app.secret}`;
    for (const rest of ['', '&token=', '&token=a&token=b', `&token=${'a'.repeat(257)}`, '&token=%20a', '&token=a%09']) {
      expectApiError(await attempt(`${client}${rest}`), 'INVALID_REQUEST', { error: 'invalid_request' });
    }
  });
});

describe('5.8 POST /v1/oauth2/token/revoke', () => {
  const revoke = (client: App, token: string, more: Record<string, string> = {}) =>
    asApp(service, client, REVOKE, { token, ...more });

  test.each(['access_token', 'refresh_token'] as const)(
    'its %s revokes the whole grant of the account: every family, pending codes, bot authorization',
    async (kind) => {
      const bob = await person(service, 'bob');
      const [first, second] = [await newTokens(service, bob, app), await newTokens(service, bob, app, 'identify bot')];
      const pending = await newCode(service, bob, app);
      const elsewhere = await newTokens(service, bob, stranger);
      const others = await newTokens(service, alice, app);
      const response = await revoke(app, first[kind]);
      expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: '' });
      expect(response.headers.has('content-type')).toBe(false);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      await expectGrantRemoved(service, app, bob, { tokens: [first, second], code: pending });
      expect(await isTokenActive(service, elsewhere.access_token)).toBe(true);
      expect(await isTokenActive(service, others.access_token)).toBe(true);
      expect((await service.as(bob).get('/v1/users/@me')).status).toBe(200);
    },
  );

  test('both kinds are looked up with any hint', async () => {
    for (const token_type_hint of ['access_token', 'refresh_token', 'something else']) {
      const tokens = await newTokens(service, alice, app);
      expect((await revoke(app, tokens.refresh_token, { token_type_hint })).status).toBe(200);
      expect(await isTokenActive(service, tokens.access_token)).toBe(false);
    }
  });

  test('a refresh token that was just consumed still identifies its grant', async () => {
    const first = await newTokens(service, alice, app);
    const second = (await refresh(service, app, first.refresh_token)).body;
    expect((await revoke(app, first.refresh_token)).status).toBe(200);
    expect(await isTokenActive(service, second.access_token)).toBe(false);
    expectApiError(await refresh(service, app, second.refresh_token), 'INVALID_GRANT');
  });

  test('OAU-41 a token of another client and an unknown one: 200 without effect', async () => {
    const tokens = await newTokens(service, alice, app);
    const events = noticesOf(service, 'event');
    for (const [client, token] of [
      [stranger, tokens.access_token],
      [publicApp, tokens.refresh_token],
      [app, 'A'.repeat(43)],
      [app, alice.authorization],
    ] as const) {
      const response = await revoke(client, token);
      expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: '' });
    }
    expectApiError(await service.anonymous.form(REVOKE, { token: tokens.access_token }), 'INVALID_CLIENT');
    expectApiError(
      await service.anonymous.form(REVOKE, { token: tokens.access_token, client_id: app.id }),
      'INVALID_CLIENT',
    );
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    expect(await events.take()).toEqual([]);
  });

  test('a public client revokes with its ID', async () => {
    const tokens = await newTokens(service, alice, publicApp);
    expect((await revoke(publicApp, tokens.refresh_token)).status).toBe(200);
    expect(await isTokenActive(service, tokens.access_token)).toBe(false);
  });

  test('the bot is notified once', async () => {
    const tokens = await newTokens(service, alice, stranger);
    const events = noticesOf(service, 'event');
    await revoke(stranger, tokens.access_token);
    await revoke(stranger, tokens.access_token);
    expect(await events.take()).toEqual([
      { type: 'APPLICATION_DEAUTHORIZE', account_id: stranger.id, d: { user_id: alice.id } },
    ]);
  });

  test('a request without a token is invalid', async () => {
    expectApiError(await asApp(service, app, REVOKE, {}), 'INVALID_REQUEST', { error: 'invalid_request' });
    expectApiError(await revoke(app, 'a'.repeat(257)), 'INVALID_REQUEST');
  });
});

describe('3.4 grants that end with the sessions of an account', () => {
  const SESSION_ENDS: [string, (admin: Persona, bob: Persona) => Promise<TestResponse>][] = [
    ['a ban', (admin, { id }) => service.as(admin).put(`/v1/admin/users/${id}/ban`, { duration_hours: 1 })],
    ['termination of its sessions', (admin, { id }) => service.as(admin).delete(`/v1/admin/users/${id}/sessions`)],
    [
      'suspicious-activity disablement',
      (admin, { id }) => service.as(admin).put(`/v1/admin/users/${id}/suspicious-activity-disablement`, { flags: 0 }),
    ],
    [
      'scheduled deletion',
      (admin, { id }) => service.as(admin).put(`/v1/admin/users/${id}/deletion`, { reason_code: 3 }),
    ],
  ];

  test.each(SESSION_ENDS)('%s: its grant of the Admin application is revoked, other grants stay', async (_, end) => {
    const admin = await administrator(service, '*');
    const bob = await person(service, 'bob');
    const tokens = await newTokens(service, bob, app);
    const builtIn = service.app.get(AdminApplication).id;
    await service.sql(
      `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
       VALUES ($1::bigint, $2, $1, '{identify}', sha256(convert_to($1::text, 'UTF8')))`,
      [bob.id, builtIn],
    );
    expect((await end(admin, bob)).status).toBe(200);
    const families = await service.sql('SELECT application_id FROM oauth_family WHERE account_id = $1', [bob.id]);
    expect(families).toEqual([{ application_id: app.id }]);
    await service.sql('UPDATE account SET flags = 0, banned = false WHERE id = $1', [bob.id]);
    expect(await isTokenActive(service, tokens.access_token)).toBe(true);
    expectApiError(await service.as(bob).get('/v1/users/@me'), 'UNAUTHORIZED');
  });
});
