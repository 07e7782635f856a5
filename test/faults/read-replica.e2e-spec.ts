import { randomBytes } from 'node:crypto';
import { execute } from '../../src/cli/execute.js';
import { query } from '../machine/databases.js';
import { DedicatedServer, describeWithDedicatedPostgres } from '../machine/dedicated-server.js';
import { until } from '../machine/service-process.js';
import { exportAccount, type Gatehouse, gatehouse, type Persona, person, superuser } from '../support/index.js';

const GATEHOUSE_SECRET = randomBytes(32).toString('base64');
const CREDENTIALS = ['session', 'admin_api_key', 'bot_token', 'oauth_token', 'personal_token', 'one_time_secret'];

describeWithDedicatedPostgres('conventions.md 12: a standby in DATABASE_READ_URL', () => {
  let primary: DedicatedServer;
  let standby: DedicatedServer;
  let service: Gatehouse;
  let env: Record<string, string>;
  let admin: Persona;

  beforeAll(async () => {
    primary = await DedicatedServer.postgres();
    standby = await DedicatedServer.standbyOf(primary);
    env = { DATABASE_URL: primary.url, DATABASE_READ_URL: standby.url, DATABASE_PATIENCE: '1', GATEHOUSE_SECRET };
    service = await gatehouse({ env });
    admin = await superuser(service);
  });
  afterAll(async () => {
    await service.close();
    await standby.close();
    await primary.close();
  });

  const upOf = async (name: string) => {
    const { text } = await service.anonymous.get('/metrics');
    return new RegExp(`^gatehouse_dependency_up\\{name="${name}"\\} (\\d)$`, 'm').exec(text)?.[1];
  };
  const isReady = async () => (await service.anonymous.get('/health/ready')).status === 200;
  const slowly = (isSo: () => Promise<boolean>) =>
    until(async () => (await isSo()) || (await new Promise((resolve) => setTimeout(() => resolve(false), 100))));

  /** Reads of tables on the standby, whose counts arrive when a session becomes idle. */
  async function scansOn(server: DedicatedServer, tables: readonly string[]): Promise<number> {
    await query(server.url, 'SELECT pg_stat_force_next_flush()');
    const [row] = await query(
      server.url,
      'SELECT coalesce(sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)), 0)::int AS scans FROM pg_stat_user_tables WHERE relname = ANY ($1)',
      [tables],
    );
    return Number(row?.scans);
  }

  async function doctor(): Promise<string> {
    const lines: string[] = [];
    const out = (line: string) => void lines.push(line);
    await execute(['doctor'], { env: { LOG_LEVEL: 'silent', PATH: process.env.PATH, ...env }, out, err: out });
    return lines.join('\n');
  }

  /** Bans an IP address and expects that the list of bans and the audit log show it immediately. */
  async function expectOwnWriteSeen(ip: string): Promise<void> {
    const by = service.as(admin);
    expect((await by.post('/v1/admin/blocklists/ip/entries', { ip })).status).toBe(204);
    const bans = await by.get('/v1/admin/blocklists/ip/entries');
    expect(bans.body.items.map((entry: { value: string }) => entry.value)).toContain(ip);
    const audit = await by.get(`/v1/admin/audit-logs?ip=${ip}`);
    expect(audit.body.logs).toEqual([expect.objectContaining({ action: 'ban_ip', target_id: ip })]);
  }

  /** Expects that the standby is reported, the service stays ready and the primary serves reads. */
  async function expectPrimaryServes(cause: RegExp, ip: string): Promise<void> {
    await expectOwnWriteSeen(ip);
    await slowly(async () => (await upOf('database-read')) === '0');
    expect(await isReady()).toBe(true);
    const [line] = service.log
      .map((each) => JSON.parse(each))
      .filter(({ msg }) => msg.startsWith('dependency database-read fails. Check DATABASE_READ_URL'));
    expect(line.cause).toMatch(cause);
    const before = await scansOn(primary, ['audit_log']);
    await expectOwnWriteSeen(`${ip}0`);
    await slowly(async () => (await scansOn(primary, ['audit_log'])) > before);
    const report = await doctor();
    expect(report).toMatch(/^ERROR +database-read: .*Lists, exports, audit search and statistics use the primary/m);
    expect(await exportAccount(service, admin)).toMatchObject({ account: expect.anything() });
  }

  async function expectStandbyServes(ip: string): Promise<void> {
    await slowly(async () => (await upOf('database-read')) === '1');
    service.log.length = 0;
    const before = await scansOn(standby, ['audit_log']);
    await slowly(async () => {
      await service.as(admin).get('/v1/admin/audit-logs');
      return (await scansOn(standby, ['audit_log'])) > before;
    });
    await expectOwnWriteSeen(ip);
  }

  test('reads use the standby, see the own write, and look up no credential there', async () => {
    expect(await upOf('database-read')).toBe('1');
    for (let index = 1; index <= 20; index++) await expectOwnWriteSeen(`198.51.100.${index}`);
    const { status } = await service.as(admin).get('/v1/admin/users?state=active');
    expect(status).toBe(200);
    await slowly(async () => (await scansOn(standby, ['audit_log'])) >= 20);
    await slowly(async () => (await scansOn(standby, ['account'])) > 0);
    expect(await scansOn(standby, CREDENTIALS)).toBe(0);
    expect(await doctor()).toMatch(/^ok +database-read: /m);
  });

  test('an export and the statistics are read on the standby', async () => {
    const before = await scansOn(standby, ['security_event', 'instance_statistics']);
    expect(await exportAccount(service, admin)).toMatchObject({ account: expect.anything() });
    expect((await service.as(admin).get('/v1/admin/instance/statistics/daily')).status).toBe(200);
    await slowly(async () => (await scansOn(standby, ['security_event', 'instance_statistics'])) > before);
  });

  test('lists of roles and of the applications of an owner, and the state of the audit chain, are read on the standby', async () => {
    const by = service.as(admin);
    const READS = {
      admin_role: '/v1/admin/roles',
      application: `/v1/admin/applications?owner_id=${admin.id}`,
      audit_verification: '/v1/admin/audit-logs',
    };
    for (const [table, path] of Object.entries(READS)) {
      const before = await scansOn(standby, [table]);
      expect((await by.get(path)).status).toBe(200);
      await slowly(async () => (await scansOn(standby, [table])) > before);
    }
  });

  test('replay is paused: the standby is behind, and the primary serves reads until it has caught up', async () => {
    await query(standby.url, 'SELECT pg_wal_replay_pause()');
    await expectPrimaryServes(/the standby is more than 200 ms behind/, '198.51.101.1');
    await query(standby.url, 'SELECT pg_wal_replay_resume()');
    await expectStandbyServes('198.51.101.2');
  });

  test('the standby hangs: the primary serves reads until it responds', async () => {
    standby.pause();
    const started = performance.now();
    expect((await service.as(admin).get('/v1/admin/audit-logs')).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(4000);
    await expectPrimaryServes(/timeout/i, '198.51.102.1');
    standby.resume();
    await expectStandbyServes('198.51.102.2');
  });

  test('the standby is killed: the primary serves reads until it is back', async () => {
    await standby.stop('SIGKILL');
    await expectPrimaryServes(/ECONNREFUSED|Connection terminated/, '198.51.103.1');
    await standby.start();
    await expectStandbyServes('198.51.103.2');
  });

  test('another server is not used', async () => {
    const other = await DedicatedServer.postgres();
    const wrong = await gatehouse({ env: { ...env, DATABASE_READ_URL: other.url } });
    const who = await person(wrong);
    expect((await wrong.as(who).get('/v1/users/@me/security-events')).status).toBe(200);
    const line = wrong.log.find((each) => each.includes('dependency database-read fails'));
    expect(line).toMatch(/the server is not a standby/);
    await wrong.close();
    await other.close();
  });
});
