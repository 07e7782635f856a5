import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { createApp } from '../../src/app.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { execute } from '../../src/cli/execute.js';
import { loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { type EmbeddedDatabase, openEmbedded } from '../../src/platform/database/embedded.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { Client } from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
const env = {
  PATH: process.env.PATH,
  DATA_DIR: join(directory, 'data'),
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
};

/** Commands that read no settings and therefore cannot fail because of them. */
const WITHOUT_SETTINGS = ['settings', 'routes', 'explain', 'doctor'];

/** The database of the directory, while it stays open for several commands. */
let kept: EmbeddedDatabase | undefined;
const keep = async (): Promise<void> => {
  kept = await openEmbedded(loadConfig({ ...env }));
};
const letGo = async (): Promise<void> => {
  await kept?.close();
  kept = undefined;
};
const lent = () => (kept ? { embeddedDatabase: kept.engine } : {});

afterAll(async () => {
  await letGo();
  rmSync(directory, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. */
async function cli(args: string[], extra: Record<string, string> = {}): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await execute(args, {
    ...lent(),
    env: { LOG_LEVEL: 'silent', ...env, ...extra },
    out: (line) => void out.push(`${line}\n`),
    err: (line) => void err.push(`${line}\n`),
  });
  return { code, out: out.join(''), err: err.join('') };
}

/** Runs a command in its own process, as a user does. */
function typed(args: string[], extra: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...env, ...extra } };
    execFile(process.execPath, ['scripts/cli.mjs', ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

/** Runs the service on the directory that the commands use, until `work` is done. */
async function running<T>(
  work: (anonymous: Client, as: (authorization: string) => Client, app: INestApplication) => Promise<T>,
): Promise<T> {
  const calm = { PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'silent', ARGON2_CONCURRENCY: '1', ...GENEROUS_TIMEOUTS };
  const config = loadConfig({ ...env, ...calm });
  const app = await createApp(config, lent());
  try {
    await app.listen(0, '127.0.0.1');
    const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    return await work(new Client(url, undefined, []), (authorization) => new Client(url, authorization, []), app);
  } finally {
    await app.close();
  }
}

const account = { email: 'ada@example.com', password: 'a long enough password', username: 'ada' };
let ada: { id: string; token: string };

describe('commands without a database', () => {
  test('unknown input gets the usage text and exit code 2', async () => {
    for (const args of [
      [],
      ['frobnicate'],
      ['user'],
      ['routes', '--all'],
      ['user', 'grant-acl', 'ada'],
      ['migrate', '--no'],
    ]) {
      const { code, out, err } = await cli(args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toContain('usage: npm run cli -- ');
    }
    const mistyped = await typed(['user', 'grant-acl', 'ada']);
    expect(mistyped).toMatchObject({ code: 2, out: '', err: expect.stringContaining('usage: npm run cli -- ') });
    const help = await typed(['help']);
    expect([help.code, help.out]).toEqual([0, expect.stringContaining('user grant-acl <email|id> <acl...>')]);
  });

  test('with --json, every error is one JSON object on standard error, and the exit code stays', async () => {
    const failure = async (args: string[], extra: Record<string, string> = {}) => {
      const { code, out, err } = await cli([...args, '--json'], extra);
      expect({ args, out, lines: err.split('\n').length }).toEqual({ args, out: '', lines: 2 });
      return { args, exit: code, ...JSON.parse(err) };
    };
    const invalid = { code: 'INVALID_USAGE', message: expect.not.stringContaining('usage:') };
    for (const args of [[], ['frobnicate'], ['user'], ['user', 'grant-acl', 'ada'], ['user', 'show']])
      expect(await failure(args)).toEqual({ args, exit: 2, error: invalid });
    for (const name of Object.keys(COMMANDS)) {
      const args = [...name.split(' '), '--no-such-option'];
      expect(await failure(args)).toEqual({ args, exit: 2, error: invalid });
    }
    const file = join(directory, 'no-accounts.jsonl');
    writeFileSync(file, '');
    const wrong = { DATABASE_URL: 'nonsense' };
    const found: Awaited<ReturnType<typeof failure>>[] = [];
    for (const [name, { example, skipsExtension }] of Object.entries(COMMANDS)) {
      if (skipsExtension || WITHOUT_SETTINGS.includes(name)) continue;
      const words = example.replace(/ > .*/, '').match(/"[^"]*"|\S+/g) ?? [];
      const unquoted = words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
      const args = [...name.split(' '), ...unquoted.map((word) => (word === 'users.jsonl' ? file : word))];
      found.push(await failure(args, wrong));
    }
    const error = { code: 'INVALID_SETTINGS', message: expect.stringContaining('DATABASE_URL') };
    expect(found).toEqual(found.map(({ args }) => ({ args, exit: 1, error })));
    expect(await failure(['import', 'users', join(directory, 'absent')])).toMatchObject({
      exit: 1,
      error: { code: 'COMMAND_FAILED', message: expect.stringContaining('absent') },
    });
  });

  test('routes prints the snapshot in any environment, and touches no directory', async () => {
    const { code, out } = await typed(['routes'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PORT: 'bad' });
    expect(code).toBe(0);
    expect(out).toBe(readFileSync(join(root, 'test', 'routes.snapshot.txt'), 'utf8'));
    expect(existsSync(env.DATA_DIR)).toBe(false);
  });

  test('explain prints policy and guards in order', async () => {
    const { code, out } = await cli(['explain', 'get', '/v1/admin/users/12']);
    expect(code).toBe(0);
    expect(out).toContain('GET /v1/admin/users/:user_id');
    expect(out).toContain("@AdminAcl('user:lookup')");
    const guards = [...out.matchAll(/^ +\d+ {2}(\w+)$/gm)].map(([, name]) => name);
    expect(guards).toEqual([
      ...['load', 'ip_ban', 'credential', 'rate_limit', 'identity', 'credential_kind', 'administrator'],
      ...['acl', 'input'],
    ]);
    const imagined = ['--credential', 'session', '--acls', 'admin:authenticate'];
    const judged = await cli(['explain', 'get', '/v1/admin/users/12', ...imagined]);
    expect(judged.out).toMatch(
      /administrator +passes\n.*acl +refuses\n.*input +unreached\n.*response +403 MISSING_ACL/,
    );
    expect(await cli(['explain', 'GET', '/', '--credential', 'cookie'])).toMatchObject({ code: 2 });
    expect(await cli(['explain', 'GET', '/', '--acls', 'admin:*'])).toMatchObject({ code: 2 });
    expect(await cli(['explain', 'GET', '/v1/nothing'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('No route'),
    });
  });
});

describe('the embedded database', () => {
  test('migrate creates it, and is idempotent', async () => {
    expect(await typed(['migrate'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Applied migrations: Foundation'),
    });
    expect(await cli(['migrate'])).toMatchObject({ code: 0, out: 'The database schema is up to date.\n' });
  });

  test('while the service runs, commands that need it report this and change nothing', async () => {
    await running(async (anonymous) => {
      const { status, body } = await anonymous.post('/v1/auth/register', account);
      expect({ status, body }).toMatchObject({ status: 200 });
      ada = { id: body.user_id, token: body.token };
      for (const [run, ...args] of [
        [typed, 'user', 'grant-acl', account.email, '*'],
        [cli, 'audit', 'verify'],
        [cli, 'migrate'],
        [cli, 'doctor'],
      ] as const) {
        const { code, out, err } = await run([...args]);
        expect({ args, code }).toEqual({ args, code: 1 });
        expect(out + err).toMatch(/in use by process \d+.*[Ss]top the service/s);
      }
    });
  });
});

describe('admin.md 3 and 4 on the command line', () => {
  beforeAll(keep);
  afterAll(letGo);

  test('user grant-acl rejects unknown accounts and unknown ACLs', async () => {
    const unknown = await cli(['user', 'grant-acl', 'nobody@example.com', '*']);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('nobody@example.com') });
    const acl = await cli(['user', 'grant-acl', account.email, 'admin:*']);
    expect(acl).toMatchObject({ code: 1, err: expect.stringContaining('Unknown ACL: admin:*') });
  });

  test('user grant-acl adds registry ACLs by address or ID, audited as account 0', async () => {
    const byEmail = await cli(['user', 'grant-acl', 'ADA@example.com', 'admin:authenticate', 'audit_log:view']);
    expect(byEmail).toMatchObject({ code: 0, out: expect.stringContaining('admin:authenticate, audit_log:view') });
    const byId = await cli(['user', 'grant-acl', ada.id, 'user:lookup', 'user:lookup']);
    expect(byId.code).toBe(0);
    await running(async (_, as) => {
      const { body } = await as(ada.token).get('/v1/admin/audit-logs');
      expect(body.logs).toHaveLength(2);
      expect(body.logs[0]).toMatchObject({
        admin_user_id: '0',
        admin_user: null,
        api_key_id: null,
        action: 'set_acls',
        target_user: expect.objectContaining({ id: ada.id }),
        metadata: {
          old_acls: 'audit_log:view,admin:authenticate',
          new_acls: 'audit_log:view,admin:authenticate,user:lookup',
        },
      });
    });
  });

  test('admin-key create is limited to the ACLs of the owner and prints the key once', async () => {
    const create = (...acl: string[]) =>
      cli(['admin-key', 'create', '--owner', account.email, '--name', 'robot', '--acl', ...acl]);
    expect(await create('*')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not have *') });
    const { code, out } = await create('user:lookup', 'audit_log:view');
    expect(code).toBe(0);
    const [key] = /^fa_\d+_[A-Za-z0-9]{32}$/m.exec(out) ?? [''];
    await running(async (_, as) => {
      expect((await as(`Admin ${key}`).get(`/v1/admin/users/${ada.id}`)).status).toBe(200);
      const { body } = await as(`Admin ${key}`).get('/v1/admin/audit-logs?action=create_api_key');
      expect(body.logs).toMatchObject([{ admin_user_id: '0', metadata: { acls: 'audit_log:view,user:lookup' } }]);
    });
  });

  test('audit verify checks the chain', async () => {
    expect(await cli(['audit', 'verify'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^intact: 3 entries, head [0-9a-f]{64}$/m),
    });
  });

  test('audit verify names a changed entry, also with its exit code', async () => {
    await running(async (_anonymous, _as, app) => {
      await app.get(Database).manager.query(`ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
        UPDATE audit_log SET reason = 'forged' WHERE sequence = 2;
        ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only`);
    });
    expect(await cli(['audit', 'verify'])).toMatchObject({ code: 1, out: expect.stringMatching(/^broken: entry 2 /m) });
  });
});

describe('sso.md 4 recovery when the provider is lost', () => {
  beforeAll(keep);
  afterAll(letGo);

  test('sso enforce off allows passwords again, audited as account 0, and reports if it was already off', async () => {
    const login = (anonymous: Client) => anonymous.post('/v1/auth/login', account);
    await running(async (anonymous, _as, app) => {
      const change = { issuer: 'https://idp.example', clientId: 'gatehouse', tokenUrl: 'https://idp.example/token' };
      const urls = { authorizationUrl: 'https://idp.example/authorize', jwksUrl: 'https://idp.example/keys' };
      await app
        .get(Database)
        .transaction((tx) =>
          app.get(Instance).change(tx, 'sso', { enabled: true, enforced: true, ...change, ...urls }),
        );
      expect((await login(anonymous)).body.code).toBe('SSO_REQUIRED');
    });
    const lifted = { code: 0, out: expect.stringContaining('enforced no longer') };
    expect(await cli(['sso', 'enforce', 'off'])).toMatchObject(lifted);
    expect(await cli(['sso', 'enforce', 'off'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('not enforced'),
    });
    await running(async (anonymous, as, app) => {
      const { status, body } = await login(anonymous);
      expect({ status, body }).toMatchObject({ status: 200 });
      const sso = (await app.get(Instance).readStored()).sso;
      expect(sso).toMatchObject({ enabled: true, enforced: false, issuer: 'https://idp.example' });
      const { body: log } = await as(ada.token).get('/v1/admin/audit-logs?action=update_instance_config');
      expect(log.logs).toMatchObject([{ admin_user_id: '0', metadata: { changed: 'sso.enforced' } }]);
    });
  });
});

describe('the secret of the service is rotated', () => {
  beforeAll(keep);
  afterAll(letGo);

  const next = randomBytes(32).toString('base64');
  const rotated = { GATEHOUSE_SECRET: next, GATEHOUSE_SECRET_PREVIOUS: env.GATEHOUSE_SECRET };
  const authenticator = new Secret({ size: 20 });
  const codeAt = (step: number) =>
    new TOTP({ secret: authenticator }).generate({ timestamp: Date.now() + step * 30_000 });
  let backupCodes: string[];

  const ticketOf = async (anonymous: Client) => {
    const { body } = await anonymous.post('/v1/auth/login', { email: account.email, password: account.password });
    expect(body).toMatchObject({ mfa: true, ticket: expect.any(String) });
    return body.ticket as string;
  };
  const complete = async (anonymous: Client, code: string) =>
    (await anonymous.post('/v1/auth/login/mfa/totp', { ticket: await ticketOf(anonymous), code })).status;

  test('an authenticator and backup codes are set up with the old one', async () => {
    await running(async (anonymous, as) => {
      const { body: inbox } = await anonymous.get(`/dev/inbox.json?to=${account.email}`);
      const { token } = inbox.messages.at(-1).metadata;
      expect((await anonymous.post('/v1/auth/verify', { token })).status).toBe(204);
      const enabled = await as(ada.token).post('/v1/users/@me/mfa/totp/enable', {
        secret: authenticator.base32,
        code: codeAt(0),
        password: account.password,
      });
      expect(enabled.status).toBe(200);
      backupCodes = enabled.body.backup_codes.map(({ code }: { code: string }) => code);
    });
  });

  test('doctor reports whether the secret decrypts the stored values', async () => {
    const right = await cli(['doctor']);
    expect({ code: right.code, out: right.out }).toEqual({ code: 0, out: expect.stringContaining('0 errors') });
    expect(right.out).toMatch(/^ok +secret: decrypts stored secrets: authenticator secrets$/m);
    expect(right.out).toMatch(/^ok +secret: decrypts stored secrets: digest keys$/m);
    const wrong = await cli(['doctor'], { GATEHOUSE_SECRET: next });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toMatch(/^ERROR +secret: cannot decrypt stored secrets: authenticator secrets$/m);
    expect(wrong.out).toMatch(/^ERROR +secret: cannot decrypt stored secrets: digest keys$/m);
    expect((await cli(['doctor'], rotated)).code).toBe(0);
    expect(wrong.out).not.toContain(next);
  });

  test('with another secret and no previous one nothing can be decrypted, and nothing is destroyed', async () => {
    const { code, out } = await cli(['keys', 'rotate'], { GATEHOUSE_SECRET: next });
    expect(code).toBe(1);
    expect(out).toMatch(/^authenticator secrets: 0 re-encrypted, 1 lost: no secret decrypts them$/m);
    expect(out).toMatch(/^digest keys: 0 re-encrypted, 1 lost/m);
    expect(out).toContain('GATEHOUSE_SECRET_PREVIOUS');
  });

  test('with both, all values get the new key; a repetition finds nothing to do', async () => {
    const before = await cli(['keys', 'status'], rotated);
    expect(before).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^authenticator secrets: 1 of another secret$/m),
    });
    expect(before.out).toMatch(/^\d+ stored values of another secret\. Run keys rotate --secrets/m);
    const first = await cli(['keys', 'rotate'], rotated);
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^authenticator secrets: 1 re-encrypted$/m) });
    expect(first.out).toMatch(/^digest keys: 1 re-encrypted$/m);
    expect(first.out).toContain('You can remove GATEHOUSE_SECRET_PREVIOUS');
    const again = await cli(['keys', 'rotate'], rotated);
    expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/^authenticator secrets: 0 re-encrypted$/m) });
    const after = await cli(['keys', 'status'], rotated);
    expect(after).toMatchObject({ code: 0, out: expect.stringContaining('You can remove GATEHOUSE_SECRET_PREVIOUS') });
    for (const { out, err } of [before, first, again, after]) expect(out + err).not.toContain(next);
  });

  test('without the previous secret, the authenticator and earlier backup codes still work', async () => {
    env.GATEHOUSE_SECRET = next;
    await running(async (anonymous) => {
      expect(await complete(anonymous, codeAt(1))).toBe(200);
      expect(await complete(anonymous, backupCodes[0] ?? '')).toBe(200);
      expect(await complete(anonymous, backupCodes[0] ?? '')).toBe(400);
    });
  });
});

