import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { Database } from '../../src/platform/database/database.js';
import { testOnPostgres } from '../machine/postgres.js';
import { keepRelease } from '../machine/releases.js';
import { adminKey, superuser } from '../support/admin.js';
import { ban, liftBan } from '../support/bans.js';
import { runCleanup } from '../support/cleanup.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  asApp,
  basic,
  changeEmail,
  expectApiError,
  exportAccount,
  type Gatehouse,
  gatehouse,
  mailTo,
  newApp,
  newTokens,
  newWebhook,
  type Persona,
  passkeyAsSecondFactor,
  passkeySudo,
  person,
  refresh,
  runJobs,
  type SoftwareAuthenticator,
  signIn,
  type TestResponse,
  uploadFile,
  waitForDelivery,
  withGatehouse,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { fillTables } from '../support/many-accounts.js';
import { type Planned, plansOf, recordStatements, type Sent } from '../support/plans.js';
import { RevocationClient } from '../support/revocations.js';

/** `KEEP_RELEASE=<version>` saves the database and the statements of this run for a release (docs/maintaining/releasing.md). */
const { KEEP_RELEASE } = process.env;
/** Secret of the saved databases. It must never change. */
const KEPT_SECRET = Buffer.alloc(32, 'a release').toString('base64');

/** Set by `npm run bench -- plans`. The test then creates this many accounts and runs the statements. */
const CROWD = Number(process.env.PLANS_ACCOUNTS ?? 0);

/** Number of accounts and of applications on a medium-sized platform. */
const MIDDLING = 10_000;

const AGE = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

/** Filters of the list of accounts: one by one and together, in each order, from the start and from a cursor. */
const USER_LISTS: readonly Record<string, string>[] = ['created', 'last_seen', 'username'].flatMap((sort) => {
  const filters: Record<string, string>[] = [
    ...['active', 'disabled', 'suspended', 'pending_approval', 'deletion_scheduled', 'locked'].map((state) => ({
      state,
    })),
    ...[{ email_verified: 'true' }, { second_factor: 'true' }, { second_factor: 'false' }, { provider: 'sso' }],
    ...[{ has_acls: 'true' }, { has_acls: 'false' }],
    ...[
      { created_from: AGE.from, created_to: AGE.to },
      { last_seen_from: AGE.from, last_seen_to: AGE.to },
    ],
    ...[{ q: 'nobody' }, { state: 'suspended', email_verified: 'true', created_from: AGE.from }, {}],
    {
      state: 'active',
      second_factor: 'false',
      provider: 'sso',
      last_seen_to: AGE.to,
      created_from: AGE.from,
      q: 'nobody',
    },
  ];
  const key = sort === 'username' ? 'user1' : '1700000000000000';
  const order = sort === 'username' ? 'asc' : 'desc';
  const cursor = Buffer.from(JSON.stringify([sort, order, key, '5000'])).toString('base64url');
  return filters.flatMap((filter) => [
    { ...filter, sort },
    { ...filter, sort, cursor },
  ]);
});

