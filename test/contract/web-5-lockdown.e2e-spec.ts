import { administrator, adminKey, setAcls } from '../support/admin.js';
import {
  type App,
  type CreatedWebhook,
  changeEmail,
  enforceSso,
  exchange,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  GatewayClient,
  gatehouse,
  inboxAfterDelivery,
  isTokenActive,
  logIn,
  mailsTo,
  mailTo,
  newApp,
  newCode,
  newTokens,
  newWebhook,
  type Persona,
  person,
  refresh,
  signIn,
  sudoProof,
  type TestResponse,
  type Tokens,
  verifiedPerson,
  verifyEmail,
  withTotp,
} from '../support/index.js';

const LOCKDOWN = '/v1/users/@me/lockdown';
const BY_LINK = '/v1/auth/lockdown';
const DEAD = 'token: INVALID_OR_EXPIRED_LOCKDOWN_TOKEN';
const NEW_PASSWORD = 'a password after all of this';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

const ok = ({ status, body }: TestResponse) => {
  if (status !== 200 && status !== 204) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

interface Equipped {
  readonly owner: Persona;
  readonly session: string;
  readonly app: App;
  readonly tokens: Tokens;
  readonly code: string;
  readonly hook: CreatedWebhook;
  readonly botHook: CreatedWebhook;
  readonly key: string;
}

/** Creates a user who has every kind of credential. */
async function equipped(): Promise<Equipped> {
  const owner = await verifiedPerson(service, 'owner');
  await setAcls(service, owner, ['*']);
  const app = await newApp(service, owner);
  const tokens = await newTokens(service, owner, app);
  return {
    ...{ owner, app, tokens },
    session: await signIn(service, owner),
    code: await newCode(service, owner, app),
    hook: await newWebhook(service, owner),
    botHook: await newWebhook(service, app.bot),
    key: (await adminKey(service, owner, 'admin_api_key:manage')).authorization,
  };
}

const isOpen = async (hook: CreatedWebhook) => (await service.anonymous.get(hook.path)).status === 200;
const works = async (credential: string, path = '/v1/users/@me') =>
  (await service.as(credential).get(path)).status === 200;
const aliveOf = async ({ app, tokens, session, hook, botHook, key, owner }: Equipped) => ({
  caller: await works(owner.authorization),
  session: await works(session),
  bot: await works(app.bot),
  access: await isTokenActive(service, tokens.access_token),
  hook: await isOpen(hook),
  botHook: await isOpen(botHook),
  key: await works(key, '/v1/admin/api-keys'),
});
const ALIVE = { caller: true, session: true, bot: true, access: true, hook: true, botHook: true, key: true };
const GONE = { caller: false, session: false, bot: false, access: false, hook: false, botHook: false, key: false };
const events = ({ id }: { id: string }, type: string) =>
  service.sql('SELECT data FROM security_event WHERE account_id = $1 AND type = $2 ORDER BY id', [id, type]);

/** Changes the password. Returns the lockdown token from the security notice, and the new session. */
async function noticed(owner: Persona): Promise<{ token: string; authorization: string }> {
  const change = { password: owner.password, new_password: NEW_PASSWORD };
  const { token: authorization } = ok(await service.as(owner).patch('/v1/users/@me', change));
  const { metadata, text } = await mailTo(service, owner.email, 'security_notice');
  expect(text).toContain(`/auth/lockdown#token=${metadata.token}`);
  return { token: metadata.token as string, authorization };
}

describe('web.md 5: POST /v1/users/@me/lockdown', () => {
  test('ends every credential of the account except the calling session, and counts them', async () => {
    const all = await equipped();
    const { owner, app, session } = all;
    expect(await aliveOf(all)).toEqual(ALIVE);
    const { client: thief } = await GatewayClient.identify(service, session);
    const { client: bot } = await GatewayClient.identify(service, app.bot.slice('Bot '.length));
    const body = ok(await service.as(owner).post(LOCKDOWN, { password: owner.password }));
    expect(body).toEqual({
      ended: { bot_tokens: 1, grants: 1, webhook_tokens: 2, admin_keys: 1, sessions: 1 },
      next: ['change_password', 'check_email'],
    });
    expect([(await thief.closed())[0], (await bot.closed())[0]]).toEqual([4004, 4004]);
    expect(await aliveOf(all)).toEqual({ ...GONE, caller: true });
    expectApiError(await refresh(service, app, all.tokens.refresh_token), 'INVALID_GRANT');
    expectApiError(await exchange(service, app, all.code), 'INVALID_GRANT');
    expect(await events(owner, 'locked_down')).toEqual([{ data: { by: 'session', ended: body.ended } }]);
    for (const type of ['session_ended', 'application_removed', 'bot_token_reset', 'admin_key_deleted']) {
      expect([type, await events(owner, type)]).toEqual([
        type,
        [{ data: expect.objectContaining({ by: 'owner', reason: 'lockdown' }) }],
      ]);
    }
    expect(await events(owner, 'webhook_rotated')).toHaveLength(2);
    expect((await mailsTo(service, owner.email, 'security_notice', 1)).map(({ metadata }) => metadata.event)).toEqual([
      'locked_down',
    ]);
  });

  test('ends sudo proofs, open tickets and everything pending, regardless of the requested kinds', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const { authenticator } = await withTotp(service, owner);
    const proof = await sudoProof(service, owner, authenticator);
    const { ticket } = ok(await logIn(service, owner));
    await service.anonymous.post('/v1/auth/forgot', { email: owner.email });
    const { metadata } = await mailTo(service, owner.email, 'password_reset');
    const other = await signedInBySecondFactor(ticket, authenticator.next());
    const { ticket: open } = ok(await logIn(service, owner));
    const locked = await service
      .as(owner)
      .sudo(proof)
      .post(LOCKDOWN, { include: ['webhook_tokens'] });
    expect(ok(locked).ended.sessions).toBe(0);
    expect(locked.headers.has('x-service-sudo-mode-jwt')).toBe(false);
    expect(await works(other)).toBe(true);
    expectApiError(await service.as(owner).sudo(proof).delete('/v1/users/@me/authorized-ips'), 'SUDO_MODE_REQUIRED');
    const late = { ticket: open, code: authenticator.next() };
    expectInvalid(await service.anonymous.post('/v1/auth/login/mfa/totp', late), 'ticket: SESSION_TIMEOUT');
    const reset = { token: metadata.token, password: NEW_PASSWORD };
    expectInvalid(await service.anonymous.post('/v1/auth/reset', reset), 'token: INVALID_OR_EXPIRED_RESET_TOKEN');
  });

  const signedInBySecondFactor = async (ticket: string, code: string): Promise<string> =>
    ok(await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code })).token;

  test('ends only the requested kinds', async () => {
    const all = await equipped();
    const { password } = all.owner;
    ok(await service.as(all.owner).post(LOCKDOWN, { password, include: ['bot_tokens', 'admin_keys'] }));
    expect(await aliveOf(all)).toEqual({ ...ALIVE, bot: false, key: false });
    for (const include of [[], ['passwords'], 'sessions', [1]]) {
      expect((await service.as(all.owner).post(LOCKDOWN, { password, include })).body.code).toBe('INVALID_FORM_BODY');
    }
    expect(await events(all.owner, 'locked_down')).toHaveLength(1);
  });

  test('is allowed for suspicious accounts; 32 parallel calls end a session once and are each recorded', async () => {
    const owner = await verifiedPerson(service, 'owner');
    await signIn(service, owner);
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [owner.id]);
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => service.as(owner).post(LOCKDOWN, { password: owner.password })),
    );
    const done = responses.filter(({ status }) => status === 200);
    // Passwords are checked only a few times per minute, regardless of the caller.
    for (const { status, body } of responses.filter(({ status }) => status !== 200)) {
      const refusals = [
        [401, 'UNAUTHORIZED'],
        [400, 'INVALID_FORM_BODY'],
      ];
      expect(refusals).toContainEqual([status, body.code]);
    }
    expect(done.reduce((sum, { body }) => sum + body.ended.sessions, 0)).toBe(1);
    expect(await events(owner, 'locked_down')).toHaveLength(done.length);
    expect(await events(owner, 'session_ended')).toHaveLength(1);
    expect(await works(owner.authorization)).toBe(true);
  });

  test('without sudo it ends only sessions, including the calling one, regardless of the requested kinds', async () => {
    for (const sent of [{}, { include: ['bot_tokens', 'webhook_tokens'] }]) {
      const all = await equipped();
      const { owner } = all;
      const { client: socket } = await GatewayClient.identify(service, all.session);
      const body = ok(await service.as(owner).sudo('a.b.c').post(LOCKDOWN, sent));
      expect(body).toEqual({
        ended: { bot_tokens: 0, grants: 0, webhook_tokens: 0, admin_keys: 0, sessions: 2 },
        next: ['change_password', 'check_email'],
      });
      expect((await socket.closed())[0]).toBe(4004);
      expect(await aliveOf(all)).toEqual({ ...ALIVE, caller: false, session: false });
      expect(await events(owner, 'locked_down')).toEqual([{ data: { by: 'session', ended: body.ended } }]);
      expect(await events(owner, 'bot_token_reset')).toEqual([]);
      ok(await logIn(service, owner));
    }
  });

  test('32 parallel calls without sudo end each session once', async () => {
    const owner = await person(service, 'owner');
    await signIn(service, owner);
    const responses = await Promise.all(Array.from({ length: 32 }, () => service.as(owner).post(LOCKDOWN)));
    const done = responses.filter(({ status }) => status === 200);
    expect(done.map(({ body }) => body.ended.sessions)).toEqual([2]);
    for (const response of responses.filter(({ status }) => status !== 200)) expectApiError(response, 'UNAUTHORIZED');
    expect(await events(owner, 'session_ended')).toHaveLength(2);
    expect(await events(owner, 'locked_down')).toHaveLength(1);
  });

  test('a wrong factor is rejected and ends nothing', async () => {
    const all = await equipped();
    const wrong = await service.as(all.owner).post(LOCKDOWN, { password: 'not the password of it' });
    expectInvalid(wrong, 'password: INVALID_PASSWORD');
    expect(await aliveOf(all)).toEqual(ALIVE);
    const { authenticator } = await withTotp(service, all.owner);
    const code = await service.as(all.owner).post(LOCKDOWN, { mfa_method: 'totp', mfa_code: '000000' });
    expectInvalid(code, 'mfa_code: INVALID_MFA_CODE');
    expect(await aliveOf(all)).toEqual(ALIVE);
    expect(await events(all.owner, 'locked_down')).toEqual([]);
    ok(await service.as(all.owner).post(LOCKDOWN, { mfa_method: 'totp', mfa_code: authenticator.next() }));
    expect(await aliveOf(all)).toEqual({ ...GONE, caller: true });
  });

  test('is only for users', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const app = await newApp(service, owner);
    expectApiError(await service.as(app.bot).post(LOCKDOWN), 'ACCESS_DENIED');
    expectApiError(await service.anonymous.post(LOCKDOWN), 'UNAUTHORIZED');
    expect(await works(app.bot)).toBe(true);
  });
});

