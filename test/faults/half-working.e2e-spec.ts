import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { execute } from '../../src/cli/execute.js';
import { query } from '../machine/databases.js';
import {
  DedicatedServer,
  describeWithDedicatedPostgres,
  describeWithDedicatedRedis,
} from '../machine/dedicated-server.js';
import { freePort } from '../machine/ports.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { copyTemplate, expectApiError, type Gatehouse, gatehouse, person } from '../support/index.js';

/** Reading all metrics takes time, so there are pauses between the attempts. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 200));
}

const GATEHOUSE_SECRET = randomBytes(32).toString('base64');
type Env = Record<string, string>;

interface Broken {
  /** The label of the metric. */
  readonly name: string;
  readonly cause: RegExp;
  /** The fix that `doctor` prints. */
  readonly fix: string;
  /** The service is ready nevertheless. */
  readonly isReady?: boolean;
}

const metric = async (service: Gatehouse, line: string): Promise<string | undefined> => {
  const { text } = await service.anonymous.get('/metrics');
  return text
    .split('\n')
    .find((each: string) => each.startsWith(`${line} `))
    ?.slice(line.length + 1);
};
const upOf = (service: Gatehouse, name: string) => metric(service, `gatehouse_dependency_up{name="${name}"}`);
const isReady = async (service: Gatehouse) => (await service.anonymous.get('/health/ready')).status === 200;

async function doctor(env: Env): Promise<string> {
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  await execute(['doctor'], { env: { LOG_LEVEL: 'silent', PATH: process.env.PATH, ...env }, out, err: out });
  return lines.join('\n');
}

const logLines = ({ log }: Gatehouse, text: string) =>
  log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith(text));

/** Expects the metric, the log, readiness and `doctor` while a dependency is broken, and after its repair. */
async function expectDetected(service: Gatehouse, env: Env, broken: Broken, repair: () => Promise<unknown>) {
  const { name, cause, fix, isReady: staysReady = false } = broken;
  await until(async () => (await upOf(service, name)) === '0');
  await until(async () => (await isReady(service)) === staysReady);
  if (!staysReady) {
    expectApiError(await service.anonymous.get('/health/ready'), 'SERVICE_UNAVAILABLE');
    expect(await metric(service, 'gatehouse_ready')).toBe('0');
  }
  const effect = staysReady ? '' : ': the service is not ready';
  const [line, ...more] = logLines(service, `dependency ${name} fails`);
  expect(line).toMatchObject({ level: 50, msg: `dependency ${name} fails${effect}. ${fix}` });
  expect(line.cause).toMatch(cause);
  expect(more).toEqual([]);
  const report = await doctor(env);
  expect(report).toMatch(new RegExp(`^ERROR +${name}: .*${cause.source}`, 'm'));
  expect(report).toContain(`\n         ${fix}`);

  await repair();
  await until(async () => (await upOf(service, name)) === '1');
  await until(() => isReady(service));
  expect(await metric(service, 'gatehouse_ready')).toBe('1');
  expect(logLines(service, `dependency ${name} works again`)).toHaveLength(1);
  expect(await doctor(env)).toMatch(new RegExp(`^ok +${name}: `, 'm'));
}

const FIX = {
  database:
    'Check DATABASE_URL, that the server runs and accepts this user, and that it is the primary and not read-only',
  schema:
    'Restore the database from a backup with pg_restore, or create the missing ones as in test/schema.snapshot.sql',
  notifications: 'Set DATABASE_URL to the server, without a proxy that drops notifications',
};