describe('user export and user delete', () => {
  test('export prints all stored data as JSON, without secrets', async () => {
    const unknown = await cli(['user', 'export', 'nobody@example.com']);
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('nobody@example.com') });
    const { code, out } = await typed(['user', 'export', account.email]);
    expect(code).toBe(0);
    const parts = JSON.parse(out);
    expect(parts.account).toMatchObject({ id: ada.id, email: account.email, has_totp: true, has_password: true });
    expect(parts.sessions.length).toBeGreaterThan(0);
    expect(parts.audit_of_account.map(({ action }: { action: string }) => action)).toContain('set_acls');
    expect(out).not.toContain('argon2');
    expect(out).not.toContain(ada.token);
  });

  test('delete requires --yes, then erases immediately and is audited', async () => {
    await keep();
    const requested = await cli(['user', 'delete', account.email]);
    expect(requested).toMatchObject({ code: 1, out: '', err: expect.stringContaining('To delete, add --yes.') });
    const done = await cli(['user', 'delete', account.email, '--yes']);
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining(`ada (${ada.id}) is deleted`) });
    const again = await cli(['user', 'delete', ada.id, '--yes']);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is already deleted') });
    const {
      account: left,
      sessions,
      passkeys,
      audit_of_account,
    } = JSON.parse((await cli(['user', 'export', ada.id])).out);
    expect(left).toMatchObject({ username: 'DeletedUser', email: null, has_totp: false, has_password: false });
    expect([sessions, passkeys]).toEqual([[], []]);
    const actions = audit_of_account.map(({ action }: { action: string }) => action);
    expect(actions.slice(-2)).toEqual(['export_account', 'delete_account']);
    await letGo();
  });
});

