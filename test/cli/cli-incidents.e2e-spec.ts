import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { AdminApplications } from '../../src/admin/applications/admin-applications.service.js';
import { consoleOperator } from '../../src/admin/audit/operator.js';
import { UserAcls } from '../../src/admin/users/user-acls.service.js';
import { createApp } from '../../src/app.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { execute } from '../../src/cli/execute.js';
import { Config } from '../../src/core/config/config.js';
import { loadConfig } from '../../src/features.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { ReplicaStatistics } from '../../src/platform/replicas/replica-statistics.js';
import { describeOnPostgres } from '../machine/postgres.js';
import {
  adminKey,
  auditOf,
  eventually,
  expectApiError,
  type Gatehouse,
  GatewayClient,
  gatehouse,
  logIn,
  mailTo,
  newApp,
  person,
  sessionsOf,
  signIn,
  superuser,
  verifiedPerson,
} from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const NAME = 'a\u001b]0;owned\u0007b\u009b31m\u202ec\r\u2028d\u007f\nroot';
const STEERING = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;
const PROXY = '127.0.71.1';
const SECRET = Buffer.alloc(32, 7).toString('base64');

describeOnPostgres('commands for incidents, while the service runs', () => {
  let service: Gatehouse;
  let env: Record<string, string | undefined>;

  async function cli(...args: string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await execute(args, {
      env,
      out: (line: string) => void out.push(line),
      err: (line: string) => void err.push(line),
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  /** The last entry of the audit log, which every command adds. */
  const lastAudit = async () => (await auditOf(service)).at(-1);
  const statusOf = async (authorization: string) => (await service.as(authorization).get('/v1/users/@me')).status;
  const reasonOf = (n: number) => ['--reason', `Ticket ${n}`];

  beforeAll(async () => {
    service = await gatehouse({ env: { GATEHOUSE_SECRET: SECRET, TRUSTED_PROXIES: PROXY } });
    const { databaseUrl, databaseDirectUrl, dataDir } = service.app.get(Config);
    env = { GATEHOUSE_SECRET: SECRET, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
    if (databaseDirectUrl !== undefined) env.DATABASE_DIRECT_URL = databaseDirectUrl;
    service.app.get(ReplicaStatistics).start();
  });
  afterAll(() => service.close());

  test('user sessions shows from where a user signed in, as text and as JSON', async () => {
    const ada = await person(service, 'ada');
    const text = await cli('user', 'sessions', ada.id, ...reasonOf(1));
    expect(text).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^active {2}127\.0\.0\.1 {2}.*since /) });
    expect(await lastAudit()).toMatchObject({ action: 'list_user_sessions', target_id: ada.id, reason: 'Ticket 1' });
    expect(JSON.parse((await cli('user', 'sessions', ada.email, '--json')).out)).toEqual([
      expect.objectContaining({ client_ip: '127.0.0.1', deleted_at: null }),
    ]);
  });

  test.each([
    ['user end-sessions', (id: string) => ['user', 'end-sessions', id]],
    ['sessions revoke --account', (id: string) => ['sessions', 'revoke', '--account', id]],
  ])('%s ends the sessions and sockets of one account', async (_, args) => {
    const [ada, bob] = [await person(service, 'ada'), await person(service, 'bob')];
    const second = await signIn(service, ada);
    const { client } = await GatewayClient.identify(service, ada.authorization);
    const { client: other } = await GatewayClient.identify(service, bob.authorization);
    const { code, out } = await cli(...args(ada.id), ...reasonOf(2));
    expect([code, out]).toEqual([0, `Ended 2 sessions of ada (${ada.id}).`]);
    expect((await client.closed())[0]).toBe(4004);
    expect([await statusOf(ada.authorization), await statusOf(second), await statusOf(bob.authorization)]).toEqual([
      ...[401, 401, 200],
    ]);
    await other.sendHeartbeat();
    const metadata = { count: '2' };
    expect(await lastAudit()).toMatchObject({ action: 'terminate_sessions', reason: 'Ticket 2', metadata });
    other.socket.close();
  });

  test('user ban ends sessions and sockets, and shows the message; unban lets the user sign in again', async () => {
    const ada = await verifiedPerson(service, 'ada');
    const { client } = await GatewayClient.identify(service, ada.authorization);
    const message = 'Your account sent spam';
    const banned = await cli('user', 'ban', ada.email, '--hours', '2', '--message', message, ...reasonOf(3));
    expect([banned.code, banned.out]).toEqual([0, expect.stringContaining('is banned until ')]);
    expect((await client.closed())[0]).toBe(4004);
    expect(await statusOf(ada.authorization)).toBe(401);
    const refused = await logIn(service, ada);
    expectApiError(refused, 'ACCOUNT_SUSPENDED_TEMPORARILY');
    expect(refused.body.reason).toBe(message);
    expect((await mailTo(service, ada.email, 'security_notice')).metadata.event).toBe('account_suspended');
    expect(await lastAudit()).toMatchObject({
      ...{ action: 'temp_ban', reason: 'Ticket 3', admin_user_id: '0' },
      metadata: { duration_hours: '2', reason: message },
    });
    expect(await cli('user', 'unban', ada.id)).toMatchObject({
      code: 0,
      out: expect.stringContaining('not banned any'),
    });
    expect(await lastAudit()).toMatchObject({ action: 'unban', target_id: ada.id, reason: null });
    expect((await logIn(service, ada)).status).toBe(200);
    expect((await cli('user', 'unban', ada.id)).out).toContain('was not banned');
    expect(JSON.parse((await cli('user', 'ban', ada.id, '--json')).out)).toEqual({
      ...{ account_id: ada.id, banned_until: null },
    });
  });

  test('ban add closes the sockets of a range and rejects its requests until ban remove', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const ask = async () => (await service.anonymous.from(PROXY).with(headers).get('/.well-known/service')).status;
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/gateway`, { headers, localAddress: PROXY });
    await once(socket, 'message');
    const closed = once(socket, 'close');
    expect(await ask()).toBe(200);
    const added = await cli('ban', 'add', '203.0.113.0/24', '--hours', '1', ...reasonOf(4));
    expect([added.code, added.out]).toEqual([0, '203.0.113.0/24 is banned for 1 hour.']);
    await closed;
    expect(await ask()).toBe(403);
    expect(await lastAudit()).toMatchObject({ action: 'ban_ip', reason: 'Ticket 4', target_id: '203.0.113.0/24' });
    expect(JSON.parse((await cli('ban', 'remove', '203.0.113.0/24', '--json')).out)).toEqual({
      value: '203.0.113.0/24',
    });
    while ((await ask()) === 403) await new Promise((resolve) => setTimeout(resolve, 5));
    const declined = await cli('ban', 'add', '127.0.0.1');
    expect(declined).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^IP_BAN_DECLINED: /) });
    expect(await cli('ban', 'add', '0.0.0.0/1')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('large'),
    });
    expect(await service.sql('SELECT value FROM ip_ban')).toEqual([]);
  });

  test('bot revoke-tokens closes the sockets of a bot, and its owner gets an email and a new token', async () => {
    const owner = await verifiedPerson(service, 'owner');
    const app = await newApp(service, owner);
    const { client } = await GatewayClient.identify(service, app.bot.slice('Bot '.length));
    const { code, out, err } = await cli('bot', 'revoke-tokens', app.id, ...reasonOf(5));
    expect([code, out, err]).toEqual([0, expect.stringContaining(`Its owner (${owner.id})`), '']);
    expect((await client.closed())[0]).toBe(4004);
    expect(await statusOf(app.bot)).toBe(401);
    expect((await mailTo(service, owner.email, 'security_notice')).metadata.event).toBe('credential_leaked');
    expect(await lastAudit()).toMatchObject({
      ...{ action: 'revoke_bot_tokens', reason: 'Ticket 5', target_type: 'application', target_id: app.id },
    });
    const fresh = await service.as(owner).post(`/v1/oauth2/applications/${app.id}/bot/reset-token`, {
      password: owner.password,
    });
    expect(await statusOf(`Bot ${fresh.body.token}`)).toBe(200);
    const before = await lastAudit();
    expect(await cli('bot', 'revoke-tokens', owner.id)).toMatchObject({ code: 1, out: '' });
    expect(await cli('bot', 'revoke-tokens', 'x')).toMatchObject({ code: 2, out: '' });
    expect(await lastAudit()).toEqual(before);
  });

  test('admin demote removes ACLs, keys, sessions and sockets of one administrator', async () => {
    const [grace, root] = [await superuser(service), await superuser(service)];
    const key = await adminKey(service, grace, 'admin:authenticate', 'user:lookup');
    const { client } = await GatewayClient.identify(service, grace.authorization);
    const { code, out } = await cli('admin', 'demote', grace.email, ...reasonOf(6));
    expect([code, out.split('\n').slice(1)]).toEqual([
      ...[0, ['Removed ACLs: *', 'Revoked 1 Admin API key, and ended 1 session.']],
    ]);
    expect((await client.closed())[0]).toBe(4004);
    const requested = (authorization: string) => service.as(authorization).get('/v1/admin/users/@me');
    expectApiError(await requested(key.authorization), 'UNAUTHORIZED');
    expectApiError(await requested(await signIn(service, grace)), 'MISSING_PERMISSIONS');
    expect((await requested(root.authorization)).status).toBe(200);
    expect(await lastAudit()).toMatchObject({
      ...{ action: 'demote_administrator', reason: 'Ticket 6', target_id: grace.id },
      metadata: { old_acls: '*', key_count: '1', session_count: '1' },
    });
    // The command can be repeated.
    expect(JSON.parse((await cli('admin', 'demote', grace.id, '--json')).out)).toEqual({
      ...{ account_id: grace.id, acls: [], keys: 0, sessions: 1 },
    });
  });

  test('of 32 parallel demotions and 32 revocations of a bot token, each leaves one consistent state', async () => {
    const grace = await superuser(service);
    await adminKey(service, grace, 'user:lookup');
    const app = await newApp(service, grace);
    const demote = () => service.app.get(UserAcls).demote(consoleOperator(), grace.id);
    const revoke = () => service.app.get(AdminApplications).revokeBotTokens(consoleOperator(), app.id);
    const race = Array.from({ length: 32 });
    const [demoted] = await Promise.all([Promise.all(race.map(demote)), Promise.all(race.map(revoke))]);
    expect(demoted.filter(({ keys }) => keys === 1)).toHaveLength(1);
    expect(demoted.filter(({ sessions }) => sessions === 1)).toHaveLength(1);
    expect(demoted.filter(({ acls }) => acls.includes('*'))).toHaveLength(1);
    expect(await sessionsOf(service, grace)).toBe(0);
    expect(await statusOf(app.bot)).toBe(401);
    expect(await service.sql('SELECT 1 FROM bot_token WHERE application_id = $1', [app.id])).toHaveLength(1);
  });

  test('drain makes one replica unready and its clients reconnect, until its time or --cancel', async () => {
    const second = await createApp(
      loadConfig({ ...env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', ...GENEROUS_TIMEOUTS }),
    );
    await second.listen(0, '127.0.0.1');
    second.get(ReplicaStatistics).start();
    const port = (second.getHttpServer().address() as AddressInfo).port;
    const urls = [service.url, `http://127.0.0.1:${port}`];
    const ready = () => Promise.all(urls.map(async (url) => (await fetch(`${url}/health/ready`)).status));
    try {
      const number = service.app.get(ReplicaBus).workerId;
      const ada = await person(service, 'ada');
      const { client } = await GatewayClient.identify(service, ada.authorization);
      expect(await ready()).toEqual([200, 200]);
      const drained = await cli('drain', String(number), '--for', '30m', ...reasonOf(7));
      expect(drained).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ {2}\S+ {2}not ready until \S+Z$/) });
      await client.op(7);
      expect(await ready()).toEqual([503, 200]);
      const served = await fetch(`${service.url}/v1/users/@me`, { headers: { authorization: ada.authorization } });
      expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
      const metadata = { replicas: String(number), until: expect.stringMatching(/Z$/) };
      expect(await lastAudit()).toMatchObject({ action: 'drain_replicas', reason: 'Ticket 7', metadata });
      const { replicas } = JSON.parse((await cli('status', '--json')).out);
      expect(
        replicas.map(({ drained_until }: { drained_until: string | null }) => drained_until === null).sort(),
      ).toEqual([...[false, true]]);
      expect(JSON.parse((await cli('drain', '--all', '--json')).out)).toHaveLength(2);
      expect(await ready()).toEqual([503, 503]);
      expect((await cli('status')).code).toBe(1);
      expect((await cli('drain', '--all', '--cancel')).code).toBe(0);
      expect(await ready()).toEqual([200, 200]);
      await cli('drain', String(number), '--for', '30m');
      service.clock.advance({ minutes: 31 });
      expect(await ready()).toEqual([200, 200]);
    } finally {
      await second.close();
    }
    expect(JSON.parse((await cli('status', '--json')).out).replicas).toHaveLength(1);
  });

  test('keys status exits with 1 while a replica lacks a secret or uses another one', async () => {
    const statistics = service.app.get(ReplicaStatistics);
    await statistics.list();
    const own = env;
    const status = async (settings: Record<string, string>) => {
      env = { ...own, ...settings };
      const { code, out } = await cli('keys', 'status', '--json').finally(() => {
        env = own;
      });
      const { replicas, problems } = JSON.parse(out);
      return { code, replicas: replicas.length, problems };
    };
    const other = Buffer.alloc(32, 8).toString('base64');
    const expected = (code: number, problem: string) => ({
      ...{ code, replicas: 1, problems: [expect.stringContaining(problem)] },
    });
    expect(await status({})).toEqual({ code: 0, replicas: 1, problems: [] });
    expect(await status({ GATEHOUSE_SECRET_NEXT: other })).toEqual(expected(1, 'does not accept all secrets'));
    const { code, problems } = await status({ GATEHOUSE_SECRET: other, GATEHOUSE_SECRET_PREVIOUS: SECRET });
    expect(code).toBe(1);
    expect(problems).toEqual([
      ...[expect.stringContaining('uses another secret'), expect.stringContaining('Run keys rotate --secrets')],
    ]);
    const row = "UPDATE replica_statistics SET numbers = numbers #- '{state,secrets}'";
    // The replica also reports while the command starts, and the row then has its secrets again.
    const silent = await eventually('a row without secrets', async () => {
      await service.sql(row);
      const found = await status({});
      return found.code === 0 ? undefined : found;
    });
    expect(silent).toEqual(expected(1, 'does not report its secrets'));
    await statistics.list();
    const { out } = await cli('keys', 'status');
    expect(out).toMatch(/^replica \d+ {2}\S+ {2}uses [\da-f]{8} {2}also accepts -$/m);
    expect(out).not.toContain(SECRET);
  });

  test('status shows replicas with version and readiness, tests dependencies with their causes, and fails without a database', async () => {
    // Writes a report now. The last one can be from the drain of another test.
    await service.app.get(ReplicaStatistics).list();
    const { code, out } = await cli('status');
    expect(code).toBe(0);
    expect(out).toMatch(/^replica \d+ {2}\S+ {2}\S+ {2}ready {2}since \S+Z/m);
    expect(out).toMatch(/^database {2}works$/m);
    const own = env.DATABASE_URL as string;
    env.DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    const down = await cli('status');
    const asJson = await cli('status', '--json');
    env.DATABASE_URL = own;
    expect(down).toMatchObject({ code: 1, err: '', out: expect.stringMatching(/^database {2}FAILS: .*ECONNREFUSED/m) });
    expect(JSON.parse(asJson.out).dependencies).toContainEqual(
      expect.objectContaining({ name: 'database', state: 'fails', is_required: true }),
    );
    env.REDIS_URL = 'redis://127.0.0.1:1';
    const withoutRedis = await cli('status');
    delete env.REDIS_URL;
    expect(withoutRedis).toMatchObject({ code: 0, err: '' });
    expect(withoutRedis.out).toMatch(/^redis {2}FAILS: connect ECONNREFUSED 127\.0\.0\.1:1$/m);
  });

  test('invalid arguments print the usage with exit code 2, and nothing changes', async () => {
    for (const args of [
      ['drain'],
      ['drain', '1', '--all'],
      ['drain', 'x'],
      ['drain', '--all', '--for', '25h'],
      ['drain', '--all', '--for', 'soon'],
      ['drain', '--all', '--for', '1h', '--cancel'],
      ['status', 'x'],
      ['status', '--reason', 'x'],
      ['user', 'sessions'],
      ['user', 'end-sessions'],
      ['user', 'ban'],
      ['user', 'ban', '1', '--hours', '0'],
      ['user', 'ban', '1', '--hours', '8761'],
      ['user', 'ban', '1', '--message', 'x'.repeat(513)],
      ['user', 'ban', '1', '--reason'],
      ['user', 'ban', '1', '--reason', ' '],
      ['user', 'ban', '1', '--reason', 'x'.repeat(513)],
      ['user', 'ban', '1', '--json=yes'],
      ['user', 'unban', 'a', 'b'],
      ['ban', 'add'],
      ['ban', 'add', '203.0.113.7', '--hours', 'x'],
      ['admin', 'demote'],
      ['bot', 'revoke-tokens'],
      ['bot', 'revoke-tokens', '99999999999999999999'],
      ['sessions', 'revoke', '--account', '1', '--all'],
    ]) {
      const { code, out, err } = await cli(...args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toContain('usage: npm run cli -- ');
    }
  });

  test('unknown and ambiguous accounts and replicas are reported, and nothing changes', async () => {
    const [one, other] = [await person(service, 'twin'), await person(service, 'twin')];
    const before = await lastAudit();
    for (const words of ['user end-sessions', 'admin demote']) {
      const unknown = await cli(...words.split(' '), 'nobody@example.com');
      expect([words, unknown.code, unknown.out]).toEqual([words, 1, '']);
      expect(unknown.err).toContain('nobody@example.com');
      const ambiguous = await cli(...words.split(' '), 'twin');
      expect([words, ambiguous.code, ambiguous.out]).toEqual([words, 1, '']);
      for (const { id, email } of [one, other]) expect(ambiguous.err).toContain(`  ${id}  ${email}`);
    }
    expect(await cli('sessions', 'revoke', '--account', 'twin')).toMatchObject({ code: 1, out: '' });
    expect(await cli('drain', '999')).toMatchObject({ code: 1, err: expect.stringContaining('has the number 999.') });
    expect(await cli('bot', 'revoke-tokens', '1')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^UNKNOWN_APPL/),
    });
    const unknownBot = await cli('bot', 'revoke-tokens', '1', '--json');
    expect([unknownBot.code, unknownBot.out, JSON.parse(unknownBot.err).error.code]).toEqual([
      ...[1, '', 'UNKNOWN_APPLICATION'],
    ]);
    expect(await lastAudit()).toEqual(before);
    const [row] = await service.sql('SELECT discriminator FROM account WHERE id = $1', [one.id]);
    const tag = `twin#${String(row?.discriminator).padStart(4, '0')}`;
    expect((await cli('user', 'end-sessions', tag)).out).toContain(one.id);
    expect(await statusOf(other.authorization)).toBe(200);
  });

  test('stored text with escape sequences and line feeds neither controls the terminal nor starts a line', async () => {
    const ada = await person(service, 'ada');
    const app = await newApp(service, ada);
    await service.sql('UPDATE account SET username = $1 WHERE id = $2', [NAME, ada.id]);
    await service.sql('UPDATE application SET name = $1 WHERE id = $2', [NAME, app.id]);
    await service.sql('UPDATE session SET ip = $1, user_agent = $1, os = $1 WHERE account_id = $2', [NAME, ada.id]);
    await service.sql('UPDATE replica_statistics SET version = $1', [NAME]);
    for (const words of [
      ...['status', `user sessions ${ada.id}`, `user ban ${ada.id}`, `user unban ${ada.id}`],
      ...[`user end-sessions ${ada.id}`, `admin demote ${ada.id}`],
      ...[`bot revoke-tokens ${app.id}`, 'audit tail', `user revoke-acl ${ada.id} user:lookup`],
      `admin-key create --owner ${ada.id} --name x --acl user:lookup`,
      ...['user ban \u001b[31m', 'drain \u009b', 'ban add \u001b[31m', 'bot revoke-tokens \u0007'],
    ]) {
      const { out, err } = await cli(...words.split(' '));
      expect([words, STEERING.test(out + err), /^root/m.test(out + err)]).toEqual([words, false, false]);
    }
    const reason = await cli('user', 'unban', ada.id, '--reason', NAME);
    expect(reason.code).toBe(0);
    expect((await lastAudit())?.reason).not.toMatch(/[\p{Cc}]/u);
  });

  test('every command has --json, and each that is audited has --reason', async () => {
    for (const [name, { usage, isAudited = false }] of Object.entries(COMMANDS)) {
      expect([name, usage.endsWith(' [--json]'), usage.includes('[--reason <text>]')]).toEqual([name, true, isAudited]);
    }
    const ada = await person(service, 'ada');
    for (const words of [
      ...['migrate', 'doctor', 'settings', 'routes', 'explain GET /v1/users/@me', 'keys rotate', 'sso enforce off'],
      ...[`user verify ${ada.id}`, `user reset-password ${ada.id}`, `user mfa off ${ada.id}`, 'audit verify'],
      ...[`user grant-acl ${ada.id} user:lookup`, `user export ${ada.id}`, 'sessions revoke --since 1m'],
      `user delete ${ada.id} --yes`,
    ]) {
      const { out } = await cli(...words.split(' '), '--json');
      expect([words, typeof JSON.parse(out)]).toEqual([words, 'object']);
    }
  });
});
