import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { execute } from '../../src/cli/execute.js';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { type Release, releases } from '../machine/releases.js';
import { type Gatehouse, gatehouse, person, signIn } from '../support/index.js';

const [release] = releases().slice(-1) as [Release];
const server = process.env.TEST_DATABASE_URL ?? '';
const suffix = randomBytes(4).toString('hex');
/** The role that migrates and owns the tables. Its name needs quotes. */
const OWNER = `Owner-${suffix}`;
/** The role of the service. */
const ROLE = `service-${suffix}`;
const quoted = (name: string): string => `"${name}"`;
const as = (url: string, username: string): string => Object.assign(new URL(url), { username }).href;

describeOnPostgres('docs/guides/operators/upgrade.md: separate roles for migrations and for the service', () => {
  beforeAll(async () => {
    for (const role of [OWNER, ROLE]) await query(server, `CREATE ROLE ${quoted(role)} LOGIN`);
  });
  const urls: string[] = [];
  afterAll(async () => {
    for (const role of [ROLE, OWNER]) {
      for (const url of urls) await query(url, `DROP OWNED BY ${quoted(role)} CASCADE`);
      await query(server, `DROP ROLE ${quoted(role)}`);
    }
  });

  /** The database of the last release, as its owner. The service has exactly the privileges of the guide. */
  async function released(): Promise<string> {
    const url = await emptyDatabase();
    urls.push(url);
    await query(url, `GRANT CREATE ON SCHEMA public TO ${quoted(OWNER)}`);
    const client = new pg.Client({ connectionString: as(url, OWNER) });
    await client.connect();
    await client.query(release.sql).finally(() => client.end());
    await query(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${quoted(ROLE)}`);
    await query(url, `REVOKE UPDATE, DELETE ON audit_log FROM ${quoted(ROLE)}`);
    return url;
  }

  /** Runs a command with the new version. Returns its exit code and its lines. */
  async function run(command: string, url: string, role: string): Promise<{ code: number; lines: string[] }> {
    const lines: string[] = [];
    const out = (line: string) => void lines.push(...line.split('\n'));
    const settings = { LOG_LEVEL: 'silent', MIGRATE_ON_START: 'false', GATEHOUSE_SECRET: release.secret };
    const code = await execute([command], { env: { ...settings, DATABASE_URL: as(url, role) }, out, err: out });
    return { code, lines };
  }
  /** The findings of `doctor` about privileges, each with its fix. */
  async function findings(url: string, role = ROLE): Promise<string[]> {
    const { lines } = await run('doctor', url, role);
    return lines.flatMap((line, n) => (line.includes(' database-privileges: ') ? `${line} ${lines[n + 1]}` : []));
  }
  const grantsOf = (finding = ''): string[] => finding.match(/GRANT [A-Z, ]+ ON (?!TABLES)[^;]+? TO "[^"]+"/g) ?? [];
  const LATER = 'after the migrations, the role lacks: ';
  const later = (all: string[]): string | undefined => all.find((line) => line.includes(LATER));
  const current = (all: string[]): string | undefined => all.find((line) => line.startsWith('ERROR'));

  test('doctor prints the grants that are missing now and those that will be, and they are sufficient', async () => {
    const url = await released();
    await query(url, `REVOKE INSERT ON oauth_code FROM ${quoted(ROLE)}`);
    const before = await findings(url);
    expect(current(before)).toContain('the role lacks: INSERT on oauth_code');
    expect(grantsOf(current(before))).toEqual([`GRANT INSERT ON oauth_code TO ${quoted(ROLE)}`]);
    const announced = grantsOf(later(before));
    expect(announced[0]).toMatch(/^GRANT SELECT, INSERT, UPDATE, DELETE ON .*\bbot_token, .*\bconnection,/);
    expect(later(before)).toContain(`run as ${quoted(OWNER)}: GRANT`);
    // As the owner, who migrates, nothing is missing.
    expect(later(await findings(url, OWNER))).toBeUndefined();

    expect((await run('migrate', url, OWNER)).code).toBe(0);
    const after = await findings(url);
    expect(later(after)).toBeUndefined();
    // The same grants are now missing, and the one from before.
    const missing = grantsOf(current(after));
    expect(missing.sort()).toEqual([...announced, `GRANT INSERT ON oauth_code TO ${quoted(ROLE)}`].sort());
    for (const grant of missing) await query(as(url, OWNER), grant);
    expect(current(await findings(url))).toBeUndefined();
    expect((await run('doctor', url, ROLE)).code).toBe(0);
  });

  describe('with the privileges in advance', () => {
    let url: string;
    let service: Gatehouse;
    afterAll(() => service?.close());

    test('nothing is missing after the migrations, and the service works', async () => {
      url = await released();
      const [statement] = /ALTER DEFAULT PRIVILEGES .+$/.exec(later(await findings(url)) ?? '') ?? [];
      await query(as(url, OWNER), statement ?? '');
      expect(later(await findings(url))).toBeUndefined();
      expect((await run('migrate', url, OWNER)).code).toBe(0);
      expect((await run('doctor', url, ROLE)).code).toBe(0);
      const settings = { MIGRATE_ON_START: 'false', GATEHOUSE_SECRET: release.secret };
      service = await gatehouse({ env: { ...settings, DATABASE_URL: as(url, ROLE) } });
      await signIn(service, await person(service));
      expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    });

    test('doctor names the grant of a table that it needs for its own checks', async () => {
      await query(url, `REVOKE SELECT ON migration FROM ${quoted(ROLE)}`);
      const all = await findings(url);
      expect(all).toHaveLength(1);
      expect(grantsOf(current(all))).toEqual([`GRANT SELECT ON migration TO ${quoted(ROLE)}`]);
      await query(as(url, OWNER), grantsOf(current(all))[0] ?? '');
      await query(url, `REVOKE ALL ON account FROM ${quoted(ROLE)}`);
      expect(grantsOf(current(await findings(url)))).toEqual([
        `GRANT SELECT, INSERT, UPDATE, DELETE ON account TO ${quoted(ROLE)}`,
      ]);
    });
  });
});
