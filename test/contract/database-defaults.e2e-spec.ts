import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { query } from '../machine/databases.js';
import { describeWithOwnSessions } from '../machine/postgres.js';
import { copyTemplate, type Gatehouse, gatehouse, newApp, newTokens, person, withGatehouse } from '../support/index.js';

/** Each setting changes the output that the driver parses, or the meaning of a statement of the service. */
const HOSTILE: Readonly<Record<string, string>> = {
  array_nulls: 'off',
  bytea_output: 'escape',
  DateStyle: 'German, DMY',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  IntervalStyle: 'sql_standard',
  quote_all_identifiers: 'on',
  standard_conforming_strings: 'off',
  TimeZone: 'Asia/Kathmandu',
  transform_null_equals: 'on',
};

describeWithOwnSessions('a database with defaults other than those that the driver needs', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    const url = (await copyTemplate()) ?? '';
    const name = new URL(url).pathname.slice(1);
    for (const [setting, value] of Object.entries(HOSTILE)) {
      const values = value.split(', ').map((each) => `'${each}'`);
      await query(url, `ALTER DATABASE ${name} SET ${setting} = ${values.join(', ')}`);
    }
    service = await gatehouse({ env: { DATABASE_URL: url } });
  });
  afterAll(() => service?.close());

  test('every connection has the required settings', async () => {
    const names = Object.keys(HOSTILE);
    const found = await service.app
      .get(Database)
      .manager.query<{ name: string; setting: string }[]>(
        'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
        [names],
      );
    expect(found).toHaveLength(names.length);
    for (const { name, setting } of found) expect([name, setting]).not.toEqual([name, HOSTILE[name]]);
  });

  test('sessions, security events, handoff and code exchange work', async () => {
    const alice = await person(service, 'alice');
    const own = service.as(alice);
    const sessions = await own.get('/v1/auth/sessions');
    expect(sessions.status).toBe(200);
    expect((await own.get('/v1/users/@me/security-events')).status).toBe(200);
    const handoff = await service.anonymous.post('/v1/auth/handoff/initiate');
    expect(handoff.status).toBe(200);
    const seen = await service.anonymous.get(`/v1/auth/handoff/${handoff.body.code}/status`);
    expect(seen.status).toBe(200);
    const app = await newApp(service, alice);
    expect(await newTokens(service, alice, app)).toMatchObject({ access_token: expect.any(String) });
    const [row] = await service.sql('SELECT now() AS now');
    expect(Math.abs(Number(row?.now) - Date.now())).toBeLessThan(60_000);
  });
});

describe('notifications', () => {
  test('of any topic are delivered with others of the same transaction', () =>
    withGatehouse({}, async (service) => {
      const received: unknown[] = [];
      const replica = service.app.get(ReplicaBus);
      const topics = ['a "topic"', 'back\\slash', 'line\nend', '{}'];
      for (const topic of topics) replica.on(topic, (data) => void received.push(data));
      await service.app.get(Database).transaction(async (tx) => {
        for (const topic of topics) await replica.announce(tx, { topic, data: { topic } });
      });
      expect(received).toEqual(topics.map((topic) => ({ topic })));
    }));
});
