import { SecurityEvents } from '../../src/accounts/events/security-events.service.js';
import { Database } from '../../src/platform/database/database.js';
import { administrator, adminKey, setAcls } from '../support/admin.js';
import {
  asApp,
  changeEmail,
  consent,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  logIn,
  mailTo,
  newApp,
  newTokens,
  newWebhook,
  passkeySudo,
  person,
  type Row,
  runCleanup,
  signIn,
  sudoProof,
  type TestResponse,
  verifiedPerson,
  verifyEmail,
  withPasskey,
  withTotp,
} from '../support/index.js';

const EVENTS = '/v1/users/@me/security-events';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const KNOWN = '127.0.0.1';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const ok = ({ status, body }: TestResponse) => {
  if (![200, 202, 204].includes(status)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const as = (persona: { authorization: string }) => service.as(persona).with({ 'user-agent': AGENT });
const hashOf = async (token: string): Promise<string> => {
  const sessions = ok(await service.as(token).get('/v1/auth/sessions')) as { id_hash: string; current: boolean }[];
  return sessions.find(({ current }) => current)?.id_hash as string;
};

/** Security events of an account, oldest first, optionally of one type only. */
async function recorded({ id }: { id: string }, type?: string): Promise<Row[]> {
  const rows = await service.sql('SELECT * FROM security_event WHERE account_id = $1 ORDER BY id', [id]);
  return rows.filter((row) => type === undefined || row.type === type);
}
const typesOf = async (persona: { id: string }) => (await recorded(persona)).map((row) => row.type);
const factsOf = async (persona: { id: string }, type: string) => (await recorded(persona, type)).map((row) => row.data);

describe('web.md 5: GET /v1/users/@me/security-events', () => {
  test('lists the newest first, with device and IP address, in pages', async () => {
    const { id, ...alice } = await person(service, 'alice');
    const client = service.anonymous.with({ 'user-agent': AGENT });
    const { token } = ok(await client.post('/v1/auth/login', alice));
    const events = ok(await service.as(token).get(EVENTS));
    expect(events).toHaveLength(2);
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: 'signed_in',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      session_id_hash: await hashOf(token),
      client: {
        ...{ os: 'Linux', browser: 'Firefox', platform: 'desktop', location: null },
        masked_ip: expect.stringMatching(/^127\.0\./),
      },
      data: { method: 'password' },
    });
    expect(events[1]).toMatchObject({ type: 'signed_in', data: { method: 'registration' } });
    const page = ok(await service.as(token).get(EVENTS, { query: { limit: '1' } }));
    expect(page).toEqual([events[0]]);
    const rest = ok(await service.as(token).get(EVENTS, { query: { before: page[0].id } }));
    expect(rest).toEqual([events[1]]);
    expect(JSON.stringify(events)).not.toContain(token);
    expect(await recorded({ id })).toHaveLength(2);
  });

  test('rejects invalid pages, bots and tokens of applications, and allows suspicious accounts', async () => {
    const alice = await person(service, 'alice');
    for (const limit of ['0', '101', 'x']) {
      expectInvalid(await service.as(alice).get(EVENTS, { query: { limit } }), 'limit: INVALID_FORMAT');
    }
    expectInvalid(await service.as(alice).get(EVENTS, { query: { before: 'x' } }), 'before: INVALID_SNOWFLAKE_FORMAT');
    const app = await newApp(service, alice);
    expectApiError(await service.as(app.bot).get(EVENTS), 'ACCESS_DENIED');
    const { access_token } = await newTokens(service, alice, app);
    expectApiError(await service.as(`Bearer ${access_token}`).get(EVENTS), 'ACCESS_DENIED');
    expectApiError(await service.anonymous.get(EVENTS), 'UNAUTHORIZED');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [alice.id]);
    ok(await service.as(alice).get(EVENTS));
  });

  test('shows no events of other users, and none older than the retention', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const before = ok(await service.as(bob).get(EVENTS));
    ok(await logIn(service, alice));
    expect(ok(await service.as(bob).get(EVENTS))).toEqual(before);
    await service.sql("UPDATE security_event SET created_at = now() - interval '181 days' WHERE account_id = $1", [
      bob.id,
    ]);
    expect(ok(await service.as(bob).get(EVENTS))).toEqual([]);
    await runCleanup(service);
    expect(await recorded(bob)).toEqual([]);
    expect(await recorded(alice)).toHaveLength(2);
  });
});