describe('a folder that cannot be written', () => {
  test('is one line that names it, for every command that needs the folder', async () => {
    const file = join(directory, 'a-file');
    writeFileSync(file, '');
    for (const [DATA_DIR, run] of [
      [join(file, 'data'), cli],
      ['/dev/null/data', typed],
    ] as const) {
      for (const GATEHOUSE_SECRET of run === cli ? [env.GATEHOUSE_SECRET, ''] : ['']) {
        const { code, out, err } = await run(['migrate'], { DATA_DIR, GATEHOUSE_SECRET });
        expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
        expect(err).toContain(`Cannot write ${DATA_DIR}`);
      }
      const { code, out } = await cli(['doctor'], { DATA_DIR, GATEHOUSE_SECRET: '' });
      expect([code, out]).toEqual([1, expect.stringMatching(/ERROR +DATA_DIR: .* is not writable/)]);
    }
  });
});

describe('doctor', () => {
  test('finds no errors in a development setup', async () => {
    const { code, out } = await cli(['doctor']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('0 errors') });
    expect(out).not.toContain(env.GATEHOUSE_SECRET);
  });

  test('names every error of the configuration, without its value', async () => {
    const { code, out } = await typed(['doctor'], {
      NODE_ENV: 'production',
      GATEHOUSE_SECRET: 'changeme',
      RATE_LIMITS: 'no',
    });
    expect(code).toBe(1);
    for (const name of ['GATEHOUSE_SECRET', 'DATABASE_URL', 'RATE_LIMITS']) expect(out).toContain(name);
    expect(out).not.toContain('changeme');
  });

  test('reports if administration is not allowed from your network', async () => {
    const from = async (address: string) =>
      (await cli(['doctor'], { ADMIN_ALLOW_NETWORKS: '10.0.0.0/8', SSH_CONNECTION: `${address} 50000 10.9.9.9 22` }))
        .out;
    expect(await from('10.1.2.3')).toMatch(/ok +ADMIN_ALLOW_NETWORKS/);
    expect(await from('192.0.2.7')).toMatch(
      /warning +ADMIN_ALLOW_NETWORKS: does not contain your IP address: 192.0.2.7/,
    );
  });

  test('finds invalid settings for production, and names the fix', async () => {
    const production = {
      ...{ NODE_ENV: 'production', EMBEDDED_DATABASE: 'true', MAIL_TRANSPORT: 'none' },
      ...{ RATE_LIMITS: 'off', OAUTH_CODE_TTL: '60', OPENID_KEY_DAY: '9', HTTP_PROXY: 'http://127.0.0.1:1' },
    };
    const { code, out } = await cli(['doctor'], production);
    expect(code).toBe(1);
    expect(out).toMatch(/ERROR +PUBLIC_ORIGIN/);
    expect(out).toMatch(/ERROR +limits: RATE_LIMITS is off/);
    expect(out).toMatch(/warning +mail: no transport/);
    expect(out).toContain('Unknown setting OAUTH_CODE_TTL');
    expect(out).toContain('Unknown setting OPENID_KEY_DAY');
    expect(out).not.toContain('HTTP_PROXY');
    const smtp = { MAIL_TRANSPORT: 'smtp', SMTP_URL: 'smtp://me:canary@127.0.0.1:1', MAIL_FROM: 'us@example.com' };
    const s3 = { MEDIA_STORAGE: 's3', MEDIA_S3_UPLOADS_BUCKET: 'uploads', MEDIA_S3_MEDIA_BUCKET: 'media' };
    const unreachable = await cli(['doctor'], {
      ...smtp,
      ...s3,
      MEDIA_S3_ENDPOINT: 'http://127.0.0.1:1',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect(unreachable.out).toMatch(/ERROR +storage: /);
    expect(unreachable.out).toMatch(/ERROR +mail: no connection: /);
    expect(unreachable.out).toMatch(/ERROR +redis: .+ Processes count separately/);
    expect(unreachable.out).not.toContain('canary');
  });

  test('finds a database that does not respond', async () => {
    const { code, out } = await cli(['doctor'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(out).toMatch(/ERROR +database: .*ECONNREFUSED/);
  });

  test('finds a secret that others can read, and creates no directory', async () => {
    const DATA_DIR = join(directory, 'other');
    loadConfig({ DATA_DIR });
    chmodSync(join(DATA_DIR, 'secret'), 0o644);
    const readable = await cli(['doctor'], { DATA_DIR, GATEHOUSE_SECRET: '' });
    expect(readable).toMatchObject({ code: 1, out: expect.stringMatching(/ERROR +secret: .*other users/) });
    const nowhere = join(directory, 'nowhere');
    expect((await cli(['doctor'], { DATA_DIR: nowhere, GATEHOUSE_SECRET: '' })).code).toBe(0);
    expect(existsSync(nowhere)).toBe(false);
  });
});
