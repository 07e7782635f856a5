import { createHash, randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { IdentityResolver } from '../../src/accounts/identity-resolver.js';
import { Credentials } from '../../src/gateway/credentials.service.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { advanceGateway, GatewayClient } from '../support/gateway-client.js';
import {
  type Client,
  expectApiError,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newTokens,
  type Persona,
  person,
  signIn,
  sudoProof,
  withTotp,
} from '../support/index.js';

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse();
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

/** Creates an application and returns it with the token of its bot. */
async function bot(owner: Persona) {
  const app = await newApp(service, owner);
  return { ...app, token: app.bot.slice('Bot '.length) };
}

const hash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Returns the close code and reason of a connection after an Identify with this payload. */
async function identifyEnds(d?: unknown): Promise<[number, string]> {
  const client = await GatewayClient.connect(service);
  client.send({ op: 2, d });
  const end = await client.closed();
  expect(client.received).toHaveLength(1);
  return end;
}

describe('5.10.1 a session token or a bot token is sent in Identify', () => {
  test('READY of a user', async () => {
    const dora = await person(service, 'dora');
    const { client, ready } = await GatewayClient.identify(service, dora.authorization);
    const me = await service.as(dora).get('/v1/users/@me');
    expect(client.received[1]).toMatchObject({ op: 0, s: 1, t: 'READY' });
    expect(ready).toEqual({
      version: 1,
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      resume_gateway_url: 'ws://localhost:8080/gateway',
      user: me.body,
      sessions: [
        { session_id: 'all', status: 'online', afk: false, mobile: false },
        { session_id: ready.session_id, status: 'online', afk: false, mobile: false },
      ],
      guilds: [],
      private_channels: [],
      user_settings: {
        locale: 'en-US',
        theme: 'system',
        email_notifications: true,
        session_ip_authorization: true,
        developer_mode: false,
        custom: {},
      },
      webauthn_credentials: [],
      auth_session_id_hash: hash(dora.authorization),
    });
    expect(JSON.stringify(ready)).not.toContain(dora.authorization);
  });

  test('READY of a bot', async () => {
    const { id, token } = await bot(alice);
    const { ready } = await GatewayClient.identify(service, token, { shard: [0, 2] });
    expect(Object.keys(ready).sort()).toEqual(
      [
        ...['version', 'session_id', 'resume_gateway_url', 'user', 'sessions', 'guilds', 'private_channels'],
        ...['shard', 'application'],
      ].sort(),
    );
    expect(ready).toMatchObject({ application: { id }, shard: [0, 2], user: { id, bot: true, email: null } });
    expect(JSON.stringify(ready)).not.toContain(token);
  });

  test('READY lists the passkeys of a user, oldest first', async () => {
    const eve = await person(service, 'eve');
    for (const [id, created] of [
      ['second', '2026-01-02'],
      ['first', '2026-01-01'],
    ]) {
      await service.sql(
        `INSERT INTO passkey (id, account_id, name, public_key, created_at) VALUES ($1, $2, $1, '\\x00', $3)`,
        [id, eve.id, created],
      );
    }
    const { ready } = await GatewayClient.identify(service, eve.authorization);
    expect(ready.webauthn_credentials).toEqual([
      { id: 'first', name: 'first', created_at: '2026-01-01T00:00:00.000Z', last_used_at: null },
      { id: 'second', name: 'second', created_at: '2026-01-02T00:00:00.000Z', last_used_at: null },
    ]);
  });

  test('an account with an outstanding requirement is accepted, because that gate does not apply here', async () => {
    const suspect = await person(service, 'suspect');
    await service.sql('UPDATE account SET suspicious_flags = 4 WHERE id = $1', [suspect.id]);
    const { ready } = await GatewayClient.identify(service, suspect.authorization);
    expect(ready.user.required_actions).toEqual(['REQUIRE_VERIFIED_PHONE']);
  });

  test('properties, ignored events and shard are accepted in every valid form', async () => {
    for (const more of [
      { properties: {} },
      { properties: { os: 5, browser: 'x'.repeat(500), device: null, mobile: 'yes' }, unknown: { token: 1 } },
      { ignored_events: null, shard: null },
      { ignored_events: [] },
      { ignored_events: Array.from({ length: 256 }, (_, index) => `e${index % 7}`), shard: [16383, 16384] },
    ]) {
      const { client, ready } = await GatewayClient.identify(service, alice.authorization, more);
      expect(ready.sessions.at(-1)).toMatchObject({ session_id: ready.session_id, mobile: false });
      await client.terminate();
    }
    const { ready } = await GatewayClient.identify(service, alice.authorization, { properties: { mobile: true } });
    expect(ready.sessions.at(-1)).toMatchObject({ session_id: ready.session_id, mobile: true });
  });
});

describe('5.10.2 an invalid or revoked credential closes with 4004', () => {
  test('every cause is reported in the same way', async () => {
    const { token } = await bot(alice);
    const [id, secret] = token.split('.') as [string, string];
    const withMfa = await person(service, 'mfa');
    const { authenticator } = await withTotp(service, withMfa);
    const proof = await sudoProof(service, withMfa, authenticator);
    const gone = await person(service, 'gone');
    await service.as(gone).post('/v1/auth/logout');
    const access = randomBytes(32).toString('base64url');
    for (const refused of [
      gone.authorization,
      `flx_${'A'.repeat(36)}`,
      `Bearer ${alice.authorization}`,
      `Bot ${token}`,
      ` ${alice.authorization}`,
      `${alice.authorization}\n`,
      `${alice.authorization}x`,
      alice.authorization.toUpperCase(),
      `${id}.${randomBytes(32).toString('base64url')}`,
      `1${id}.${secret}`,
      `0${id}.${secret}`,
      `9999999999999999999.${secret}`,
      secret,
      access,
      `Bearer ${access}`,
      proof,
      `fa_1_${'a'.repeat(32)}`,
      'x',
      '\u0000',
      'é'.repeat(1000),
      '1.2',
    ]) {
      expect([refused, await identifyEnds({ token: refused })]).toEqual([refused, [4004, 'Invalid token']]);
    }
  });

  test.each([
    ['disabled by its user', 'flags = flags | (1::bigint << 38)'],
    ['sent to deletion by its user', 'flags = flags | (1::bigint << 36)'],
    ['sent to deletion', 'flags = flags | (1::bigint << 34)'],
    ['disabled for suspicious activity', 'flags = flags | (1::bigint << 35)'],
    ['banned', 'banned = true'],
    ['banned for a time', "banned = true, banned_until = now() + interval '1 hour'"],
    ['deleted', 'deleted_at = now()'],
  ])('an account that is %s is rejected, for users and bots, and on Resume also', async (_, change) => {
    const frank = await person(service, 'frank');
    const robot = await bot(frank);
    for (const { id, token } of [{ id: frank.id, token: frank.authorization }, robot]) {
      const { client, ready } = await GatewayClient.identify(service, token);
      await client.terminate();
      await service.sql(`UPDATE account SET ${change} WHERE id = $1`, [id]);
      expect(await identifyEnds({ token })).toEqual([4004, 'Invalid token']);
      const again = await GatewayClient.connect(service);
      again.resume(token, ready.session_id, 1);
      expect(await again.closed()).toEqual([4004, 'Invalid token']);
    }
  });

  test('an expired ban rejects no account', async () => {
    const late = await person(service, 'late');
    await service.sql("UPDATE account SET banned = true, banned_until = now() - interval '1 s' WHERE id = $1", [
      late.id,
    ]);
    await GatewayClient.identify(service, late.authorization);
  });
});

describe('5.10.3 a missing token closes with 4002 Invalid identify payload', () => {
  test.each([
    [undefined],
    [null],
    [[]],
    ['flx_x'],
    [5],
    [{}],
    [{ token: null }],
    [{ token: '' }],
    [{ token: 1 }],
    [{ token: {} }],
    [{ token: ['x'] }],
    [{ token: 'x', properties: null }],
    [{ token: 'x', properties: [] }],
    [{ token: 'x', properties: 'linux' }],
    [{ token: 'x', ignored_events: 'READY' }],
    [{ token: 'x', ignored_events: {} }],
    [{ token: 'x', ignored_events: [1] }],
    [{ token: 'x', ignored_events: [null] }],
    [{ token: 'x', ignored_events: Array(257).fill('A') }],
    [{ token: 'x', ignored_events: [1], shard: [2, 1] }],
    [{ token: '', shard: 'x' }],
  ])('%j', async (d) => {
    expect(await identifyEnds(d)).toEqual([4002, 'Invalid identify payload']);
  });

  test.each([
    [[1, 1]],
    [[-1, 1]],
    [[0, 0]],
    [[0, 16385]],
    [[0.5, 2]],
    [['0', '1']],
    [[0]],
    [[0, 1, 2]],
    [[]],
    ['0,1'],
    [{ id: 0, count: 1 }],
    [0],
    [false],
  ])('the shard %j is rejected with 4010 before the token is checked', async (shard) => {
    expect(await identifyEnds({ token: 'x', shard })).toEqual([4010, 'Invalid shard']);
  });
});

describe('gateway 9: revocation while connected', () => {
  test('logout closes only the sockets of that session, before it responds', async () => {
    const grace = await person(service, 'grace');
    const second = await signIn(service, grace);
    const { client: first } = await GatewayClient.identify(service, grace.authorization);
    const { client: twin } = await GatewayClient.identify(service, grace.authorization);
    const { client: other } = await GatewayClient.identify(service, second);
    expect((await service.as(grace).post('/v1/auth/logout')).status).toBe(204);
    for (const client of [first, twin]) expect(await client.closed()).toEqual([4004, 'Invalid token']);
    await other.sendHeartbeat();
  });

  test('revoking sessions from another session closes their sockets without op 9', async () => {
    const heidi = await person(service, 'heidi');
    const second = await signIn(service, heidi);
    const { client, ready } = await GatewayClient.identify(service, second);
    const { client: own } = await GatewayClient.identify(service, heidi.authorization);
    const response = await service.as(heidi).post('/v1/auth/sessions/logout', {
      session_id_hashes: [ready.auth_session_id_hash],
      password: heidi.password,
    });
    expect(response.status).toBe(204);
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    expect(client.received.some(({ op }) => op === 9)).toBe(false);
    await own.sendHeartbeat();
  });

  test.each([
    ['disabling the account', ({ password }: Persona, me: Client) => me.post('/v1/users/@me/disable', { password })],
    ['its scheduled deletion', ({ password }: Persona, me: Client) => me.post('/v1/users/@me/delete', { password })],
    [
      'a password reset',
      async ({ email }: Persona) => {
        await service.anonymous.post('/v1/auth/forgot', { email });
        const { token } = (await mailTo(service, email, 'password_reset')).metadata;
        return service.anonymous.post('/v1/auth/reset', { token, password: 'a brand new password' });
      },
    ],
  ])('%s closes all sockets of the account', async (_, revoke) => {
    const ivan = await person(service, 'ivan');
    const second = await signIn(service, ivan);
    const clients = [];
    for (const token of [ivan.authorization, second, second]) {
      clients.push((await GatewayClient.identify(service, token)).client);
    }
    expect((await revoke(ivan, service.as(ivan))).status).toBeLessThan(300);
    for (const client of clients) expect(await client.closed()).toEqual([4004, 'Invalid token']);
  });

  test('all sessions of an account with very many sessions are closed', async () => {
    const max = await person(service, 'max');
    const { client } = await GatewayClient.identify(service, max.authorization);
    await service.sql(
      `INSERT INTO session (id, digest, account_id, ip)
       SELECT $1::bigint - n, sha256(n::text::bytea || $1::text::bytea), $1::bigint, '127.0.0.1'
       FROM generate_series(1, 1000) n`,
      [max.id],
    );
    const { status } = await service.as(max).post('/v1/users/@me/disable', { password: max.password });
    expect(status).toBe(204);
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
  });

  test('a password change closes all sockets; the caller receives the new token and resumes with it', async () => {
    const judy = await person(service, 'judy');
    const second = await signIn(service, judy);
    const { client: other } = await GatewayClient.identify(service, second);
    const { client, ready } = await GatewayClient.identify(service, judy.authorization, {
      ignored_events: ['auth_session_change', 'user_update'],
    });
    const { client: idle, ready: idleReady } = await GatewayClient.identify(service, judy.authorization);
    await idle.terminate();
    const { status, body } = await service.as(judy).patch('/v1/users/@me', {
      password: judy.password,
      new_password: randomBytes(12).toString('hex'),
    });
    expect(status).toBe(200);
    expect(await other.closed()).toEqual([4004, 'Invalid token']);
    const { d } = await client.event('AUTH_SESSION_CHANGE');
    expect(d).toEqual({
      old_auth_session_id_hash: ready.auth_session_id_hash,
      new_auth_session_id_hash: body.auth_session_id_hash,
    });
    expect(body.auth_session_id_hash).toBe(hash(body.token));
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    const { s, t } = client.received.at(-1) ?? {};
    expect(t).toBe('AUTH_SESSION_CHANGE');

    const stale = await GatewayClient.connect(service);
    stale.resume(judy.authorization, ready.session_id, 1);
    expect(await stale.closed()).toEqual([4004, 'Invalid token']);
    const back = await GatewayClient.connect(service);
    back.resume(body.token, ready.session_id, 1);
    expect((await back.event('RESUMED')).s).toBeGreaterThanOrEqual(s ?? 0);
    expect(JSON.stringify(back.received)).not.toContain(body.token);
    const alsoBack = await GatewayClient.connect(service);
    alsoBack.resume(body.token, idleReady.session_id, 1);
    await alsoBack.event('RESUMED');
    expect(alsoBack.received.some(({ t }) => t === 'AUTH_SESSION_CHANGE')).toBe(false);
  });

  test('a Resume ends if the token is rotated after the database has confirmed it', async () => {
    const kim = await person(service, 'kim');
    const { client, ready } = await GatewayClient.identify(service, kim.authorization);
    await client.terminate();
    const { client: other } = await GatewayClient.identify(service, kim.authorization);
    const credentials = service.app.get(Credentials);
    const confirm = jest.spyOn(credentials, 'confirm').mockImplementationOnce(async (...args) => {
      const identity = await Credentials.prototype.confirm.apply(credentials, args);
      const words = { password: kim.password, new_password: 'entirely new words' };
      await service.as(kim).patch('/v1/users/@me', words);
      expect(await other.closed()).toEqual([4004, 'Invalid token']);
      return identity;
    });
    const late = await GatewayClient.connect(service);
    late.resume(kim.authorization, ready.session_id, 1);
    expect(await late.closed()).toEqual([4004, 'Invalid token']);
    expect(late.received.some(({ t }) => t === 'RESUMED')).toBe(false);
    confirm.mockRestore();
  });

  test('after a rotation during 32 Identifies and Resumes with the old token, none of them stays connected', async () => {
    const kim = await person(service, 'kim');
    const { client, ready } = await GatewayClient.identify(service, kim.authorization);
    await client.terminate();
    const clients = await Promise.all(Array.from({ length: 32 }, () => GatewayClient.connect(service)));
    const words = { password: kim.password, new_password: 'entirely new words' };
    const rotated = service.as(kim).patch('/v1/users/@me', words);
    for (const [n, each] of clients.entries()) {
      if (n % 4 === 0) each.resume(kim.authorization, ready.session_id, 1);
      else each.send({ op: 2, d: { token: kim.authorization } });
      await new Promise((resolve) => setTimeout(resolve, n));
    }
    expect((await rotated).status).toBe(200);
    for (const each of clients) {
      const [code] = await each.closed();
      expect([4000, 4004]).toContain(code);
    }
    const back = await GatewayClient.connect(service);
    back.resume((await rotated).body.token, ready.session_id, 1);
    await back.event('RESUMED');
  });

  test.each([
    ['a reset bot token', (id: string) => `post /v1/oauth2/applications/${id}/bot/reset-token`],
    ['the deletion of the application', (id: string) => `delete /v1/oauth2/applications/${id}`],
  ])('%s closes all sockets of only that bot', async (_, operation) => {
    const robot = await bot(alice);
    const other = await bot(alice);
    const { client } = await GatewayClient.identify(service, robot.token);
    const { client: twin } = await GatewayClient.identify(service, robot.token);
    const { client: spared } = await GatewayClient.identify(service, other.token);
    const [method, path = ''] = operation(robot.id).split(' ') as ['post' | 'delete', string];
    const { status } = await service.as(alice)[method](path, { password: alice.password });
    expect(status).toBeLessThan(300);
    for (const each of [client, twin]) expect(await each.closed()).toEqual([4004, 'Invalid token']);
    expect(await identifyEnds({ token: robot.token })).toEqual([4004, 'Invalid token']);
    await spared.sendHeartbeat();
  });

  test('a retained session ends with its credential, and nothing is dispatched after that', async () => {
    const leo = await person(service, 'leo');
    const second = await signIn(service, leo);
    const { client, ready } = await GatewayClient.identify(service, leo.authorization);
    await client.terminate();
    expect((await service.as(leo).post('/v1/auth/logout')).status).toBe(204);
    const again = await GatewayClient.connect(service);
    again.resume(second, ready.session_id, 1);
    expect(await again.next()).toEqual({ op: 9, d: false });
    await again.terminate();
  });

  test('an operation that revokes no session closes no socket', async () => {
    const mia = await person(service, 'mia');
    const robot = await bot(mia);
    const clients = [];
    for (const token of [mia.authorization, robot.token]) {
      clients.push((await GatewayClient.identify(service, token)).client);
    }
    await newTokens(service, mia, robot);
    const me = service.as(mia);
    expect((await me.delete(`/v1/oauth2/@me/authorizations/${robot.id}`)).status).toBeLessThan(300);
    const reset = `/v1/oauth2/applications/${robot.id}/client-secret/reset`;
    expect((await me.post(reset, { password: mia.password })).status).toBe(200);
    await service.sql('UPDATE account SET suspicious_flags = 4, acls = ARRAY[$2] WHERE id = $1', [mia.id, 'x']);
    advanceGateway(service, 10);
    for (const client of clients) await client.sendHeartbeat();
  });

  test('a change whose event cannot be recorded is rolled back, and no client receives it', async () => {
    const erin = await person(service, 'erin');
    const { client } = await GatewayClient.identify(service, erin.authorization);
    const save = (bio: string) => service.as(erin).patch('/v1/users/@me', { bio });
    await service.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no entry'; END $$`);
    await service.sql('CREATE TRIGGER refuse BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION refuse()');
    try {
      expectApiError(await save('never'), 'INTERNAL_SERVER_ERROR');
      const [row] = await service.sql(
        'SELECT bio, (SELECT count(*)::int FROM journal WHERE account_id = id) AS entries FROM account WHERE id = $1',
        [erin.id],
      );
      expect(row).toEqual({ bio: null, entries: 0 });
    } finally {
      await service.sql('DROP FUNCTION refuse() CASCADE');
    }
    expect((await save('once')).status).toBe(200);
    expect((await client.event('USER_UPDATE')).d.bio).toBe('once');
  });

  test('a logout concurrent with Identify never leaves a socket open', async () => {
    const nina = await person(service, 'nina');
    const tokens = [nina.authorization];
    while (tokens.length < 25) tokens.push(await signIn(service, nina));
    const rounds = tokens.map(async (token) => {
      const clients = await Promise.all([1, 2, 3].map(() => GatewayClient.connect(service)));
      for (const client of clients) client.send({ op: 2, d: { token } });
      expect((await service.as(token).post('/v1/auth/logout')).status).toBe(204);
      for (const client of clients) expect(await client.closed()).toEqual([4004, 'Invalid token']);
    });
    await Promise.all(rounds);
  });
});

describe('gateway 9: while revocations cannot be received', () => {
  beforeEach(() => {
    const replica = service.app.get(ReplicaBus);
    Object.defineProperty(replica, 'isConnected', { value: false, configurable: true, writable: true });
  });
  afterEach(() => {
    Object.defineProperty(service.app.get(ReplicaBus), 'isConnected', {
      value: true,
      configurable: true,
      writable: true,
    });
    advanceGateway(service, 1);
  });

  test('every connected credential is checked again every 5 s', async () => {
    const olga = await person(service, 'olga');
    const { client } = await GatewayClient.identify(service, olga.authorization);
    const { client: spared } = await GatewayClient.identify(service, await signIn(service, olga));
    const robot = await bot(olga);
    const { client: machine } = await GatewayClient.identify(service, robot.token);
    advanceGateway(service, 1);
    await service.sql('UPDATE session SET revoked_at = now() WHERE digest = $1', [
      createHash('sha256').update(olga.authorization).digest(),
    ]);
    await service.sql('UPDATE application SET bot_digest = $2 WHERE id = $1', [robot.id, randomBytes(32)]);
    advanceGateway(service, 6);
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    expect(await machine.closed()).toEqual([4004, 'Invalid token']);
    await spared.sendHeartbeat();
  });

  test('a socket whose credential cannot be checked for 60 s closes, and its session is retained', async () => {
    const paul = await person(service, 'paul');
    const { client, ready } = await GatewayClient.identify(service, paul.authorization);
    await service.sql('ALTER TABLE session RENAME TO session_away');
    try {
      for (let waited = 0; waited < 60; waited += 20) {
        await client.sendHeartbeat();
        advanceGateway(service, 20);
      }
      advanceGateway(service, 1);
      expect(await client.closed()).toEqual([4000, 'Session unavailable']);
      const blind = await GatewayClient.connect(service);
      blind.send({ op: 2, d: { token: paul.authorization } });
      expect(await blind.closed()).toEqual([4000, 'Failed to start session']);
      const blindResume = await GatewayClient.connect(service);
      blindResume.resume(paul.authorization, ready.session_id, 1);
      expect(await blindResume.closed()).toEqual([4000, 'Session unavailable']);
    } finally {
      await service.sql('ALTER TABLE session_away RENAME TO session');
    }
    const back = await GatewayClient.connect(service);
    back.resume(paul.authorization, ready.session_id, 1);
    await back.event('RESUMED');
  });
});

describe('oauth 6.2: GET /v1/gateway/bot', () => {
  const unknown = '1.x';
  test.each([`Bot ${unknown}`, `bot ${unknown}`, `BOT 007.${'A'.repeat(43)}`, 'bOt 1._-'])(
    'only the form is checked: %j',
    async (authorization) => {
      const { status, body } = await service.as(authorization).get('/v1/gateway/bot');
      expect(status).toBe(200);
      expect(body).toEqual({
        url: 'ws://localhost:8080/gateway',
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 },
      });
    },
  );

  test.each([
    ...['Bot', 'Bot x', 'Bot .x', 'Bot 1.', 'Bot 1..x', 'Bot 1.a.b', 'Bot a.b', 'Bot a b.c', 'Bot -1.x', 'Bot 1.%00'],
    ...['Bot  1.x', 'Bot 1.x y', 'Bot 1.x=', '1.x', 'Bearer 1.x', 'Admin 1.x', 'Bots 1.x', 'Bot\t1.x', 'Bot ١.x'],
  ])('%j does not have the form', async (authorization) => {
    const value = Buffer.from(authorization, 'utf8').toString('latin1');
    expectApiError(await service.as(value).get('/v1/gateway/bot'), 'UNAUTHORIZED');
  });

  test('nothing is looked up', async () => {
    const { counters } = service.app.get(IdentityResolver);
    const before = { ...counters };
    await service.as(`Bot 1.${'A'.repeat(43)}`).get('/v1/gateway/bot');
    expect(counters).toEqual(before);
  });

  test('a missing credential and a session token do not have the form', async () => {
    expectApiError(await service.anonymous.get('/v1/gateway/bot'), 'UNAUTHORIZED');
    expectApiError(await service.as(alice).get('/v1/gateway/bot'), 'UNAUTHORIZED');
  });
});