describeOnPostgres('conventions 12: PostgreSQL that responds but cannot do what is needed', () => {
  let service: Gatehouse;
  let url: string;
  let env: Env;
  let proxy: CuttableProxy;
  const role = `gatehouse_role_${randomBytes(4).toString('hex')}`;

  beforeAll(async () => {
    url = (await copyTemplate()) ?? '';
    await query(url, `CREATE ROLE ${role} LOGIN`);
    await query(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    await query(url, `REVOKE UPDATE, DELETE ON audit_log FROM ${role}`);
    const way = await CuttableProxy.to(Object.assign(new URL(url), { username: role }).href, 5432);
    proxy = way.proxy;
    env = { DATABASE_URL: way.url, MIGRATE_ON_START: 'false', DATABASE_PATIENCE: '1', GATEHOUSE_SECRET };
    service = await gatehouse({ env });
    await person(service);
  });
  afterAll(async () => {
    await service.close();
    proxy.close();
    await query(url, `DROP OWNED BY ${role}`);
    await query(url, `DROP ROLE ${role}`);
  });

  test('works: every dependency is up, with the privileges of the guide, and the build is described', async () => {
    expect(await isReady(service)).toBe(true);
    const { text } = await service.anonymous.get('/metrics');
    const down = text.split('\n').filter((line: string) => /^gatehouse_dependency_up\{.* 0$/.test(line));
    expect(down).toEqual([]);
    expect(await upOf(service, 'database-privileges')).toBe('1');
    expect(text).toContain(`gatehouse_build_info{version="dev",node="${process.versions.node}"} 1`);
  });

  test('read-only by a setting of the role', async () => {
    await query(url, `ALTER ROLE ${role} SET default_transaction_read_only = on`);
    const broken = { name: 'database', cause: /the database is read-only/, fix: FIX.database };
    await expectDetected(service, env, broken, () =>
      query(url, `ALTER ROLE ${role} RESET default_transaction_read_only`),
    );
  });

  test('no rights on one table', async () => {
    await query(url, `REVOKE INSERT ON oauth_code FROM ${role}`);
    const fix = `Run: GRANT INSERT ON oauth_code TO ${role}`;
    const broken = { name: 'database-privileges', cause: /the role lacks: INSERT on oauth_code/, fix };
    await expectDetected(service, env, broken, () => query(url, `GRANT INSERT ON oauth_code TO ${role}`));
  });

  test('no rights on the sequence of an identity column: works, because PostgreSQL needs none', async () => {
    await query(url, `REVOKE ALL ON SEQUENCE journal_id_seq FROM ${role}`);
    const who = await person(service);
    expect((await service.as(who).patch('/v1/users/@me', { global_name: 'Works' })).status).toBe(200);
  });

  test('without a constraint of the migrations', async () => {
    await query(url, 'ALTER TABLE session DROP CONSTRAINT session_account_id_fkey');
    const cause = /missing in the schema: session session_account_id_fkey/;
    const add =
      'ALTER TABLE session ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE';
    await expectDetected(service, env, { name: 'database-schema', cause, fix: FIX.schema }, () => query(url, add));
  });

  test('another time zone and date style of the role: works, because each connection sets its own', async () => {
    await query(url, `ALTER ROLE ${role} SET TimeZone = 'Asia/Kathmandu'`);
    await query(url, `ALTER ROLE ${role} SET DateStyle = 'SQL, DMY'`);
    const fresh = await gatehouse({ env });
    const who = await person(fresh);
    expect((await fresh.as(who).get('/v1/users/@me')).body.id).toBe(who.id);
    expect(await upOf(fresh, 'database-settings')).toBe('1');
    expect(await isReady(fresh)).toBe(true);
    await fresh.close();
    await query(url, `ALTER ROLE ${role} RESET ALL`);
  });

  test('a proxy that drops notifications: the service stays ready', async () => {
    proxy.dropNotifications(true);
    const cause = /no notification within 2 s/;
    const broken = { name: 'database-notifications', cause, fix: FIX.notifications, isReady: true };
    await expectDetected(service, env, broken, async () => proxy.dropNotifications(false));
  });

  test('away: 503, and the cause in the log', async () => {
    proxy.cut();
    await until(async () => (await upOf(service, 'database')) === '0');
    expectApiError(await service.anonymous.get('/health/ready'), 'SERVICE_UNAVAILABLE');
    proxy.restore();
    await until(async () => (await upOf(service, 'database')) === '1');
    await until(() => isReady(service));
  });
});

describeWithDedicatedPostgres('conventions 12: a standby in recovery', () => {
  test('is not ready, and doctor names it', async () => {
    const server = await DedicatedServer.postgres();
    const env = { DATABASE_URL: server.url, GATEHOUSE_SECRET, DATABASE_PATIENCE: '1' };
    const service = await gatehouse({ env });
    await server.stop('SIGINT');
    server.makeStandby();
    await server.start();
    const broken = { name: 'database', cause: /the server is a standby in recovery/, fix: FIX.database };
    await expectDetected(service, env, broken, async () => {
      await query(server.url, 'SELECT pg_promote()');
    });
    await service.close();
    await server.close();
  });
});

describeWithDedicatedRedis('conventions 12: Redis that responds but cannot do what is needed', () => {
  let server: DedicatedServer;
  let admin: Redis;
  let service: Gatehouse;
  let env: Env;
  beforeAll(async () => {
    server = await DedicatedServer.redis();
    admin = new Redis(server.url);
    const user = Object.assign(new URL(server.url), { username: 'gatehouse', password: 'secret' }).href;
    await admin.call('ACL', 'SETUSER', 'gatehouse', 'on', '>secret', '~*', '&*', '+@all');
    env = { REDIS_URL: user, GATEHOUSE_SECRET };
    service = await gatehouse({ env });
  });
  afterAll(async () => {
    admin.disconnect();
    await service.close();
    await server.close();
  });

  const writable = 'Use the primary instead of a replica. If the memory is full, raise maxmemory';

  test('read-only replica', async () => {
    await admin.replicaof('127.0.0.1', await freePort());
    const broken = { name: 'redis-writable', cause: /Redis cannot be used: it is read-only/, fix: writable };
    await expectDetected(service, env, broken, () => admin.replicaof('NO', 'ONE'));
  });

  test('full memory without eviction', async () => {
    await admin.config('SET', 'maxmemory', '1mb');
    const broken = { name: 'redis-writable', cause: /it rejects writes \(OOM/, fix: writable };
    service.log.length = 0;
    await expectDetected(service, env, broken, () => admin.config('SET', 'maxmemory', '0'));
  });

  test('scripts forbidden by an access rule', async () => {
    await admin.call('ACL', 'SETUSER', 'gatehouse', '-@scripting');
    const fix = 'Allow EVAL, EVALSHA and SCRIPT in the access rules of the user (ACL SETUSER <user> +@scripting)';
    await expectDetected(service, env, { name: 'redis-scripts', cause: /NOPERM/, fix }, () =>
      admin.call('ACL', 'SETUSER', 'gatehouse', '+@scripting'),
    );
  });

  test('no rights on its channels: the service stays ready', async () => {
    await admin.call('ACL', 'SETUSER', 'gatehouse', 'resetchannels');
    const fix = 'Allow PUBLISH, SUBSCRIBE and the channels gatehouse:notices:* in the access rules of the user';
    await expectDetected(service, env, { name: 'redis-subscriptions', cause: /NOPERM/, fix, isReady: true }, () =>
      admin.call('ACL', 'SETUSER', 'gatehouse', '&*'),
    );
  });

  test('a policy that evicts any key: the service stays ready', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const fix = 'Set maxmemory-policy to noeviction, or to a volatile policy if other programs use the same server';
    const cause = /maxmemory-policy is allkeys-lru/;
    await expectDetected(service, env, { name: 'redis-eviction', cause, fix, isReady: true }, () =>
      admin.config('SET', 'maxmemory-policy', 'noeviction'),
    );
  });
});

/** An SMTP server with one response for each command. */
async function smtpServer(responses: Record<string, string>): Promise<{ server: Server; url: string }> {
  const server = createServer((socket: Socket) => {
    socket.write('220 ready\r\n');
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const line of String(data).trim().split('\r\n')) {
        const command = line.split(/[ :]/)[0]?.toUpperCase() ?? '';
        socket.write(`${responses[command] ?? '250 ok'}\r\n`);
        if (command === 'QUIT') socket.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `smtp://me:canary@127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('conventions 12: servers without which only a part of the service fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-half-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('an email server that rejects the sign-in', async () => {
    const responses: Record<string, string> = { EHLO: '250-hello\r\n250 AUTH PLAIN', AUTH: '535 no' };
    const { server, url } = await smtpServer(responses);
    const env = {
      ...{ MAIL_TRANSPORT: 'smtp', SMTP_URL: url, MAIL_FROM: 'us@example.com', DEPENDENCY_TEST_SECONDS: '1' },
      ...{ GATEHOUSE_SECRET, DATA_DIR: folder },
    };
    const service = await gatehouse({ env });
    const cause = /the server responds to AUTH PLAIN with 535/;
    const fix = 'Check SMTP_URL or MAIL_HTTP_URL, its user and password, and that the server accepts MAIL_FROM';
    await expectDetected(service, env, { name: 'mail', cause, fix, isReady: true }, async () => {
      responses.AUTH = '235 welcome';
    });
    expect(await doctor(env)).not.toContain('canary');
    await service.close();
    server.close();
  });

  test('a media folder that cannot be written', async () => {
    const root = join(folder, 'media');
    mkdirSync(root);
    // Root ignores permissions, so a file takes the place of the folder.
    writeFileSync(join(root, 'uploads'), '');
    const env = { MEDIA_LOCAL_ROOT: root, DEPENDENCY_TEST_SECONDS: '1', GATEHOUSE_SECRET, DATA_DIR: folder };
    const service = await gatehouse({ env });
    const fix =
      'Check MEDIA_LOCAL_ROOT and that the user of the service owns it, or the MEDIA_S3 settings and the rights of their key';
    await expectDetected(
      service,
      env,
      { name: 'storage', cause: /media storage failed/, fix, isReady: true },
      async () => rmSync(join(root, 'uploads')),
    );
    await service.close();
  });
});