const ok = ({ status, body }: TestResponse): TestResponse['body'] => {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

/** Rows that would otherwise need an identity provider, a custom sink, or a store shared by replicas. */
const OTHERS = [
  "INSERT INTO sso_identity (issuer, subject, account_id) VALUES ('https://idp.example', 's', $1)",
  `WITH made AS (INSERT INTO connection (id, kind, position, settings)
     VALUES ('crowd', 'oauth2', 1, '{"display_name": "Crowd", "enabled": false}') ON CONFLICT (id) DO UPDATE SET kind = 'oauth2' RETURNING id)
   INSERT INTO connection_identity (id, connection_id, issuer, subject, account_id)
   SELECT $1::bigint, id, 'https://idp.example', $1::text, $1::bigint FROM made`,
  "INSERT INTO webhook_queue (sink, webhook_id) VALUES ('sink', $1)",
  'INSERT INTO gateway_session_ahead (session_id) SELECT $1::bigint::text',
  `INSERT INTO webhook_event (event_id, sink, webhook_id, kind, webhook, message)
   VALUES (1, 'sink', $1, 'create', '{}', '{}')`,
  `INSERT INTO leak_report (id, request_id, claims) VALUES ($1, 'one that waits', '[]')`,
  "INSERT INTO erasure_ledger (kind, account_id, is_written) VALUES ('erased', $1, true)",
  "INSERT INTO pgboss_queue (name, policy) VALUES ('crowd:' || $1::text, 'standard')",
  "INSERT INTO pgboss_job (name, data, start_after) VALUES ('crowd:job', jsonb_build_object('id', $1::text), 'infinity')",
];

/** Rows of an account and an application that exist only for minutes. */
const FLEETING = [
  `INSERT INTO oauth_code (digest, account_id, application_id, redirect_uri, scopes, consented, announced, expires_at)
   VALUES ('\\x00', $1, $2, 'https://app.example/back', '{identify}', true, true, now() + interval '100 years')`,
  `INSERT INTO media_upload (id, object_id, owner_id, credential_kind, filename, size)
   VALUES (gen_random_uuid(), gen_random_uuid(), $1, 'session', 'file.txt', $2::bigint % 1000)`,
  `INSERT INTO media_staged (key, size, sha256, content_type) VALUES ($1 || '/' || $2, 4, '\\x00', 'text/plain')`,
  "INSERT INTO media_garbage (bucket, key) VALUES ('cdn', $1 || '/' || $2)",
  `INSERT INTO sso_document (url, value, fetched_at)
   VALUES ('https://idp.example/' || $1 || '/' || $2, '{}', now())`,
];

function report(plans: readonly Planned[]): void {
  const slowest = [...plans].sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0));
  const line = ({ ms, text }: Planned) =>
    `${(ms ?? 0).toFixed(2).padStart(9)} ms  ${text.replace(/\s+/g, ' ').slice(0, 200)}`;
  process.stdout.write(`${slowest.map(line).join('\n')}\n`);
}

const wholeReadsIn = (plans: readonly Planned[]) =>
  plans.filter(({ reads }) => reads.length > 0).map(({ text, reads }) => ({ text, reads }));

