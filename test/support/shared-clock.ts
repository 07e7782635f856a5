import pg from 'pg';
import type { EmbeddedEngine } from '../../src/platform/database/engine.js';
import { withExec } from './embedded.js';

/** Functions of PostgreSQL that return the time. The keyword `CURRENT_TIMESTAMP` and its kind cannot be replaced. */
const VOLATILITY = {
  now: 'STABLE',
  transaction_timestamp: 'STABLE',
  statement_timestamp: 'STABLE',
  clock_timestamp: 'VOLATILE',
} as const;

const FUNCTIONS = Object.entries(VOLATILITY).map(
  ([name, volatility]) => `CREATE FUNCTION shared_clock.${name}() RETURNS timestamptz ${volatility} LANGUAGE sql AS
    $$ SELECT pg_catalog.${name}() + (SELECT ms FROM shared_clock.shift) * interval '1 ms' $$;`,
);

/** PostgreSQL searches `pg_catalog` first, unless the path names it. */
const SEARCH_PATH = 'public, shared_clock, pg_catalog';

/** The defaults of existing columns refer to the functions that were visible when they were set. */
const SET_UP = `
  CREATE SCHEMA shared_clock;
  CREATE TABLE shared_clock.shift (ms bigint NOT NULL);
  INSERT INTO shared_clock.shift VALUES (0);
  ${FUNCTIONS.join('\n')}
  SET search_path = ${SEARCH_PATH};
  DO $$
  DECLARE changed record;
  BEGIN
    FOR changed IN
      SELECT attrelid::regclass AS name, attname, pg_get_expr(adbin, adrelid) AS expression
      FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
      WHERE pg_get_expr(adbin, adrelid) ~ 'pg_catalog\\.(${Object.keys(VOLATILITY).join('|')})\\(' AND attgenerated = ''
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', changed.name, changed.attname,
        replace(changed.expression, 'pg_catalog.', ''));
    END LOOP;
  END $$;`;

/** Lets the functions of time of a database on a server follow a clock that `shiftSql` moves. */
export async function shareClockOf(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(SET_UP);
    const name = pg.escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
    await client.query(`ALTER DATABASE ${name} SET search_path = ${SEARCH_PATH}`);
  } finally {
    await client.end();
  }
}

/** The same for an embedded database. All its connections share one session, which each of them resets. */
export async function shareClockOfEngine(engine: EmbeddedEngine): Promise<EmbeddedEngine> {
  await engine.exec(SET_UP);
  return withExec(engine, async (statements) => {
    const result = await engine.exec(statements);
    if (statements === 'DISCARD ALL') await engine.exec(`SET search_path = ${SEARCH_PATH}`);
    return result;
  });
}

/** Moves the clock of the database by $1 milliseconds. */
export const SHIFT_SQL = 'UPDATE shared_clock.shift SET ms = ms + $1';
