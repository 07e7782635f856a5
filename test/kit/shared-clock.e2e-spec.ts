import { type Gatehouse, gatehouse, newApp, person, verifiedPerson, withGatehouse } from '../support/index.js';

const FUNCTIONS = ['now()', 'transaction_timestamp()', 'statement_timestamp()', 'clock_timestamp()'];

const TOKENS = '/v1/users/@me/access-tokens';

/** Tests run for less than this time. */
const TOLERANCE_MS = 60_000;

describe('a clock that the service shares with its database', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ sharedClock: true });
  });
  afterAll(() => service.close());

  const expectNow = (time: Date | string) =>
    expect(Math.abs(new Date(time).getTime() - service.clock.now())).toBeLessThan(TOLERANCE_MS);

  test.each(FUNCTIONS)('%s follows it, on all connections', async (expression) => {
    await service.advance({ days: 3 });
    const rows = await Promise.all(Array.from({ length: 8 }, () => service.sql(`SELECT ${expression} AS time`)));
    for (const [row] of rows) expectNow(row?.time);
  });

  test('both move by the sum of all units', async () => {
    const before = service.clock.now();
    await service.advance({ days: 2, hours: 3, minutes: 4, seconds: 5 });
    const moved = service.clock.now() - before - (((2 * 24 + 3) * 60 + 4) * 60 + 5) * 1000;
    expect(Math.abs(moved)).toBeLessThan(TOLERANCE_MS);
    const [row] = await service.sql('SELECT now() AS time');
    expectNow(row?.time);
  });

  test('a table that is created later has defaults that follow it', async () => {
    await service.sql('CREATE TABLE cake (name text, baked_at timestamptz DEFAULT now())');
    await service.advance({ days: 3 });
    await service.sql("INSERT INTO cake (name) VALUES ('first')");
    const [cake] = await service.sql('SELECT baked_at FROM cake');
    expectNow(cake?.baked_at);
  });

  test('defaults of the built-in tables follow it', async () => {
    await service.advance({ days: 400 });
    const ada = await person(service, 'ada');
    const { id } = await newApp(service, ada);
    const [bot] = await service.sql('SELECT created_at FROM bot_token WHERE application_id = $1', [id]);
    expectNow(bot?.created_at);
    const behind = await service.sql(
      `SELECT attrelid::regclass::text AS name, attname FROM pg_attrdef
       JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
       WHERE pg_get_expr(adbin, adrelid) LIKE '%pg_catalog.%'`,
    );
    expect(behind).toEqual([]);
  });

  test('what SQL expires is expired, and the service counts its clocks as equal', async () => {
    const bob = await verifiedPerson(service, 'bob');
    const input = { name: 'Script', scopes: ['identify'], password: bob.password, expires_in_days: 30 };
    await service.as(bob).post(TOKENS, input).expect(201);
    const named = async () => (await service.as(bob).get(TOKENS).expect(200)).body.tokens.length;
    expect(await named()).toBe(1);
    await service.advance({ days: 29 });
    expect(await named()).toBe(1);
    await service.advance({ days: 2 });
    expect(await named()).toBe(0);
    await service.anonymous.get('/health/ready').expect(200);
  });

  test('without the option, the clock of the database is not moved', () =>
    withGatehouse({}, async (other) => {
      await expect(other.advance({ days: 1 })).rejects.toThrow('gatehouse({ sharedClock: true, ... })');
      const [row] = await other.sql('SELECT now() AS time');
      expect(Math.abs(row?.time.getTime() - Date.now())).toBeLessThan(TOLERANCE_MS);
      expect(Math.abs(other.clock.now() - Date.now())).toBeLessThan(TOLERANCE_MS);
    }));
});
