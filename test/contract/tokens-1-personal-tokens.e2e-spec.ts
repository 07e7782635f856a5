import { crc32 } from 'node:zlib';
import {
  administrator,
  adminKey,
  asApp,
  auditOf,
  changeEmail,
  clients,
  consent,
  eraseAccount,
  eventually,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  GatewayClient,
  gatehouse,
  inboxAfterDelivery,
  inState,
  type Persona,
  person,
  REJECTED_ACCOUNT_STATES,
  race,
  runJobs,
  sudoProof,
  verifiedPerson,
  withGatehouse,
  withoutAudit,
  withTotp,
} from '../support/index.js';

const TOKENS = '/v1/users/@me/access-tokens';
const UNKNOWN = '1501314428688998182';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DAY_MS = 86_400_000;

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const inputOf = ({ password }: Persona, more: object = {}) => ({
  ...{ name: 'Backup script', scopes: ['identify'], password },
  ...more,
});
const attempt = (who: Persona, more: object = {}) => service.as(who).post(TOKENS, inputOf(who, more));
const create = async (who: Persona, more: object = {}) => (await attempt(who, more).expect(201)).body;
const list = async (who: Persona) => (await service.as(who).get(TOKENS).expect(200)).body.tokens;
const statusOf = async (token: string) => (await service.as(`Bearer ${token}`).get('/v1/users/@me')).status;
const eventsOf = async ({ id }: Persona, type: string) =>
  (
    await service.sql('SELECT data FROM security_event WHERE account_id = $1 AND type = $2 ORDER BY id', [id, type])
  ).map(({ data }) => data);
const noticesOf = async ({ email }: Persona) =>
  (await inboxAfterDelivery(service, email, 'security_notice')).map(({ metadata }) => metadata.event);
const rowsOf = async () =>
  JSON.stringify([
    await service.sql('SELECT id, name, preview, networks, reminded_at FROM personal_token ORDER BY id'),
    await service.sql('SELECT id, digest, scopes, expires_at FROM oauth_token ORDER BY id'),
  ]);
const withoutEffect = async (refused: () => Promise<void>) => {
  const before = await rowsOf();
  await refused();
  expect(await rowsOf()).toBe(before);
};