describe('web.md 5: POST /v1/auth/lockdown', () => {
  test('with the link of a notice, after an attacker changed the password: nothing stays, and a reset restores access', async () => {
    const all = await equipped();
    const { owner } = all;
    const { token, authorization: thief } = await noticed(owner);
    const body = ok(await service.anonymous.post(BY_LINK, { token }));
    expect(body.next).toEqual(['reset_password', 'check_email']);
    expect(body.ended).toEqual({ bot_tokens: 1, grants: 1, webhook_tokens: 2, admin_keys: 1, sessions: 1 });
    expect(await aliveOf(all)).toEqual(GONE);
    expect(await works(thief)).toBe(false);
    expectApiError(await logIn(service, { email: owner.email, password: NEW_PASSWORD }), 'ACCESS_DENIED');
    ok(await service.anonymous.post('/v1/auth/forgot', { email: owner.email }));
    const { metadata } = await mailTo(service, owner.email, 'password_reset');
    const mine = { token: metadata.token, password: 'the password of its owner' };
    const { token: back, user } = ok(await service.anonymous.post('/v1/auth/reset', mine));
    expect(user.id).toBe(owner.id);
    expect(ok(await service.as(back).get('/v1/users/@me')).traits).toEqual([]);
    ok(await logIn(service, { email: owner.email, password: mine.password }));
  });

  test('works once, for one of 32, and revokes older links; an expired or invented one is rejected', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const { token, authorization } = await noticed(owner);
    const again = { password: NEW_PASSWORD, new_password: 'yet another password' };
    ok(await service.as(authorization).patch('/v1/users/@me', again));
    const [newer] = await mailsTo(service, owner.email, 'security_notice', 2);
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => service.anonymous.post(BY_LINK, { token: newer?.metadata.token })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200)) expectInvalid(response, DEAD);
    expect(await events(owner, 'locked_down')).toHaveLength(1);
    expectInvalid(await service.anonymous.post(BY_LINK, { token }), DEAD);
    expectInvalid(await service.anonymous.post(BY_LINK, { token: 'a'.repeat(64) }), DEAD);
    const other = await verifiedPerson(service, 'other');
    const late = await noticed(other);
    await service.sql("UPDATE one_time_secret SET expires_at = now() - interval '1 second' WHERE purpose = 'lockdown'");
    expectInvalid(await service.anonymous.post(BY_LINK, { token: late.token }), DEAD);
    expect(await works(late.authorization)).toBe(true);
  });

  test('of a previous address is invalid after a completed change, which its own link undoes', async () => {
    const owner = await verifiedPerson(service, 'owner');
    await verifyEmail(service, owner);
    const { token, authorization } = await noticed(owner);
    const thief = { ...owner, authorization, password: NEW_PASSWORD };
    const revert = await changeEmail(service, thief, { to: `thief.${owner.email}` });
    expectInvalid(await service.anonymous.post(BY_LINK, { token }), DEAD);
    expect(await works(authorization)).toBe(true);
    expect(await events(owner, 'locked_down')).toEqual([]);
    const mine = { token: revert, password: 'the password of its owner' };
    const { user } = ok(await service.anonymous.post('/v1/auth/email-revert', mine));
    expect(user.id).toBe(owner.id);
    ok(await logIn(service, { email: owner.email, password: mine.password }));
  });

  test('notices of administrator actions have no link', async () => {
    const [root, owner] = [await person(service, 'root'), await verifiedPerson(service, 'owner')];
    await setAcls(service, root, ['*']);
    ok(await service.as(root).put(`/v1/admin/users/${owner.id}/ban`, { duration_hours: 1 }));
    const [notice] = await inboxAfterDelivery(service, owner.email, 'security_notice');
    expect(notice?.metadata).toEqual({ event: 'account_suspended', until: expect.any(String) });
    expect(notice?.text).not.toContain('lockdown');
  });

  test('works while single sign-on is enforced, which is then the remaining step', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const { token, authorization } = await noticed(owner);
    await enforceSso(service, true);
    const { next } = ok(await service.anonymous.post(BY_LINK, { token }));
    await enforceSso(service, false);
    expect(next).toEqual(['sign_in_sso', 'check_email']);
    expect(await works(authorization)).toBe(false);
  });
});

