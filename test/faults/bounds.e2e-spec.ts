import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { copyTemplate, newWebhook, person, signIn } from '../support/index.js';

/** Whether `prlimit` can change the limits of a running process here. */
const hasPrlimit = (): boolean => {
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
};

function testWithPrlimit(title: string, work: () => Promise<void>): void {
  if (hasPrlimit()) test(title, work);
  else test.skip(`${title} (skipped: prlimit is missing or not permitted)`, work);
}

describeOnPostgres('limits of the system', () => {
  const server = process.env.TEST_DATABASE_URL ?? '';
  const role = `gatehouse_role_${randomBytes(4).toString('hex')}`;
  const asRole = (url: string): string => {
    const own = new URL(url);
    own.username = role;
    own.password = 'a-password-of-a-role';
    return own.href;
  };
  let databaseUrl: string;

  beforeAll(async () => {
    databaseUrl = (await copyTemplate()) ?? '';
    await query(server, `CREATE ROLE ${role} LOGIN PASSWORD 'a-password-of-a-role'`);
    await query(databaseUrl, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    await query(databaseUrl, `REVOKE UPDATE, DELETE ON audit_log FROM ${role}`);
  });
  afterAll(async () => {
    await endProcesses();
    await query(databaseUrl, `DROP OWNED BY ${role}`);
    await query(server, `DROP ROLE ${role}`);
  });

  test('SQL-10: a role that may only read and write rows is enough to serve requests', async () => {
    const url = asRole(databaseUrl);
    const service = await ServiceProcess.ready({ DATABASE_URL: url, MIGRATE_ON_START: 'false' });
    const alice = await person(service, 'alice');
    await signIn(service, alice);
    await newWebhook(service, alice);
    expect((await service.as(alice).patch('/v1/users/@me', { bio: 'about' })).status).toBe(200);
    expect((await service.as(alice).post('/v1/auth/logout', {})).status).toBe(204);
    for (const statement of [
      ...['DROP TABLE session', 'CREATE TABLE more (id int)', 'ALTER TABLE account ADD COLUMN more int'],
      ...['TRUNCATE session', 'CREATE ROLE another', 'UPDATE audit_log SET reason = NULL', 'DELETE FROM audit_log'],
      ...["COPY account TO PROGRAM 'true'", 'SELECT * FROM pg_authid'],
    ]) {
      const code = await query(url, statement).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      expect([statement, code]).toEqual([statement, '42501']);
    }
    expect(await service.stop()).toBe(0);
  });

  test('FLT-17: a server without available connections ends the start with a clear line', async () => {
    await query(server, `ALTER ROLE ${role} CONNECTION LIMIT 0`);
    const settings = { MIGRATE_ON_START: 'false', DATABASE_WAIT_SECONDS: '0' };
    const service = ServiceProcess.start({ DATABASE_URL: asRole(databaseUrl), ...settings });
    expect(await service.exited).toBe(1);
    await query(server, `ALTER ROLE ${role} CONNECTION LIMIT -1`);
    expect(service.out).toBe('');
    expect(service.err).toContain('Connecting to the database failed');
    expect(service.err).toContain('too many connections');
    expect(service.err).not.toContain('a-password-of-a-role');
    expect(service.err).not.toMatch(/^\s+at /m);
  });

  test('FLT-29: a start that is stopped while it migrates can be continued by the next one', async () => {
    const empty = await emptyDatabase();
    const tables = async () => (await query(empty, `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).length;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const first = ServiceProcess.start({ DATABASE_URL: empty });
      const ended = first.exited.then(() => true);
      await Promise.race([ended, until(async () => (await tables()) > 0)]);
      first.child.kill(signal);
      expect([0, 1, null]).toContain(await first.exited);
      expect(first.err).not.toMatch(/^\s+at /m);
    }
    const second = await ServiceProcess.ready({ DATABASE_URL: empty });
    expect((await second.anonymous.get('/health/ready')).status).toBe(200);
    await person(second, 'alice');
    expect(await second.stop()).toBe(0);
  });

  testWithPrlimit('FLT-35, HTT-05: without file descriptors it rejects, and afterwards serves as before', async () => {
    const service = await ServiceProcess.ready({ DATABASE_URL: databaseUrl });
    const alice = await person(service, 'alice');
    const { pid = 0 } = service.child;
    const most = readdirSync(`/proc/${pid}/fd`).length + 24;
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:${most}`]);
    const { port } = new URL(service.url);
    const idle: Socket[] = [];
    for (let i = 0; i < 200; i++) idle.push(connect(Number(port), '127.0.0.1').on('error', () => {}));
    await until(() => readdirSync(`/proc/${pid}/fd`).length >= most - 1);
    expect(service.child.exitCode).toBeNull();
    for (const socket of idle) socket.destroy();
    await until(async () => {
      const response = await service
        .as(alice)
        .get('/v1/users/@me')
        .catch(() => undefined);
      return response?.status === 200;
    });
    await person(service, 'bob');
    expect(await service.stop()).toBe(0);
  });
});