describe('tokens.md 1: a personal access token', () => {
  test('has a checksum, is shown once and acts as its owner with its scopes', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const response = await attempt(alice, { expires_in_days: 8 }).expect(201).expect('pragma', 'no-cache');
    const { token, ...shown } = response.body;
    expect(token).toMatch(/^gp_[A-Za-z0-9]{40}$/);
    const { credential_patterns } = (await service.anonymous.get('/.well-known/service')).body;
    expect(token).toMatch(new RegExp(`^${credential_patterns.personal_access_token}$`));
    let [rest, digits] = [crc32(token.slice(0, -6)), ''];
    for (; digits.length < 6; rest = Math.floor(rest / 62)) digits = `${DIGITS[rest % 62]}${digits}`;
    expect(token.slice(-6)).toBe(digits);
    expect(shown).toEqual({
      ...{ id: expect.stringMatching(/^\d+$/), name: 'Backup script', preview: token.slice(-4), scopes: ['identify'] },
      ...{ networks: [], created_at: expect.any(String), expires_at: expect.any(String), last_used_at: null },
    });
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(8 * DAY_MS);
    expect(await list(alice)).toEqual([shown]);
    const me = await service.as(`Bearer ${token}`).get('/v1/users/@me').expect(200);
    expect(me.body).toMatchObject({ id: alice.id, email: null });
    const current = (await service.as(`Bearer ${token}`).get('/v1/oauth2/@me').expect(200)).body;
    expect(current).toMatchObject({ application: { name: 'Personal access tokens' }, scopes: ['identify'] });
    const stored = JSON.stringify(await service.sql('SELECT * FROM personal_token')) + service.log.join('');
    expect(stored).not.toContain(token);
  });

  test('lives for 30 days by default, and shows its last use', async () => {
    const alice = await person(service, 'alice');
    const { token, created_at, expires_at } = await create(alice);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * DAY_MS);
    expect(await statusOf(token)).toBe(200);
    await eventually('the last use', async () => ((await list(alice))[0].last_used_at === null ? undefined : true));
  });

  test('opens no operation that did not opt in', async () => {
    const alice = await administrator(service, '*');
    const bearer = service.as(`Bearer ${(await create(alice, { scopes: ['identify', 'email'] })).token}`);
    expectApiError(await bearer.get('/v1/admin/applications?owner_id=1'), 'ACCESS_DENIED');
    expectApiError(await bearer.get(TOKENS), 'ACCESS_DENIED');
    expectApiError(await bearer.post(TOKENS, inputOf(alice)), 'ACCESS_DENIED');
    expectApiError(await bearer.get('/v1/users/@me/settings'), 'ACCESS_DENIED');
    expectApiError(await bearer.post('/v1/users/@me/lockdown', {}), 'ACCESS_DENIED');
    const { token } = await create(alice, { scopes: ['email'] });
    expectApiError(await service.as(`Bearer ${token}`).get('/v1/users/@me'), 'MISSING_OAUTH_SCOPE', {
      required_scope: 'identify',
    });
    for (const value of [token, `Bot ${token}`, `Admin ${token}`]) {
      expectApiError(await service.as(value).get('/v1/users/@me'), 'UNAUTHORIZED');
    }
    const socket = await GatewayClient.connect(service);
    socket.send({ op: 2, d: { token, properties: { os: 'x', browser: 'x', device: 'x' } } });
    expect((await socket.closed())[0]).toBe(4004);
  });

  test('belongs to an application that no operation finds', async () => {
    const alice = await administrator(service, '*');
    const { token } = await create(alice);
    const me = service.as(alice);
    const scope = { client_id: '0', scope: 'identify', redirect_uri: 'https://client.example/callback' };
    for (const response of [
      await me.get('/v1/oauth2/applications/0'),
      await me.get('/v1/oauth2/applications/0/public'),
      await me.patch('/v1/oauth2/applications/0', { name: 'Mine' }),
      await me.patch('/v1/oauth2/applications/0/bot', { bio: 'Mine' }),
      await me.get('/v1/oauth2/applications/0/bot/tokens'),
      await me.post('/v1/oauth2/applications/0/bot/reset-token', { password: alice.password }),
      await me.post('/v1/oauth2/applications/0/client-secret/reset', { password: alice.password }),
      await me.delete('/v1/oauth2/applications/0', { password: alice.password }),
      await me.post('/v1/oauth2/authorize/consent', scope),
      await me.delete('/v1/oauth2/@me/authorizations/0'),
      await me.post('/v1/oauth2/@me/authorizations/revoke', { application_ids: ['0'] }),
      await me.patch('/v1/admin/applications/0', { new_owner_id: alice.id }),
    ]) {
      expectApiError(response, 'UNKNOWN_APPLICATION');
    }
    expect((await me.get('/v1/admin/applications/0')).body).toEqual({ application: null });
    expect((await me.get('/v1/oauth2/@me/authorizations')).body).toEqual([]);
    expect((await me.get('/v1/users/@me/applications')).body).toEqual([]);
    expect(await statusOf(token)).toBe(200);
  });

  test('is unknown to other applications, to introspection and as a code', async () => {
    const { app, alice } = await clients(service);
    const { token } = await create(alice);
    expect((await asApp(service, app, '/v1/oauth2/introspect', { token })).body).toEqual({ active: false });
    expect((await asApp(service, app, '/v1/oauth2/token/revoke', { token })).status).toBe(200);
    const grant = { grant_type: 'authorization_code', code: token, redirect_uri: 'https://client.example/callback' };
    expect((await asApp(service, app, '/v1/oauth2/token', grant)).body.code).toBe('INVALID_GRANT');
    const refreshing = { grant_type: 'refresh_token', refresh_token: token };
    expect((await asApp(service, app, '/v1/oauth2/token', refreshing)).body.code).toBe('INVALID_GRANT');
    expect(await statusOf(token)).toBe(200);
    expect((await consent(service, alice, app)).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['name', { name: '  ' }, 'name: INVALID_FORMAT'],
    ['long name', { name: 'x'.repeat(101) }, 'name: CONTENT_EXCEEDS_MAX_LENGTH'],
    ['no scope', { scopes: [] }, 'scopes: INVALID_FORMAT'],
    ...['bot', 'openid', 'profile', 'offline_access', 'unknown'].map((scope): [string, object, string] => [
      scope,
      { scopes: ['identify', scope] },
      'scopes.1: INVALID_FORMAT',
    ]),
    ['no day', { expires_in_days: 0 }, 'expires_in_days: INVALID_FORMAT'],
    ['too many days', { expires_in_days: 366 }, 'expires_in_days: INVALID_FORMAT'],
    ['no end', { expires_in_days: null }, 'expires_in_days: INVALID_FORMAT'],
    ['address', { networks: ['198.51.100.1'] }, 'networks.0: INVALID_FORMAT'],
    ['host bits', { networks: ['198.51.100.1/24'] }, 'networks.0: INVALID_FORMAT'],
    ['networks', { networks: Array.from({ length: 21 }, (_, n) => `10.0.${n}.0/24`) }, 'networks: INVALID_FORMAT'],
  ])('is not created with an invalid member: %s', async (_, more, fault) => {
    const alice = await person(service, 'alice');
    await withoutEffect(async () => expectInvalid(await attempt(alice, more), fault));
  });

  test('needs sudo mode, and no unmet requirement', async () => {
    const alice = await person(service, 'alice');
    await withoutEffect(async () => {
      expectApiError(await attempt(alice, { password: undefined }), 'SUDO_MODE_REQUIRED');
      expectInvalid(await attempt(alice, { password: 'wrong password' }), 'password: INVALID_PASSWORD');
      await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
      expect((await attempt(alice)).body.code).toBe('ACCOUNT_SUSPICIOUS_ACTIVITY');
    });
    expect(await list(alice)).toEqual([]);
  });

  test('is renamed by its owner only', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const { id, token: _, ...shown } = await create(alice);
    const renamed = await service.as(alice).patch(`${TOKENS}/${id}`, { name: ' Deployment ', scopes: ['email'] });
    expect([renamed.status, renamed.body]).toEqual([200, { id, ...shown, name: 'Deployment' }]);
    await withoutEffect(async () => {
      expectApiError(await service.as(bob).patch(`${TOKENS}/${id}`, { name: 'Mine' }), 'UNKNOWN_TOKEN');
      expectApiError(await service.as(alice).patch(`${TOKENS}/${UNKNOWN}`, { name: 'Mine' }), 'UNKNOWN_TOKEN');
      expectInvalid(await service.as(alice).patch(`${TOKENS}/${id}`, {}), 'name: INVALID_FORMAT');
      expectApiError(await service.as(bob).delete(`${TOKENS}/${id}`), 'UNKNOWN_TOKEN');
    });
  });

  test('is limited to 50 live ones, also if 32 are created at the same time', async () => {
    const alice = await person(service, 'alice');
    await create(alice);
    await service.sql(
      `WITH family AS (
         INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
         SELECT n, 0, $1, '{identify}', decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 39) n RETURNING id
       ), token AS (
         INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
         SELECT n, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'access', n, 0, $1, '{identify}', now() + interval '1 day'
         FROM generate_series(1, 39) n RETURNING id
       )
       INSERT INTO personal_token (id, name, preview) SELECT n, 'Many', 'many' FROM generate_series(1, 39) n`,
      [alice.id],
    );
    const { authenticator } = await withTotp(service, alice);
    const me = service.as(alice).sudo(await sudoProof(service, alice, authenticator));
    const input = { name: 'Script', scopes: ['identify'] };
    const { statuses, codes } = await race(32, () => me.post(TOKENS, input));
    expect([statuses, codes]).toEqual([{ 201: 10, 400: 22 }, { TOKEN_LIMIT_REACHED: 22 }]);
    const tokens = await list(alice);
    expect(tokens).toHaveLength(50);
    await service.as(alice).delete(`${TOKENS}/${tokens[0].id}`).expect(204);
    await me.post(TOKENS, input).expect(201);
    expectApiError(await me.post(TOKENS, input), 'TOKEN_LIMIT_REACHED');
  });
});