describe('web.md 5: each type is written by its own operation, once', () => {
  test('sign-in by a code and by a passkey; a wrong second factor', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const { ticket } = ok(await logIn(service, alice));
    const complete = (code: string) => service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code });
    expectInvalid(await complete('000000'), 'code: INVALID_CODE');
    const { token } = ok(await complete(authenticator.next()));
    expect(await factsOf(alice, 'sign_in_refused')).toEqual([{ method: 'code' }]);
    expect(await factsOf(alice, 'signed_in')).toEqual([{ method: 'registration' }, { method: 'code' }]);
    const [, last] = await recorded(alice, 'signed_in');
    expect(last?.session_digest.toString('base64url')).toBe(await hashOf(token));
  });

  test('parallel wrong codes, fewer than destroy their ticket: each is recorded', async () => {
    const alice = await person(service, 'alice');
    await withTotp(service, alice);
    const { ticket } = ok(await logIn(service, alice));
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' })),
    );
    for (const response of responses) expect(response.status).toBe(400);
    expect(await recorded(alice, 'sign_in_refused')).toHaveLength(4);
  });

  test('a held sign-in: the network that the emailed link authorizes', async () => {
    const alice = await person(service, 'alice');
    const stranger = service.anonymous.from('127.0.77.7');
    const { ticket } = (await stranger.post('/v1/auth/login', alice)).body;
    const { metadata } = await mailTo(service, alice.email, 'ip_authorization');
    const confirm = () => service.anonymous.post('/v1/auth/authorize-ip', { token: metadata.token });
    const responses = await Promise.all(Array.from({ length: 32 }, confirm));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(await factsOf(alice, 'ip_authorized')).toEqual([{ masked_ip: expect.stringMatching(/^127\.0\./) }]);
    const polls = await Promise.all(
      Array.from({ length: 32 }, () => stranger.get('/v1/auth/ip-authorization/poll', { query: { ticket } })),
    );
    expect(new Set(polls.map(({ body }) => body.token)).size).toBe(1);
    expect(await factsOf(alice, 'signed_in')).toEqual([{ method: 'registration' }, { method: 'password' }]);
    expect((await recorded(alice, 'ip_authorized'))[0]?.ip).toBe(KNOWN);
  });

  test('sudo: by password, by code once even if it is sent often, by passkey; a proof presented again is not recorded', async () => {
    const alice = await person(service, 'alice');
    ok(await as(alice).post('/v1/auth/sessions/logout', { session_id_hashes: [], password: alice.password }));
    expect(await factsOf(alice, 'sudo_granted')).toEqual([{ method: 'password' }]);
    const { authenticator } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    ok(await service.as(alice).sudo(proof).delete('/v1/users/@me/authorized-ips'));
    const code = authenticator.next();
    const responses = await Promise.all(
      Array.from({ length: 32 }, () =>
        service.as(alice).delete('/v1/users/@me/authorized-ips', { mfa_method: 'totp', mfa_code: code }),
      ),
    );
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(await factsOf(alice, 'sudo_granted')).toEqual([
      ...[{ method: 'password' }, { method: 'password' }, { method: 'code' }, { method: 'code' }],
    ]);
    const bob = await person(service, 'bob');
    const key = await withPasskey(service, bob);
    ok(await service.as(bob).delete('/v1/users/@me/authorized-ips', await passkeySudo(service, bob, key)));
    expect((await factsOf(bob, 'sudo_granted')).at(-1)).toEqual({ method: 'passkey' });
  });

  test('the end of a session: actor and reason', async () => {
    const alice = await person(service, 'alice');
    const [one, two, three] = [
      await signIn(service, alice),
      await signIn(service, alice),
      await signIn(service, alice),
    ];
    const hashes = [await hashOf(one), await hashOf(two), await hashOf(three)];
    const out = () => service.as(one).post('/v1/auth/logout');
    expect((await Promise.all(Array.from({ length: 32 }, out))).some(({ status }) => status === 204)).toBe(true);
    ok(await as(alice).post('/v1/auth/sessions/logout', { session_id_hashes: [hashes[1]], password: alice.password }));
    const root = await administrator(service, 'user:update:flags');
    ok(await service.as(root).delete(`/v1/admin/users/${alice.id}/sessions`));
    const ends = await recorded(alice, 'session_ended');
    expect(ends).toHaveLength(4);
    const reported = ends.map(({ session_digest, data }) => [
      session_digest.toString('base64url'),
      data.by,
      data.reason,
    ]);
    expect(reported.slice(0, 2)).toEqual([
      [hashes[0], 'owner', 'signed_out'],
      [hashes[1], 'owner', 'signed_out'],
    ]);
    expect(reported.slice(2).map(([, by, reason]) => [by, reason])).toEqual([
      ['administrator', 'sessions_ended'],
      ['administrator', 'sessions_ended'],
    ]);
    expect(ends[1]).toMatchObject({ user_agent: AGENT, ip: KNOWN });
    expect(ends[2]).toMatchObject({ user_agent: null, ip: null });
  });

  test('32 parallel password changes: one notice, and each of the other sessions ends once', async () => {
    const alice = await person(service, 'alice');
    await signIn(service, alice);
    const change = (_: unknown, n: number) =>
      service.as(alice).patch('/v1/users/@me', { password: alice.password, new_password: `parallel password ${n}` });
    const responses = await Promise.all(Array.from({ length: 32 }, change));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await recorded(alice, 'password_changed')).toHaveLength(1);
    expect(await factsOf(alice, 'session_ended')).toEqual([{ by: 'owner', reason: 'password_changed' }]);
  });

  test('notices are recorded with and without an email address', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    await service.sql('UPDATE account SET email = NULL WHERE id = $1', [alice.id]);
    ok(
      await as(alice).post('/v1/users/@me/mfa/totp/disable', {
        ...{ code: authenticator.next(), mfa_method: 'totp', mfa_code: authenticator.code() },
      }),
    );
    expect(await typesOf(alice)).toEqual(expect.arrayContaining(['totp_enabled', 'totp_disabled']));
  });

  test('a change of the address, and its deletion', async () => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    await changeEmail(service, alice, { to: `new.${alice.email}` });
    expect(await recorded(alice, 'email_changed')).toHaveLength(1);
    ok(await as(alice).post('/v1/users/@me/delete', { password: alice.password }));
    expect(await factsOf(alice, 'account_deletion_scheduled')).toEqual([{ deadline: expect.any(String) }]);
    expect((await factsOf(alice, 'session_ended')).at(-1)).toEqual({
      by: 'owner',
      reason: 'account_deletion_scheduled',
    });
  });

  test('an application: authorized, removed by its user, revoked by itself; a denial is not recorded', async () => {
    const [alice, owner] = [await person(service, 'alice'), await person(service, 'owner')];
    const app = await newApp(service, owner, { name: 'Notes' });
    ok(await consent(service, alice, app, { decision: 'deny' }));
    expect(await recorded(alice, 'application_authorized')).toEqual([]);
    const { refresh_token } = await newTokens(service, alice, app);
    const named = { application_id: app.id, name: 'Notes' };
    expect(await factsOf(alice, 'application_authorized')).toEqual([{ ...named, scopes: ['identify'] }]);
    ok(await asApp(service, app, '/v1/oauth2/token/revoke', { token: refresh_token }));
    await newTokens(service, alice, app);
    const remove = () => service.as(alice).delete(`/v1/oauth2/@me/authorizations/${app.id}`);
    for (const response of await Promise.all(Array.from({ length: 32 }, remove))) expect(response.status).toBe(204);
    expect(await factsOf(alice, 'application_removed')).toEqual([
      { ...named, by: 'application', reason: 'token_revoked' },
      { ...named, by: 'owner', reason: 'deauthorized' },
    ]);
  });

  test('secrets of an application and webhook URLs of its bot are reported to its owner', async () => {
    const owner = await person(service, 'owner');
    const app = await newApp(service, owner, { name: 'Notes' });
    const own = `/v1/oauth2/applications/${app.id}`;
    const sudo = { password: owner.password };
    const hook = await newWebhook(service, app.bot, { name: 'bell' });
    ok(await service.as(app.bot).post(`/v1/webhooks/${hook.id}/token/rotate`));
    const { token } = ok(await as(owner).post(`${own}/bot/reset-token`, sudo));
    const { client_secret: secret } = ok(await as(owner).post(`${own}/client-secret/reset`, sudo));
    const named = { application_id: app.id, name: 'Notes' };
    expect(await factsOf(owner, 'bot_token_reset')).toEqual([{ ...named, by: 'owner', reason: 'reset' }]);
    expect(await factsOf(owner, 'client_secret_reset')).toEqual([named]);
    expect(await factsOf(owner, 'webhook_rotated')).toEqual([
      { webhook_id: hook.id, name: 'bell', by: 'owner', reason: 'rotated' },
    ]);
    expect(await recorded({ id: app.id })).toEqual([]);
    const everything = JSON.stringify(ok(await service.as(owner).get(EVENTS)));
    for (const value of [token, secret, token.split('.')[1], hook.token]) expect(everything).not.toContain(value);
  });

  test('Admin API keys: created and deleted', async () => {
    const owner = await person(service, 'owner');
    await setAcls(service, owner, ['*']);
    const { id, authorization } = await adminKey(service, owner, 'user:lookup');
    const remove = () => service.as(owner).delete(`/v1/admin/api-keys/${id}`);
    const responses = await Promise.all(Array.from({ length: 32 }, remove));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await factsOf(owner, 'admin_key_created')).toEqual([{ key_id: id, name: 'a key', by: 'owner' }]);
    expect(await factsOf(owner, 'admin_key_deleted')).toEqual([
      { key_id: id, name: 'a key', by: 'owner', reason: 'deleted' },
    ]);
    expect(JSON.stringify(await recorded(owner))).not.toContain(authorization.split(' ')[1]);
  });

  test('a rolled-back event is not recorded, and an unregistered type is an error', async () => {
    const alice = await person(service, 'alice');
    const events = service.app.get(SecurityEvents);
    const database = service.app.get(Database);
    const event = { accountId: alice.id, type: 'locked_down' } as const;
    const undone = database.transaction(async (tx) => {
      await events.record(tx, event);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const unknown = database.transaction((tx) => events.record(tx, { ...event, type: 'made_up' as 'locked_down' }));
    await expect(unknown).rejects.toThrow('made_up');
    expect(await typesOf(alice)).toEqual(['signed_in']);
  });
});
