import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '../../src/cli/execute.js';
import { DemoData } from '../../src/service/demo/demo-data.service.js';
import { openTestDatabase } from '../support/gatehouse.js';
import { type Gatehouse, gatehouse, logIn, person, withGatehouse } from '../support/index.js';
import { GENEROUS_TIMEOUTS } from '../support/timeouts.js';

const PEOPLE = 200;
const countAccounts = (service: Gatehouse) => service.sql('SELECT count(*)::int AS count FROM account');

describe('example data', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse();
  });
  afterAll(() => service.close());

  test('32 calls at once fill the database once, and the administrator signs in and sees everything', async () => {
    const filled = await Promise.all(Array.from({ length: 32 }, () => service.app.get(DemoData).fill()));
    const [administrator, ...others] = filled.filter((one) => one !== null);
    expect(others).toEqual([]);
    if (!administrator) throw new Error('nothing was filled');
    expect(await countAccounts(service)).toEqual([{ count: PEOPLE + 1 }]);

    const { status, body } = await logIn(service, administrator);
    expect(status).toBe(200);
    const admin = service.as(body.token);
    const { total } = (await admin.get('/v1/admin/users?limit=1')).body;
    expect(total).toBe(PEOPLE + 1);
    const { days } = (await admin.get('/v1/admin/instance/statistics/daily')).body;
    expect(days.every((day: { sign_ins: number }) => day.sign_ins >= 40)).toBe(true);
    const [suspended] = await service.sql('SELECT count(*)::int AS count FROM account WHERE banned');
    const logs = (await admin.get('/v1/admin/audit-logs?action=temp_ban&limit=200')).body.logs;
    expect(logs).toHaveLength(suspended?.count as number);
  });

  test('each user of the data is shown without an error, with sessions, events and applications', async () => {
    const root = await person(service, 'root');
    await service.sql("UPDATE account SET acls = ARRAY['*'] WHERE id = $1", [root.id]);
    const owners = await service.sql(
      `SELECT a.id::text FROM account a JOIN session s ON s.account_id = a.id JOIN oauth_family f ON f.account_id = a.id
       WHERE a.email LIKE '%@example.com' GROUP BY a.id ORDER BY a.id LIMIT 5`,
    );
    expect(owners).toHaveLength(5);
    for (const { id } of owners) {
      for (const path of ['', '/sessions']) {
        const response = await service.as(root).get(`/v1/admin/users/${String(id)}${path}`);
        expect({ path, status: response.status }).toEqual({ path, status: 200 });
      }
    }
  });

  test('nothing is added to a database with an account', async () => {
    await withGatehouse({}, async (other) => {
      await person(other);
      expect(await other.app.get(DemoData).fill()).toBeNull();
      expect(await countAccounts(other)).toEqual([{ count: 1 }]);
    });
  });
});

describe('gatehouse demo', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('prints how to sign in; the second call and production are rejected', async () => {
    const database = await openTestDatabase();
    const env = {
      DATA_DIR: directory,
      DATABASE_URL: database.databaseUrl,
      GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'silent',
      ...GENEROUS_TIMEOUTS,
    };
    const demo = async (more: Readonly<Record<string, string>> = {}) => {
      const [out, err]: [string[], string[]] = [[], []];
      const code = await execute(['demo'], {
        env: { ...env, ...more },
        ...(database.embedded ? { embeddedDatabase: database.embedded } : {}),
        out: (line) => void out.push(line),
        err: (line) => void err.push(line),
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    };
    const production: Record<string, string> = {
      NODE_ENV: 'production',
      MAIL_TRANSPORT: 'none',
      PUBLIC_ORIGIN: 'https://id.example.com',
    };
    if (!database.databaseUrl) production.EMBEDDED_DATABASE = 'true';
    const refused = await demo(production);
    expect(refused).toEqual({ code: 1, out: '', err: 'Example data is for development. NODE_ENV is production.' });
    const first = await demo();
    expect(first).toEqual({
      code: 0,
      out: expect.stringMatching(/^Added 200 users .+\n.+\nPassword: \S{16}$/),
      err: '',
    });
    const second = await demo();
    expect(second).toEqual({ code: 1, out: '', err: 'The database already has accounts. Nothing was added.' });
    await database.release();
  });
});