describe('tokens.md 1: networks', () => {
  test('outside its networks, a token is like an unknown one', async () => {
    const alice = await person(service, 'alice');
    const { token, networks } = await create(alice, { networks: ['127.0.3.0/24', '2001:db8::/32', '127.0.3.0/24'] });
    expect(networks).toEqual(['127.0.3.0/24', '2001:db8::/32']);
    const bearer = service.as(`Bearer ${token}`);
    const unknown = service.as(`Bearer gp_${'A'.repeat(40)}`);
    const rejected = await bearer.get('/v1/users/@me');
    expectApiError(rejected, 'UNAUTHORIZED');
    expect(rejected.body.message).toBe((await unknown.get('/v1/users/@me')).body.message);
    expect((await bearer.from('127.0.3.9').get('/v1/users/@me')).status).toBe(200);
    expectApiError(await bearer.from('127.0.4.9').get('/v1/users/@me'), 'UNAUTHORIZED');
    expect((await list(alice))[0].name).toBe('Backup script');
  });
});

describe('tokens.md 1: the end of a personal access token', () => {
  test('its deletion, which is a security event and is emailed', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const [{ id, token }, other] = [await create(alice), await create(alice, { name: 'Other' })];
    await service.as(alice).delete(`${TOKENS}/${id}`).expect(204);
    expect([await statusOf(token), await statusOf(other.token)]).toEqual([401, 200]);
    expectApiError(await service.as(alice).delete(`${TOKENS}/${id}`), 'UNKNOWN_TOKEN');
    expect(await eventsOf(alice, 'access_token_created')).toHaveLength(2);
    expect(await eventsOf(alice, 'access_token_deleted')).toEqual([
      { token_id: id, name: 'Backup script', by: 'owner' },
    ]);
    expect(await noticesOf(alice)).toEqual(expect.arrayContaining(['access_token_created', 'access_token_deleted']));
  });

  test('of 32 deletions of one token, one is recorded', async () => {
    const alice = await person(service, 'alice');
    const { id } = await create(alice);
    const { statuses } = await race(32, () => service.as(alice).delete(`${TOKENS}/${id}`));
    expect(statuses).toEqual({ 204: 1, 404: 31 });
    expect(await eventsOf(alice, 'access_token_deleted')).toHaveLength(1);
  });

  test('its expiration', async () => {
    const alice = await person(service, 'alice');
    const { token } = await create(alice);
    await service.sql("UPDATE oauth_token SET expires_at = now() - interval '1 s' WHERE account_id = $1", [alice.id]);
    expect(await statusOf(token)).toBe(401);
    expect(await list(alice)).toEqual([]);
  });

  test('a leak report, which ends only this token', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const [{ token }, other] = [await create(alice), await create(alice)];
    await service.anonymous.post('/v1/credentials/revoke', { credentials: [`Bearer ${token}`] }).expect(202);
    await runJobs(service);
    expect([await statusOf(token), await statusOf(other.token)]).toEqual([401, 200]);
    expect(await eventsOf(alice, 'credential_leaked')).toEqual([{ kind: 'personal_access_token' }]);
  });

  test('lockdown of the account', async () => {
    const alice = await person(service, 'alice');
    const { token } = await create(alice);
    const response = await service.as(alice).post('/v1/users/@me/lockdown', { password: alice.password }).expect(200);
    expect(response.body.ended.grants).toBe(1);
    expect(await statusOf(token)).toBe(401);
    expect(await list(alice)).toEqual([]);
  });

  test('the return of a stolen email address', async () => {
    const alice = await person(service, 'alice');
    const { id, token } = await create(alice);
    const revert = await changeEmail(service, alice, { to: `thief.${alice.email}` });
    expect(await statusOf(token)).toBe(200);
    await service.anonymous.post('/v1/auth/email-revert', { token: revert, password: 'the owner is back' }).expect(200);
    expect(await statusOf(token)).toBe(401);
    expect(await service.sql('SELECT 1 FROM personal_token WHERE id = $1', [id])).toEqual([]);
  });

  test('erasure of the account, whose export has contained it', async () => {
    const alice = await person(service, 'alice');
    const { id, token } = await create(alice, { networks: ['127.0.0.0/8'] });
    const exported = await service.as(alice).post('/v1/users/@me/export', { password: alice.password });
    const text = JSON.stringify(exported.body);
    expect([text.includes(id), text.includes(token)]).toEqual([true, false]);
    await eraseAccount(service, alice);
    expect(await service.sql('SELECT 1 FROM personal_token WHERE id = $1', [id])).toEqual([]);
    expect(await statusOf(token)).toBe(401);
  });

  test.each(REJECTED_ACCOUNT_STATES)(
    'not the state "%s", in which it is rejected like any access token',
    async (state) => {
      const alice = await person(service, 'alice');
      const bearer = service.as(`Bearer ${(await create(alice)).token}`);
      const status = async () => (await bearer.get('/v1/oauth2/userinfo')).status;
      expect(await inState(service, alice, state, status)).toBe(401);
      expect(await status()).toBe(200);
    },
  );

  test('not a change of the password', async () => {
    const alice = await person(service, 'alice');
    const { token } = await create(alice);
    await service.as(alice).patch('/v1/users/@me', { password: alice.password, new_password: 'another fine password' });
    expect(await statusOf(token)).toBe(200);
  });
});

