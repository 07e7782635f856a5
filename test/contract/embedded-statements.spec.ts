import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseSchema, loadConfig } from '../../src/features.js';
import { Database } from '../../src/platform/database/database.js';
import { borrowDatabase } from '../support/embedded.js';

const MOST = 400;

describe('statements on the embedded database', () => {
  let database: Database;
  let release: () => Promise<void>;
  beforeEach(async () => {
    const lent = await borrowDatabase(join(process.env.GATEHOUSE_TEST_EMBEDDED as string, 'template.tar'));
    release = lent.release;
    const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: randomBytes(32).toString('base64') });
    database = await Database.open(config, databaseSchema(), lent.engine);
  });
  afterEach(async () => {
    await database.close();
    await release();
  });

  const ask = (text: string, values?: unknown[]) => database.manager.query(text, values);
  const prepared = async (): Promise<string[]> =>
    (await ask('SELECT statement FROM pg_prepared_statements ORDER BY statement')).map(
      ({ statement }: { statement: string }) => statement,
    );

  test('are prepared once for each text, for all values', async () => {
    const text = 'SELECT $1::int + 1 AS sum';
    for (const value of [1, 2, 3]) expect(await ask(text, [value])).toEqual([{ sum: value + 1 }]);
    await ask('SELECT 1');
    expect((await prepared()).filter((one) => !one.includes('pg_'))).toEqual([text]);
  });

  test('are prepared up to a limit, and executed without preparation beyond it', async () => {
    for (let n = 0; n < MOST + 50; n++) expect(await ask(`SELECT $1::int AS n${n}`, [n])).toEqual([{ [`n${n}`]: n }]);
    for (const n of [0, MOST + 49]) expect(await ask(`SELECT $1::int AS n${n}`, [7])).toEqual([{ [`n${n}`]: 7 }]);
    expect(await prepared()).toHaveLength(MOST);
    const long = `SELECT $1::int AS n /* ${'x'.repeat(10_000)} */`;
    expect(await ask(long, [1])).toEqual([{ n: 1 }]);
  });

  test('that failed, or whose transaction failed, work when repeated', async () => {
    const text = 'SELECT 10 / $1::int AS n';
    const reads = 'SELECT note FROM later WHERE id = $1';
    await expect(ask(reads, [1])).rejects.toThrow('later');
    await expect(
      database.transaction(async (tx) => {
        await tx.query(text, [5]);
        await tx.query(text, [0]);
      }),
    ).rejects.toThrow('division by zero');
    expect(await ask(text, [5])).toEqual([{ n: 2 }]);
    await ask("CREATE TEMP TABLE later AS SELECT 1 AS id, 'x' AS note");
    expect(await ask(reads, [1])).toEqual([{ note: 'x' }]);
    await ask("ALTER TABLE later ADD COLUMN more int DEFAULT 3; UPDATE later SET note = 'y'");
    expect(await ask(reads, [1])).toEqual([{ note: 'y' }]);
  });
});