describe('admin.md: DELETE /v1/admin/users/{user_id}/lockdown', () => {
  test('allows the previous password again, and is audited', async () => {
    const [root, owner] = [await administrator(service, 'user:update:flags'), await verifiedPerson(service, 'owner')];
    const { token } = await noticed(owner);
    ok(await service.anonymous.post(BY_LINK, { token }));
    const credentials = { email: owner.email, password: NEW_PASSWORD };
    expectApiError(await logIn(service, credentials), 'ACCESS_DENIED');
    const path = `/v1/admin/users/${owner.id}/lockdown`;
    expectApiError(await service.as(await person(service, 'other')).delete(path), 'MISSING_PERMISSIONS');
    expectApiError(await logIn(service, credentials), 'ACCESS_DENIED');
    expect((await service.as(root).delete(path)).status).toBe(204);
    ok(await logIn(service, credentials));
    expect(await service.sql("SELECT admin_user_id FROM audit_log WHERE action = 'end_lockdown'")).toEqual([
      { admin_user_id: root.id },
    ]);
    expectApiError(await service.as(root).delete('/v1/admin/users/1/lockdown'), 'UNKNOWN_USER');
  });
});

describe('web.md 5: a lockdown concurrent with other operations', () => {
  const ROUNDS = 6;

  test('leaves nothing active that its response reports as ended', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const all = await equipped();
      const { owner, app, tokens } = all;
      const sudo = { password: owner.password };
      const [locked, login, refreshed, exchanged, consented, reset, rotated] = await Promise.all([
        service.as(owner).post(LOCKDOWN, sudo),
        logIn(service, owner),
        refresh(service, app, tokens.refresh_token),
        exchange(service, app, all.code),
        service.as(all.session).post('/v1/oauth2/authorize/consent', {
          ...{ client_id: app.id, redirect_uri: app.redirectUri, scope: 'identify' },
        }),
        service.as(all.session).post(`/v1/oauth2/applications/${app.id}/bot/reset-token`, sudo),
        service.as(all.session).post(`/v1/webhooks/${all.hook.id}/token/rotate`, sudo),
      ]);
      expect(locked.status).toBe(200);
      expect(await aliveOf(all)).toEqual({ ...GONE, caller: true });
      // The lockdown ends a session created before it, but not one created after it.
      const since = await service.sql(
        `SELECT count(*)::int AS n FROM security_event e WHERE account_id = $1 AND type = 'signed_in'
         AND id > (SELECT id FROM security_event WHERE account_id = $1 AND type = 'locked_down')`,
        [owner.id],
      );
      if (login.status === 200) expect(await works(login.body.token)).toBe(since[0]?.n === 1);
      for (const { status, body } of [refreshed, exchanged]) {
        if (status === 200) expect(await isTokenActive(service, body.access_token)).toBe(false);
      }
      if (consented.status === 200) {
        const code = new URL(consented.body.redirect_to).searchParams.get('code') as string;
        expectApiError(await exchange(service, app, code), 'INVALID_GRANT');
      }
      if (reset.status === 200) expect(await works(`Bot ${reset.body.token}`)).toBe(false);
      if (rotated.status === 200)
        expect(await isOpen({ ...all.hook, path: new URL(rotated.body.url).pathname })).toBe(false);
      expect(await service.sql('SELECT 1 FROM oauth_family WHERE account_id = $1', [owner.id])).toEqual([]);
    }
  });
});