describe('tokens.md 1: the email before a token expires', () => {
  test('is sent once, seven days before, and not for deleted tokens', async () => {
    const alice = await verifiedPerson(service, 'alice');
    await create(alice, { expires_in_days: 7 });
    const { id } = await create(alice, { name: 'Deleted', expires_in_days: 20 });
    const { expires_at } = await create(alice, { expires_in_days: 20 });
    await service.as(alice).delete(`${TOKENS}/${id}`).expect(204);
    const reminders = () => inboxAfterDelivery(service, alice.email, 'access_token_expiring');
    const due = Date.parse(expires_at) - 7 * DAY_MS;
    await runJobs(service, new Date(due - 60_000));
    expect(await reminders()).toEqual([]);
    await runJobs(service, new Date(due + 60_000));
    await runJobs(service, new Date(due + 120_000));
    const [email, ...more] = await reminders();
    expect(more).toEqual([]);
    expect(email?.metadata).toEqual({ name: 'Backup script', expires_at });
    expect(email?.text).toContain('Backup script');
  });
});

describe('tokens.md 1: administrators', () => {
  const pathOf = ({ id }: { id: string }) => `/v1/admin/users/${id}/access-tokens`;

  test('list and delete the tokens of an account, with an audit entry', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { token, ...shown } = await create(alice);
    const admin = await administrator(service, 'user:list:sessions', 'user:update:flags');
    expect((await service.as(admin).get(pathOf(alice)).expect(200)).body).toEqual({ tokens: [shown] });
    await service
      .as(admin)
      .delete(`${pathOf(alice)}/${shown.id}`)
      .expect(204);
    expect(await statusOf(token)).toBe(401);
    const [entry] = await auditOf(service, 'delete_access_token');
    expect(entry).toMatchObject({ target_id: alice.id, metadata: { token_id: shown.id, name: 'Backup script' } });
    expect(await eventsOf(alice, 'access_token_deleted')).toMatchObject([{ by: 'administrator' }]);
    expectApiError(await service.as(admin).delete(`${pathOf(alice)}/${shown.id}`), 'UNKNOWN_TOKEN');
  });

  test('need the ACLs of sessions and of flags', async () => {
    const alice = await person(service, 'alice');
    const { id, token } = await create(alice);
    const admin = await administrator(service, '*');
    const key = service.as(await adminKey(service, admin, 'user:lookup'));
    await withoutAudit(service, async () => {
      expectApiError(await key.get(pathOf(alice)), 'MISSING_ACL');
      expectApiError(await key.delete(`${pathOf(alice)}/${id}`), 'MISSING_ACL');
      expectApiError(await service.as(admin).get(pathOf({ id: UNKNOWN })), 'UNKNOWN_USER');
      expectApiError(await service.as(admin).delete(`${pathOf({ id: UNKNOWN })}/${id}`), 'UNKNOWN_USER');
    });
    expect(await statusOf(token)).toBe(200);
  });
});

