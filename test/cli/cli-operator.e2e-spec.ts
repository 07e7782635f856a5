import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { createApp } from '../../src/app.js';
import { SessionSweep } from '../../src/auth/sessions/session-sweep.service.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { execute } from '../../src/cli/execute.js';
import { ownPackage } from '../../src/core/own-package.js';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { superuser } from '../support/admin.js';
import { openTestDatabase, type TestDatabase } from '../support/gatehouse.js';
import { GatewayClient } from '../support/gateway-client.js';
import {
  Client,
  expectApiError,
  gatehouse,
  person,
  type Row,
  SoftwareAuthenticator,
  signIn,
} from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-operator-'));
const env: Record<string, string | undefined> = {
  DATA_DIR: directory,
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  LOG_LEVEL: 'silent',
  ...GENEROUS_TIMEOUTS,
};

/**
 * If the database is embedded, it is opened once for all commands. `cli.e2e-spec.ts` shows that each command can open
 * it.
 */
let own: TestDatabase;
const lent = () => (own.embedded ? { embeddedDatabase: own.embedded } : {});

afterAll(async () => {
  await own.release();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a command in this process. `cli.e2e-spec.ts` tests commands in their own process. */
async function cli(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    env,
    ...lent(),
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
  };
  const code = await execute(args, terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Runs the service on the database that the commands use, until `work` is done. */
async function running<T>(work: (as: (authorization?: string) => Client, app: INestApplication) => Promise<T>) {
  const app = await createApp(loadConfig({ ...env, PORT: '0', RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off' }), lent());
  try {
    await app.listen(0, '127.0.0.1');
    const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    return await work((authorization) => new Client(url, authorization, []), app);
  } finally {
    await app.close();
  }
}

async function sql(text: string, values: unknown[] = []): Promise<Row[]> {
  const database = await Database.open(loadConfig(env), databaseSchema(), own.embedded);
  try {
    return await database.manager.query(text, values);
  } finally {
    await database.close();
  }
}

const password = 'a long enough password';
const people: Record<'ada' | 'bob', { id: string; email: string; token: string }> = {
  ada: { id: '', email: 'ada@example.com', token: '' },
  bob: { id: '', email: 'bob@example.com', token: '' },
};
const { ada, bob } = people;

/** The last entry of the audit log. Every operator command adds one. */
const lastAuditEntry = async () =>
  (await sql('SELECT admin_user_id, action, target_id, metadata FROM audit_log ORDER BY sequence DESC LIMIT 1'))[0];

beforeAll(async () => {
  own = await openTestDatabase();
  env.DATABASE_URL = own.databaseUrl;
  await running(async (as) => {
    for (const [username, known] of Object.entries(people)) {
      const { body } = await as().post('/v1/auth/register', { email: known.email, password, username });
      Object.assign(known, { id: body.user_id, token: body.token });
    }
    const secret = new Secret({ size: 20 });
    const { body: inbox } = await as().get(`/dev/inbox.json?to=${ada.email}`);
    expect((await as().post('/v1/auth/verify', { token: inbox.messages[0].metadata.token })).status).toBe(204);
    const code = new TOTP({ secret }).generate();
    const enabled = await as(ada.token).post('/v1/users/@me/mfa/totp/enable', {
      secret: secret.base32,
      code,
      password,
    });
    expect(enabled.status).toBe(200);
    const { body: options } = await as(ada.token).post('/v1/users/@me/mfa/webauthn/credentials/registration-options', {
      mfa_method: 'totp',
      mfa_code: new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 }),
    });
    const registered = await as(ada.token).post('/v1/users/@me/mfa/webauthn/credentials', {
      response: new SoftwareAuthenticator().create(options),
      challenge: options.challenge,
      name: 'key',
    });
    expect(registered.status).toBe(204);
  });
});

describe('commands of an operator', () => {
  test('every command prints its usage with -h and --help, and is documented', async () => {
    const documented = readFileSync(join(root, 'docs/guides/operators/commands.md'), 'utf8');
    for (const [name, { usage, summary, options = {}, example }] of Object.entries(COMMANDS)) {
      for (const flag of ['-h', '--help']) {
        const { code, out, err } = await cli(...name.split(' '), flag);
        expect({ name, code, err }).toEqual({ name, code: 0, err: '' });
        const begin = `usage: npm run cli -- ${usage}\n\n  ${summary}\n\n`;
        const end = `example:\n  npm run cli -- ${`${name} ${example}`.trim()}`;
        expect(out.startsWith(begin) && out.endsWith(end)).toBe(true);
        for (const [option, effect] of Object.entries(options)) expect(out).toContain(`  ${option}\n      ${effect}\n`);
      }
      // Each option of the usage has a text, and no other.
      const named = (text: string) => [...text.matchAll(/(?<![\w-])--?[a-z][a-z-]*/g)].map(([option]) => option).sort();
      expect([name, named(Object.keys(options).join(' '))]).toEqual([name, named(usage)]);
      expect([name, named(usage)]).toEqual([name, expect.arrayContaining(named(example))]);
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z][a-z]+ .*[^.]$/)]);
      expect([name, documented.includes(name)]).toEqual([name, true]);
    }
    const group = await cli('user', '--help');
    expect(group.out).toContain('user mfa off');
    expect(group.out).not.toContain('audit tail');
    expect((await cli('help', 'ban')).out).toContain('ban remove <ip|cidr>');
  });

  test.each([
    [['--version'], ownPackage().version],
    [['-V'], ownPackage().version],
  ])('%j prints the version', async (args, version) => {
    expect(await cli(...args)).toEqual({ code: 0, out: version, err: '' });
  });

  test.each([
    [['user', 'lst'], 'Unknown command: user lst. Did you mean user list?'],
    [['migrat'], 'Unknown command: migrat. Did you mean migrate?'],
    [['user', 'shwo', 'ada@example.com'], 'Unknown command: user shwo ada@example.com. Did you mean user show?'],
    [['frobnicate'], 'Unknown command: frobnicate.\n'],
    [[], 'Command missing.\n'],
  ])('%j is unknown, and a similar command is suggested', async (args, message) => {
    const { code, out, err } = await cli(...args);
    expect([code, out, err.startsWith(message)]).toEqual([2, '', true]);
  });

  test('invalid input gets the usage of its command and exit code 2', async () => {
    for (const args of [
      ['user', 'show'],
      ['user', 'show', 'a', 'b'],
      ['user', 'list', '--limit', '0'],
      ['user', 'list', '--limit', '1001'],
      ['user', 'list', 'x'],
      ['user', 'list', '--all'],
      ['user', 'mfa'],
      ['user', 'mfa', 'off'],
      ['user', 'revoke-acl', 'ada'],
      ['ban', 'remove'],
      ['sessions', 'revoke'],
      ['sessions', 'revoke'],
      ['sessions', 'revoke', '--all', '--since', '1h'],
      ['sessions', 'revoke', '--since', 'yesterday'],
      ['sessions', 'revoke', '--since', '2026-13-01'],
      ['sessions', 'revoke', '--since', '2026-01-01T00:00:00'],
      ['audit', 'tail', '-n', '201'],
    ]) {
      const { code, out, err } = await cli(...args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toContain('usage: npm run cli -- ');
    }
  });

  test('an unknown account is reported, and nothing changes', async () => {
    const before = await lastAuditEntry();
    for (const command of ['show', 'verify', 'reset-password', 'mfa off']) {
      const { code, out, err } = await cli('user', ...command.split(' '), 'nobody@example.com');
      expect([command, code, out, err]).toEqual([command, 1, '', expect.stringContaining('nobody@example.com')]);
    }
    expect(await lastAuditEntry()).toEqual(before);
  });
});

describe('user', () => {
  test('list prints accounts, newest first, as text and as JSON', async () => {
    const { code, out } = await cli('user', 'list');
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines.map((line) => line.split('  ')[0])).toEqual([bob.id, ada.id, '2 of 2']);
    expect(lines[0]).toMatch(/ {2}bob#\d{4} {2}bob@example\.com {2}\S+Z {2}unverified$/);
    expect(await lastAuditEntry()).toMatchObject({
      admin_user_id: '0',
      action: 'list_users',
      metadata: { user_count: '2' },
    });
    const page = JSON.parse((await cli('user', 'list', '--limit', '1', '--offset', '1', '--json')).out);
    expect(page).toEqual([expect.objectContaining({ id: ada.id, email: ada.email, has_totp: true })]);
  });

  test('show prints one, by address or ID, without secrets', async () => {
    const byEmail = await cli('user', 'show', 'ADA@example.com');
    expect(byEmail.out).toMatch(/^email +ada@example\.com$/m);
    expect(byEmail.out).toMatch(/^has_totp +true$/m);
    expect(await lastAuditEntry()).toMatchObject({ admin_user_id: '0', action: 'show_user', target_id: ada.id });
    const byId = await cli('user', 'show', ada.id, '--json');
    expect(JSON.parse(byId.out)).toMatchObject({ id: ada.id, authenticator_types: expect.arrayContaining([0]) });
    expect(byEmail.out + byId.out).not.toMatch(/argon2|digest/);
  });

  test('verify marks the address as verified', async () => {
    expect(await cli('user', 'verify', bob.email)).toMatchObject({ code: 0, out: expect.stringContaining(bob.email) });
    expect(await lastAuditEntry()).toMatchObject({ admin_user_id: '0', action: 'verify_email', target_id: bob.id });
    expect(await sql('SELECT email_verified FROM account WHERE id = $1', [bob.id])).toEqual([{ email_verified: true }]);
  });

  test('reset-password emails the token to the owner and does not print it', async () => {
    const { code, out, err } = await cli('user', 'reset-password', bob.email);
    expect([code, out]).toEqual([0, expect.stringContaining(bob.email)]);
    expect(await lastAuditEntry()).toMatchObject({
      admin_user_id: '0',
      action: 'send_password_reset',
      target_id: bob.id,
    });
    await running(async (as) => {
      let token: string | undefined;
      while (token === undefined) {
        const { body } = await as().get(`/dev/inbox.json?to=${bob.email}`);
        token = body.messages.find(({ type }: { type: string }) => type === 'password_reset')?.metadata.token;
      }
      expect(out + err).not.toContain(token);
      const reset = await as().post('/v1/auth/reset', { token, password: 'another long password' });
      expect(reset.status).toBe(200);
      Object.assign(bob, { token: reset.body.token });
    });
    env.MAIL_TRANSPORT = 'none';
    const silent = await cli('user', 'reset-password', bob.email);
    delete env.MAIL_TRANSPORT;
    expect(silent).toMatchObject({ code: 1, out: '', err: expect.stringContaining('MAIL_TRANSPORT') });
  });

  test('grant-acl and revoke-acl add and remove ACLs; missing ones are reported', async () => {
    await cli('user', 'grant-acl', bob.email, 'admin:authenticate', 'user:lookup', 'audit_log:view');
    const taken = await cli('user', 'revoke-acl', bob.email, 'user:lookup', 'audit_log:view');
    expect(taken).toMatchObject({ code: 0, out: expect.stringMatching(/^ACLs of .*: admin:authenticate$/) });
    expect(await lastAuditEntry()).toMatchObject({
      ...{ admin_user_id: '0', action: 'set_acls', target_id: bob.id },
      metadata: { new_acls: 'admin:authenticate' },
    });
    const again = await cli('user', 'revoke-acl', bob.email, 'user:lookup');
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not have user:lookup') });
    expect((await cli('user', 'revoke-acl', bob.email, 'admin:authenticate')).out).toMatch(/^ACLs of .*: no ACL$/);
    expect(await sql('SELECT acls FROM account WHERE id = $1', [bob.id])).toEqual([{ acls: [] }]);
  });

  test('mfa off removes authenticator and backup codes, and passkeys only on request', async () => {
    const left = () =>
      sql(
        `SELECT totp_secret IS NOT NULL AS totp, (SELECT count(*)::int FROM backup_code WHERE account_id = $1) AS codes,
           (SELECT count(*)::int FROM passkey WHERE account_id = $1) AS passkeys FROM account WHERE id = $1`,
        [ada.id],
      );
    const off = await cli('user', 'mfa', 'off', ada.email);
    expect([off.code, off.out]).toEqual([0, expect.stringContaining('Kept 1 passkey.')]);
    expect(await left()).toEqual([{ totp: false, codes: 0, passkeys: 1 }]);
    expect(await lastAuditEntry()).toMatchObject({ admin_user_id: '0', action: 'disable_mfa', target_id: ada.id });
    expect((await cli('user', 'mfa', 'off', ada.email, '--passkeys')).code).toBe(0);
    expect(await left()).toEqual([{ totp: false, codes: 0, passkeys: 0 }]);
    expect(await lastAuditEntry()).toMatchObject({ admin_user_id: '0', action: 'delete_webauthn_credential' });
  });
});

describe('ban', () => {
  test('list prints the bans, remove lifts one', async () => {
    expect(await cli('ban', 'list')).toMatchObject({ code: 0, out: 'No IP address is banned.' });
    await cli('user', 'grant-acl', ada.email, '*');
    await running(async (as) => {
      for (const ip of ['203.0.113.7', '2001:db8:1:2::/64']) {
        expect((await as(ada.token).post('/v1/admin/blocklists/ip/entries', { ip })).status).toBe(204);
      }
    });
    const { out } = await cli('ban', 'list');
    expect(out).toMatch(/^203\.0\.113\.7 {2}permanent {2}platform_admin_enforcement .* permanent$/m);
    expect(await lastAuditEntry()).toMatchObject({
      admin_user_id: '0',
      action: 'list_ip_bans',
      metadata: { ban_count: '2' },
    });
    expect(await cli('ban', 'remove', '2001:DB8:1:2::/64')).toMatchObject({ code: 0 });
    expect(await lastAuditEntry()).toMatchObject({ admin_user_id: '0', action: 'unban_ip' });
    const lifted = await sql("SELECT count(*)::int AS n FROM audit_log WHERE action = 'unban_ip'");
    for (const [value, err] of [
      ['2001:db8:1:2::/64', '2001:db8:1:2::/64 is not banned.'],
      ['203.0.113.8', '203.0.113.8 is not banned.'],
    ] as const) {
      expect(await cli('ban', 'remove', value)).toEqual({ code: 1, out: '', err });
    }
    expect(await sql("SELECT count(*)::int AS n FROM audit_log WHERE action = 'unban_ip'")).toEqual(lifted);
    expect(await lastAuditEntry()).toMatchObject({ admin_user_id: '0', action: 'unban_ip' });
    const bans = JSON.parse((await cli('ban', 'list', '--json')).out);
    expect(bans.map(({ value }: { value: string }) => value)).toEqual(['203.0.113.7']);
    const nonsense = await cli('ban', 'remove', 'localhost');
    expect(nonsense).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Invalid IP address') });
  });

  test('list prints every page, as text and as JSON', async () => {
    await sql(
      `INSERT INTO ip_ban (value, kind, reason)
       SELECT '198.18.' || n / 250 || '.' || n % 250, 'permanent', 'platform_admin_enforcement' FROM generate_series(1, 450) n`,
    );
    const stored = await sql('SELECT value FROM ip_ban');
    const bans: { value: string }[] = JSON.parse((await cli('ban', 'list', '--json')).out);
    expect(bans.map(({ value }) => value).sort()).toEqual(stored.map(({ value }) => value).sort());
    expect((await cli('ban', 'list')).out.split('\n')).toHaveLength(stored.length);
    expect(await lastAuditEntry()).toMatchObject({ metadata: { ban_count: String(stored.length) } });
    await sql('DELETE FROM ip_ban');
    expect(JSON.parse((await cli('ban', 'list', '--json')).out)).toEqual([]);
  });
});

describe('sessions revoke --since', () => {
  test('ends sessions created since then, and no earlier ones', async () => {
    await sql("UPDATE session SET created_at = now() - interval '2 days' WHERE account_id = $1", [ada.id]);
    const before = await sql('SELECT count(*)::int AS n FROM session WHERE account_id = $1 AND revoked_at IS NULL', [
      bob.id,
    ]);
    const { code, out } = await cli('sessions', 'revoke', '--since', '12h');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Ended ${before[0]?.n} sessions? that were created since .*Z\\.$`)),
    ]);
    expect(await lastAuditEntry()).toMatchObject({
      ...{ admin_user_id: '0', action: 'revoke_sessions' },
      metadata: { count: String(before[0]?.n), since: expect.stringMatching(/Z$/) },
    });
    await running(async (as) => {
      expect((await as(ada.token).get('/v1/users/@me')).status).toBe(200);
      expectApiError(await as(bob.token).get('/v1/users/@me'), 'UNAUTHORIZED');
    });
    expect((await cli('sessions', 'revoke', '--since', '12h')).out).toMatch(/^Ended 0 sessions/);
  });

  test('ends any number of them, with their sockets and pending operations', async () => {
    const service = await gatehouse();
    try {
      const [alice, boss] = [await person(service, 'alice'), await superuser(service)];
      const former = await signIn(service, alice);
      const sweep = (since: Date) => service.app.get(SessionSweep).revokeSince(since, async () => {});
      await service.sql(`UPDATE session SET created_at = now() - interval '2 days' WHERE account_id = $1`, [boss.id]);
      await service.sql(
        `INSERT INTO session (id, digest, account_id, ip)
         SELECT n, decode(lpad(to_hex(n), 64, '0'), 'hex'), $1, '127.0.0.1' FROM generate_series(1, 2500) n`,
        [alice.id],
      );
      const { client } = await GatewayClient.identify(service, alice.authorization);
      const { client: other } = await GatewayClient.identify(service, boss.authorization);
      const epochs = () => service.sql('SELECT id, epoch FROM account WHERE id = ANY ($1)', [[alice.id, boss.id]]);
      const epochOf = async ({ id }: { id: string }) => (await epochs()).find((row) => row.id === id)?.epoch;
      const [ofAlice, ofBoss] = [await epochOf(alice), await epochOf(boss)];
      expect(await sweep(new Date(Date.now() - 3_600_000))).toBe(2502);
      expect((await client.closed())[0]).toBe(4004);
      for (const token of [former, alice.authorization]) {
        expectApiError(await service.as(token).get('/v1/users/@me'), 'UNAUTHORIZED');
      }
      expect(await epochOf(alice)).toBeGreaterThan(ofAlice);
      expect(await epochOf(boss)).toBe(ofBoss);
      expect((await service.as(boss).get('/v1/users/@me')).status).toBe(200);
      await other.sendHeartbeat();
    } finally {
      await service.close();
    }
  });
});

describe('audit tail', () => {
  test('prints the last entries, newest at the end, as text and as JSON', async () => {
    const { code, out } = await cli('audit', 'tail', '-n', '3');
    const lines = out.split('\n');
    expect([code, lines.length]).toEqual([0, 3]);
    expect(lines.at(-1)).toMatch(/^\S+Z {2}console {2}revoke_sessions {2}instance {2}.*count=0/);
    expect(await lastAuditEntry()).toMatchObject({
      admin_user_id: '0',
      action: 'tail_audit_log',
      metadata: { entry_count: '3' },
    });
    const entries = JSON.parse((await cli('audit', 'tail', '--action', 'disable_mfa', '--json')).out);
    expect(entries).toEqual([
      expect.objectContaining({ action: 'disable_mfa', admin_user_id: '0', target_id: ada.id }),
      expect.objectContaining({ action: 'disable_mfa', admin_user_id: '0', target_id: ada.id }),
    ]);
    expect((await cli('audit', 'verify')).out).toMatch(/^intact/);
  });
});

describe('stored text with terminal escape sequences', () => {
  const NAME = 'a\u001b]0;owned\u0007b\u009b31m\u202ec\u2066d\r\u2028e\u007f\nroot';
  const STEERING = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

  test('is escaped in all output, and unchanged in JSON', async () => {
    await sql('UPDATE account SET username = $1, bio = $1, global_name = $1 WHERE id = $2', [NAME, ada.id]);
    await sql('UPDATE session SET user_agent = $1 WHERE account_id = $2', [NAME, ada.id]);
    for (const words of [
      ...['user list', `user show ${ada.id}`, `user verify ${ada.id}`, `user mfa off ${ada.id}`],
      ...[`user grant-acl ${ada.id} *`, `user revoke-acl ${ada.id} *`, `user delete ${ada.id}`, 'audit tail'],
      ...['ban remove \u001b[31m', 'user show \u001b[31m', '\u001b[31m'],
    ]) {
      const { out, err } = await cli(...words.split(' '));
      expect([words, STEERING.test(out + err)]).toEqual([words, false]);
    }
    expect((await cli('user', 'list')).out).toMatch(/^\d+ {2}a\\u001b\]0;owned\\u0007b\\u009b31m.*\\nroot#\d{4} {2}/m);
    const json = async (...args: string[]) => {
      const { out } = await cli(...args);
      expect([args, STEERING.test(out)]).toEqual([args, false]);
      return JSON.parse(out);
    };
    expect((await json('user', 'show', ada.id, '--json')).username).toBe(NAME);
    expect((await json('user', 'list', '--json')).map(({ username }: Row) => username)).toContain(NAME);
    const exported = await json('user', 'export', ada.id);
    expect([exported.account.bio, exported.sessions[0].user_agent]).toEqual([NAME, NAME]);
    await sql("UPDATE account SET username = 'ada', global_name = NULL WHERE id = $1", [ada.id]);
  });
});

describe('sessions revoke --all', () => {
  test('ends all sessions of any age, and is audited', async () => {
    await sql("UPDATE session SET created_at = now() - interval '10 years' WHERE account_id = $1", [ada.id]);
    const [live] = await sql('SELECT count(*)::int AS n FROM session WHERE revoked_at IS NULL');
    expect(live?.n).toBe(1);
    expect(await cli('sessions', 'revoke', '--all')).toEqual({ code: 0, out: 'Ended 1 session.', err: '' });
    expect(await sql('SELECT 1 FROM session WHERE revoked_at IS NULL')).toEqual([]);
    expect(await lastAuditEntry()).toMatchObject({
      ...{ admin_user_id: '0', action: 'revoke_sessions' },
      metadata: { all: 'true', count: '1' },
    });
    await running(async (as) => expectApiError(await as(ada.token).get('/v1/users/@me'), 'UNAUTHORIZED'));
    expect((await cli('sessions', 'revoke', '--all')).out).toBe('Ended 0 sessions.');
  });
});

describe('keys rotate: signing keys of OpenID Connect', () => {
  const currentKeys = async () =>
    (await sql('SELECT kid FROM openid_key WHERE activated_at IS NOT NULL AND retired_at IS NULL ORDER BY kid')).map(
      ({ kid }) => kid,
    );

  test('fails before the next keys are 24 hours old, and re-encrypts the secrets nevertheless', async () => {
    expect((await cli('keys', 'rotate')).code).toBe(0);
    await running(async (as) => expect((await as().get('/.well-known/jwks.json')).status).toBe(200));
    const before = await currentKeys();
    expect(before).toHaveLength(3);
    const refused = await cli('keys', 'rotate');
    expect(refused).toMatchObject({ code: 1, out: expect.stringMatching(/^signing keys: 0 re-encrypted$/m) });
    expect(refused.out).toMatch(/not rotated, because the next keys were published less than 24 hours ago/);
    expect(await currentKeys()).toEqual(before);
    await sql("UPDATE openid_key SET published_at = published_at - interval '24 hours'");
    expect(await cli('keys', 'rotate')).toMatchObject({ code: 0, out: expect.stringContaining('Connect: rotated') });
    const after = await currentKeys();
    expect(after).toHaveLength(3);
    for (const kid of after) expect(before).not.toContain(kid);
  });

  test('--secrets re-encrypts only, and cannot be combined with --compromised', async () => {
    await sql("UPDATE openid_key SET published_at = published_at - interval '24 hours'");
    const before = await currentKeys();
    const { code, out } = await cli('keys', 'rotate', '--secrets');
    expect(code).toBe(0);
    expect(out).toMatch(/^signing keys: 0 re-encrypted$/m);
    expect(out).not.toContain('signing keys of OpenID Connect');
    const both = await cli('keys', 'rotate', '--secrets', '--compromised');
    expect(both).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--secrets and --compromised') });
    expect(await currentKeys()).toEqual(before);
    expect(await lastAuditEntry()).toMatchObject({ action: 'rotate_keys', metadata: { 'signing keys': '0' } });
  });
});