describe('at any size', () => {
  let service: Gatehouse;
  let recorder: ReturnType<typeof recordStatements>;
  /** All statements that the first test recorded. */
  let statements: readonly Sent[] = [];
  beforeAll(async () => {
    recorder = recordStatements();
    const limits = {
      SESSION_MAX_SECONDS: '31536000',
      SESSION_IDLE_SECONDS: '31536000',
      OAUTH_FAMILY_MAX_SECONDS: '31536000',
    };
    service = await gatehouse({
      env: {
        DATABASE_PATIENCE: '1',
        SMS_TRANSPORT: 'inbox',
        IP_AUTHORIZATION: 'on',
        LOGIN_ALLOWANCES: 'on',
        OUTGOING_EVENTS_ALLOW_PRIVATE_ADDRESSES: 'true',
        ...limits,
        ...(KEEP_RELEASE ? { GATEHOUSE_SECRET: KEPT_SECRET } : {}),
      },
    });
  });
  afterAll(async () => {
    recorder.stop();
    stream?.close();
    await service.close();
  });

  let stream: RevocationClient | undefined;

  /** Runs a statement of the test itself without recording it. */
  const prepare = async (text: string, values: unknown[] = []) => {
    recorder.pause();
    const rows = await service.sql(text, values);
    recorder.resume();
    return rows;
  };

  async function signingIn(alice: Persona): Promise<void> {
    const stranger = service.anonymous.from('127.0.66.1');
    await stranger.post('/v1/auth/login', { email: alice.email, password: 'not the password' });
    await stranger.post('/v1/auth/login', { email: 'nobody@example.com', password: 'not the password' });
    const held = await stranger.post('/v1/auth/login', { email: alice.email, password: alice.password });
    const poll = () => service.anonymous.get('/v1/auth/ip-authorization/poll', { query: { ticket: held.body.ticket } });
    await poll();
    const { token } = (await mailTo(service, alice.email, 'ip_authorization')).metadata;
    ok(await service.anonymous.post('/v1/auth/authorize-ip', { token }));
    await poll();
    const other = await signIn(service, alice);
    const [first] = ok(await service.as(other).get('/v1/auth/sessions'));
    const hashes = { session_id_hashes: [first.id_hash], password: alice.password };
    ok(await service.as(other).post('/v1/auth/sessions/logout', hashes));
    ok(await service.as(await signIn(service, alice)).post('/v1/auth/logout'));
    const code = ok(await service.anonymous.post('/v1/auth/handoff/initiate')).code;
    ok(await service.anonymous.get(`/v1/auth/handoff/${code}/info`));
    ok(await service.as(alice).post('/v1/auth/handoff/complete', { code, user_id: alice.id }));
    await service.anonymous.post(`/v1/auth/handoff/${code}/status`, { poll_secret: 'x'.repeat(43) });
    ok(await service.anonymous.post('/v1/auth/forgot', { email: alice.email }));
    const reset = (await mailTo(service, alice.email, 'password_reset')).metadata.token;
    await service.anonymous.get(`/v1/auth/reset/${reset}`);
    const again = { token: reset, password: alice.password };
    (alice as { authorization: string }).authorization = ok(
      await service.anonymous.post('/v1/auth/reset', again),
    ).token;
  }

  async function owning(alice: Persona): Promise<SoftwareAuthenticator> {
    const me = service.as(alice);
    ok(await me.patch('/v1/users/@me', { username: 'alicia', bio: 'about', password: alice.password }));
    ok(await me.get('/v1/users/@me/settings'));
    ok(await me.patch('/v1/users/@me/settings', { theme: 'dark', locale: 'de' }));
    ok(await me.post('/v1/users/@me/terms-acceptance'));
    ok(await me.post('/v1/users/@me/phone/send-verification', { phone: '+493011111111' }));
    const { code } = (await mailTo(service, '+493011111111', 'phone_verification')).metadata;
    ok(await me.post('/v1/users/@me/phone/verify', { phone: '+493011111111', code }));
    await me.post('/v1/users/@me/password-change/start');
    await changeEmail(service, alice, { to: `new.${alice.email}` });
    await me.delete('/v1/users/@me/authorized-ips', { password: alice.password });
    const key = await withPasskey(service, alice);
    await me.get('/v1/users/@me/mfa/webauthn/credentials');
    await service.anonymous.post('/v1/auth/webauthn/authentication-options');
    await uploadFile(service, alice, 'file.txt', new TextEncoder().encode('text'));
    const hook = await newWebhook(service, alice);
    const message = ok(await service.anonymous.post(`${hook.path}?wait=true`, { content: 'text', nonce: 'n' }));
    await service.anonymous.get(`${hook.path}/messages/${message?.id}`);
    await service.anonymous.patch(`${hook.path}/messages/${message?.id}`, { content: 'more' });
    await service.anonymous.delete(`${hook.path}/messages/${message?.id}`);
    await me.get('/v1/users/@me/webhooks');
    await me.get(`/v1/webhooks/${hook.id}`);
    await me.get(`/v1/webhooks/${hook.id}/messages`);
    ok(await service.anonymous.post(hook.path, { content: 'stays' }));
    return key;
  }

  /** The stream stays open, so that its table has a row. */
  async function deciding(owner: Persona): Promise<void> {
    const app = await newApp(service, owner);
    stream = await RevocationClient.open(service, app);
    const { id } = await stream.next('alive');
    const second = await RevocationClient.open(service, app, id);
    await second.next('alive');
    second.close();
    await service.as(basic(app.id, app.secret ?? '')).post('/v1/decisions', { policy: 'unknown' });
  }

  async function granting(alice: Persona, owner: Persona): Promise<void> {
    const app = await newApp(service, owner);
    const tokens = await newTokens(service, alice, app, 'identify email bot');
    const next = ok(await refresh(service, app, tokens.refresh_token));
    ok(await service.as(`Bearer ${next.access_token}`).get('/v1/oauth2/userinfo'));
    ok(await service.as(`Bearer ${next.access_token}`).get('/v1/oauth2/@me'));
    ok(await asApp(service, app, '/v1/oauth2/introspect', { token: next.refresh_token }));
    await refresh(service, app, tokens.refresh_token);
    ok(await service.as(app.bot).get('/v1/users/@me'));
    ok(await service.as(alice).get('/v1/oauth2/@me/authorizations'));
    ok(await service.as(alice).delete(`/v1/oauth2/@me/authorizations/${app.id}`));
    const { access_token: token } = await newTokens(service, alice, app);
    ok(await asApp(service, app, '/v1/oauth2/token/revoke', { token }));
    ok(await service.as(owner).get('/v1/users/@me/applications'));
    ok(await service.anonymous.get(`/v1/oauth2/applications/${app.id}/public`));
    ok(await service.as(owner).patch(`/v1/oauth2/applications/${app.id}`, { redirect_uris: null }));
    await newTokens(service, alice, await newApp(service, owner));
    const known = await newApp(service, owner);
    const signedIn = await newTokens(service, alice, known, 'openid profile email');
    await service.sql("UPDATE application SET backchannel_logout_uri = 'https://127.0.0.1/' WHERE id = $1", [known.id]);
    const ending = await person(service, 'ending');
    await newTokens(service, ending, known, 'openid');
    ok(await service.as(ending).post('/v1/auth/logout'));
    ok(await service.as(owner).get(`/v1/oauth2/applications/${known.id}/backchannel-logouts`));
    ok(await refresh(service, known, signedIn.refresh_token));
    ok(await service.as(`Bearer ${signedIn.access_token}`).get('/v1/oauth2/openid/userinfo'));
    ok(await service.anonymous.get('/.well-known/jwks.json'));
    const { client } = await GatewayClient.identify(service, app.bot.slice('Bot '.length));
    client.socket.terminate();
    const { client: ofUser } = await GatewayClient.identify(service, alice.authorization);
    ofUser.socket.terminate();
    const botTokens = `/v1/oauth2/applications/${app.id}/bot/tokens`;
    const second = ok(await service.as(owner).post(botTokens, { password: owner.password }));
    ok(await service.as(owner).get(botTokens));
    ok(await service.as(owner).delete(`${botTokens}/${second.id}`, { password: owner.password }));
    const scripting = await person(service, 'scripting');
    const own = '/v1/users/@me/access-tokens';
    const script = { name: 'Script', scopes: ['identify'], expires_in_days: 30, password: scripting.password };
    const personal = ok(await service.as(scripting).post(own, script));
    ok(await service.as(`Bearer ${personal.token}`).get('/v1/users/@me'));
    ok(await service.as(scripting).get(own));
    ok(await service.as(scripting).patch(`${own}/${personal.id}`, { name: 'Deployment' }));
    await runJobs(service, new Date(Date.parse(personal.expires_at) - 6 * 86_400_000));
    ok(await service.as(scripting).delete(`${own}/${personal.id}`));
    await service.as(owner).post(`/v1/oauth2/applications/${app.id}/bot/reset-token`, { password: owner.password });
    await service.as(owner).delete(`/v1/oauth2/applications/${app.id}`, { password: owner.password });
  }

  /** Reports credentials of all kinds as leaked, then locks down the account that owns them. */
  async function locking(): Promise<void> {
    const carol = await superuser(service);
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [carol.id]);
    const app = await newApp(service, carol);
    const tokens = await newTokens(service, carol, app);
    const hook = await newWebhook(service, app.bot);
    const { authorization } = await adminKey(service, carol, 'user:lookup');
    const input = { name: 'Script', scopes: ['identify'], password: carol.password };
    const personal = ok(await service.as(carol).post('/v1/users/@me/access-tokens', input)).token;
    const found = [await signIn(service, carol), app.bot, tokens.access_token, personal, authorization, hook.url];
    ok(await service.anonymous.post('/v1/credentials/revoke', { credentials: found }));
    // A background job revokes what was reported, including everything granted until then, so wait for it.
    await runJobs(service);
    await newTokens(service, carol, app);
    ok(await service.as(carol).get('/v1/users/@me/security-events', { query: { before: carol.id } }));
    ok(await service.as(carol).post('/v1/users/@me/lockdown', { password: carol.password }));
    ok(await service.as(carol).post('/v1/users/@me/export', { password: carol.password }));
    const { token } = (await mailTo(service, carol.email, 'security_notice')).metadata;
    ok(await service.anonymous.post('/v1/auth/lockdown', { token }));
  }

  async function administrating(admin: Persona, alice: Persona, owner: Persona): Promise<void> {
    const by = service.as(admin);
    const selectors = [
      {},
      { user_id: alice.id },
      { resolve: 'alicia#0001' },
      { resolve: alice.email },
      { email: alice.email },
      { last_active_ip: '127.0.0.1' },
      { username: 'alicia' },
      { phone: '+493011111111' },
      { session_id_hash: 'A'.repeat(43) },
      { limit: '10', offset: '100000' },
      ...USER_LISTS,
    ] as Record<string, string>[];
    for (const query of selectors) ok(await by.get('/v1/admin/users', { query }));
    const filters = [
      {},
      { admin_user_id: admin.id },
      { target_type: 'user' },
      { target_id: alice.id },
      { action: 'temp_ban' },
      { request_id: 'of-a-log-line' },
      { ip: '127.0.0.1' },
      { ip: '2001:db8::1', action: 'ban_ip', target_type: 'ip_ban' },
      { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z', before: alice.id },
      { admin_user_id: admin.id, from: '2026-01-01T00:00:00Z', action: 'temp_ban' },
      { target_type: 'user', target_id: alice.id, action: 'temp_ban', admin_user_id: admin.id, offset: '100000' },
    ] as Record<string, string>[];
    for (const query of filters) ok(await by.get('/v1/admin/audit-logs', { query }));
    const user = `/v1/admin/users/${owner.id}`;
    for (const path of [
      '',
      '/sessions',
      '/networks',
      '/sso-identity',
      '/applications',
      '/webauthn-credentials',
      '/access-tokens',
    ])
      ok(await by.get(user + path));
    ok(await by.get('/v1/admin/instance/pending-registrations'));
    ok(await by.get('/v1/admin/instance/statistics'));
    ok(await by.get('/v1/admin/instance/statistics/daily'));
    for (const state of ['failed', 'waiting']) ok(await by.get(`/v1/admin/jobs?state=${state}`));
    ok(await by.get('/v1/admin/blocklists/ip/entries'));
    ok(await by.get('/v1/admin/api-keys'));
    ok(await by.get('/v1/admin/users?provider=crowd'));
    const connection = { id: 'one', kind: 'oidc', display_name: 'One' };
    ok(await by.post('/v1/admin/connections', connection));
    ok(await by.patch('/v1/admin/connections/one', { client_id: 'c' }));
    ok(await by.get('/v1/admin/connections'));
    ok(await by.get('/v1/admin/connections/one'));
    ok(await by.post('/v1/admin/connections/one/test'));
    ok(await by.delete('/v1/admin/connections/one', { identities: 0 }));
    const role = ok(await by.post('/v1/admin/roles', { name: 'Support', acls: ['user:lookup'] }));
    ok(await by.patch(`/v1/admin/roles/${role.id}`, { name: 'Help desk' }));
    ok(await by.get('/v1/admin/roles'));
    ok(await by.delete(`/v1/admin/roles/${role.id}`));
    const endpoints = '/v1/admin/event-endpoints';
    const input = { url: 'https://127.0.0.1/', event_types: ['account.updated'] };
    const endpoint = `${endpoints}/${ok(await by.post(endpoints, input)).id}`;
    ok(await by.get(endpoints));
    ok(await by.patch(endpoint, { description: 'CRM' }));
    ok(await by.post(`${endpoint}/secret`));
    const sent = ok(await by.post(`${endpoint}/test`));
    await service.sql('UPDATE outgoing_delivery SET ended_at = now(), is_delivered = false WHERE id = $1', [sent.id]);
    ok(await by.post(`${endpoint}/deliveries/${sent.id}/replay`));
    ok(await by.post(`${endpoint}/replay`, { since: '2026-01-01T00:00:00Z' }));
    ok(await by.get(`${endpoint}/deliveries`));
    ok(await by.delete(endpoint));
    ok(await by.patch(`${user}/flags`, { add_flags: ['1'] }));
    ok(await by.put(`${user}/traits`, { traits: ['captcha_exempt'] }));
    ok(await by.patch(`${user}/email`, { email: `moved.${owner.email}` }));
    ok(await by.put(`${user}/phone-verification`, { has_verified_phone: true }));
    ok(await by.put(`${user}/ban`, { duration_hours: 1 }));
    ok(await by.delete(`${user}/ban`));
    ok(await by.put(`${user}/suspicious-activity-disablement`, { flags: 1 }));
    ok(await by.delete(`${user}/suspicious-activity-disablement`));
    ok(await by.delete(`${user}/sessions`));
    const key = await adminKey(service, admin, 'admin:authenticate', 'user:lookup');
    ok(await service.as(key.authorization).get('/v1/admin/users/@me'));
  }

  async function ending(alice: Persona, key: SoftwareAuthenticator): Promise<void> {
    await exportAccount(service, alice);
    ok(await service.as(alice).post('/v1/users/@me/delete', await passkeySudo(service, alice, key)));
    await prepare('UPDATE account SET deletion_at = now() WHERE id = $1', [alice.id]);
    await runCleanup(service);
    await prepare("UPDATE session SET revoked_at = now() - interval '1 year' WHERE revoked_at IS NOT NULL");
    await prepare("UPDATE one_time_secret SET expires_at = now() - interval '1 year'");
    await prepare("UPDATE media_garbage SET since = now() - interval '1 hour'");
    await runCleanup(service);
  }

  /** Saves the database for a release, with users who can sign in at any later time. */
  async function keep(version: string, statements: string[]): Promise<void> {
    const [ada, grace] = [await person(service, 'ada'), await person(service, 'grace')];
    const app = await newApp(service, grace);
    await newTokens(service, ada, app, 'identify email bot');
    const hook = await newWebhook(service, grace);
    ok(await service.anonymous.post(`${hook.path}?wait=true`, { content: 'kept', nonce: 'n' }));
    await uploadFile(service, grace, 'file.txt', new TextEncoder().encode('text'));
    await ban(service, '9.9.9.8', 24 * 365);
    for (const text of FLEETING) await service.sql(text, [ada.id, app.id]);
    const { authenticator } = await withTotp(service, grace);
    await waitForDelivery(service);
    const kept = ({ id, email, password, authorization }: Persona) => ({ id, email, password, session: authorization });
    const people = [kept(ada), { ...kept(grace), totp: authenticator.secret.base32 }];
    const [{ url }] = (await service.sql('SELECT current_database() AS url')) as [{ url: string }];
    const database = Object.assign(new URL(process.env.TEST_DATABASE_URL ?? ''), { pathname: `/${url}` }).href;
    keepRelease(database, { version, secret: KEPT_SECRET, people, statements });
  }

  test('no statement of a request, a worker or an erasure scans a whole table', async () => {
    recorder.pause();
    const [alice, owner, admin] = [
      await person(service, 'alice'),
      await person(service, 'owner'),
      await superuser(service),
    ];
    recorder.resume();
    const bob = await person(service, 'bob');
    const { authenticator } = await withTotp(service, bob);
    const proof = { mfa_method: 'totp', mfa_code: authenticator.next() };
    await passkeyAsSecondFactor(service, bob, await withPasskey(service, bob, undefined, proof));
    const { ticket } = ok(await service.anonymous.post('/v1/auth/login', { email: bob.email, password: bob.password }));
    await service.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code: '000000' });
    await signingIn(alice);
    const key = await owning(alice);
    await granting(alice, owner);
    await deciding(owner);
    await administrating(admin, alice, owner);
    await locking();
    for (const text of OTHERS) await prepare(text, [owner.id]);
    await ban(service, '9.9.9.9', 60);
    await liftBan(service, '9.9.9.9');
    await service.app.get(LastUsed).flushNow();
    await waitForDelivery(service);
    await ending(alice, key);
    await service.anonymous.get('/metrics');
    recorder.stop();
    statements = [...recorder.sent.values()];
    expect(statements.length).toBeGreaterThan(150);
    if (KEEP_RELEASE)
      await keep(
        KEEP_RELEASE,
        statements.map(({ text }) => text),
      );

    await fillTables(service, CROWD);
    const { plans, empty } = await plansOf(service, statements, { isRun: CROWD > 0 });
    if (CROWD > 0) report(plans);
    // PostgreSQL assumes that an empty table stays empty, so plans that read one prove nothing.
    expect(empty).toEqual([]);
    expect(wholeReadsIn(plans)).toEqual([]);
  });

  testOnPostgres('nor at sizes where the planner may mistake a few rows for many', async () => {
    expect(statements.length).toBeGreaterThan(150);
    if (CROWD === 0) await fillTables(service, MIDDLING);
    await service.sql(
      `INSERT INTO application (id, owner_id, name, client_type, secret_digest)
       SELECT n, n, 'application ' || n, 'confidential', sha256(('application' || n)::bytea)
       FROM generate_series(1, $1::int) n ON CONFLICT DO NOTHING`,
      [MIDDLING],
    );
    await service.sql('ANALYZE application');
    const { plans } = await plansOf(service, statements, { isAsFilled: true });
    expect(wholeReadsIn(plans)).toEqual([]);
  });

  testOnPostgres('a request that waits for a locked row times out, without effect', async () => {
    const carol = await person(service, 'carol');
    await service.app.get(Database).transaction(async (tx) => {
      await tx.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [carol.id]);
      const response = await service.as(carol).patch('/v1/users/@me', { bio: 'waited for' });
      expectApiError(response, 'SERVICE_UNAVAILABLE');
    });
    expect((await service.as(carol).get('/v1/users/@me')).body.bio).toBeNull();
    const [limits] = await service.sql(
      `SELECT current_setting('lock_timeout')::interval < current_setting('statement_timeout')::interval AS shorter,
         current_setting('lock_timeout') AS lock`,
    );
    expect(limits).toEqual({ shorter: true, lock: '4s' });
  });

  testOnPostgres('DATABASE_PATIENCE multiplies all these times', () =>
    withGatehouse({ env: { DATABASE_PATIENCE: '3' } }, async ({ app }) => {
      const names = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'];
      const select = 'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name';
      const values = await app.get(Database).transaction((tx) => tx.query<{ value: string }[]>(select, [names]));
      expect(values.map(({ value }) => value)).toEqual(['12s', '15s', '30s']);
    }),
  );

  test('rows that refer to a deleted row are found by an index', async () => {
    const bare = await service.sql(
      `SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint c
       WHERE contype = 'f' AND NOT EXISTS (
         SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1] AND i.indpred IS NULL)`,
    );
    expect(bare).toEqual([]);
  });
});