describe('PERSONAL_TOKENS and PERSONAL_TOKEN_MAX_DAYS', () => {
  test('off: the routes are 404 and the tokens 401', async () => {
    const alice = await person(service, 'alice');
    const { id, token } = await create(alice);
    const rows = await service.sql('SELECT digest FROM oauth_token WHERE id = $1', [id]);
    expect(await statusOf(token)).toBe(200);
    await withGatehouse({ env: { PERSONAL_TOKENS: 'off' } }, async (other) => {
      const { id: bobId, authorization } = await person(other, 'bob');
      await other.sql(
        `WITH application AS (INSERT INTO application (id, name, client_type) VALUES (0, 'Tokens', 'confidential')),
           family AS (
             INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
             VALUES (1, 0, $1::bigint, '{identify}', '')
           ), token AS (
             INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
             VALUES (1, $2, 'access', 1, 0, $1, '{identify}', now() + interval '1 day')
           )
         INSERT INTO personal_token (id, name, preview) VALUES (1, 'Script', 'abcd')`,
        [bobId, rows[0]?.digest],
      );
      expectApiError(await other.as(`Bearer ${token}`).get('/v1/users/@me'), 'UNAUTHORIZED');
      const bob = other.as(authorization);
      for (const response of [
        await bob.get(TOKENS),
        await bob.post(TOKENS, {}),
        await bob.patch(`${TOKENS}/${id}`, {}),
        await bob.delete(`${TOKENS}/${id}`),
      ]) {
        expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND']);
      }
    });
  });

  test('limit the lifetime, also the default one', async () => {
    await withGatehouse({ env: { PERSONAL_TOKEN_MAX_DAYS: '10' } }, async (other) => {
      const bob = await person(other, 'bob');
      const response = await other.as(bob).post(TOKENS, inputOf(bob)).expect(201);
      expect(Date.parse(response.body.expires_at) - Date.parse(response.body.created_at)).toBe(10 * DAY_MS);
      expectInvalid(
        await other.as(bob).post(TOKENS, inputOf(bob, { expires_in_days: 11 })),
        'expires_in_days: INVALID_FORMAT',
      );
    });
  });
});
