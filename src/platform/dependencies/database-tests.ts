import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { commitsStatements, UNCOMMITTED, UNCOMMITTED_FIX } from '../database/dedicated-sessions.js';
import { connectTo } from '../database/hosts.js';
import { type Dependency, type GroupMember, type TestTools, UnmetRequirement } from './dependency.js';
import { firstOf, missingPrivileges, tablesOf } from './privileges.js';
import { SCHEMA_OBJECTS } from './schema-objects.js';

const CONNECT_TIMEOUT_MS = 3000;
const DELIVERY_TIMEOUT_MS = 2000;
const MAX_SKEW_SECONDS = 2;
const LOCK_CLASS = 0x6778;

const READ_ONLY =
  "SELECT pg_is_in_recovery() AS recovery, current_setting('transaction_read_only') = 'on' AS read_only";

const MISSING_OBJECTS = `
  SELECT name AS missing FROM unnest($1::text[]) AS name
  EXCEPT SELECT c.relname || ' ' || k.conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE k.convalidated AND pg_table_is_visible(c.oid)
  EXCEPT SELECT c.relname || ' ' || n.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_class n ON n.oid = i.indexrelid WHERE i.indisunique AND i.indisvalid AND pg_table_is_visible(c.oid)
  EXCEPT SELECT c.relname || ' ' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE t.tgenabled IN ('O', 'A') AND pg_table_is_visible(c.oid)
  ORDER BY 1`;

const SETTINGS = `
  SELECT name || ' is ' || current AS wrong FROM (VALUES
    ('DateStyle', current_setting('DateStyle'), 'ISO, YMD'),
    ('TimeZone', current_setting('TimeZone'), 'UTC'),
    ('standard_conforming_strings', current_setting('standard_conforming_strings'), 'on'),
    ('bytea_output', current_setting('bytea_output'), 'hex')
  ) AS s (name, current, needed) WHERE current <> needed`;

const LIMITS = `
  SELECT name AS missing
  FROM unnest(ARRAY['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) AS name
  WHERE current_setting(name) = '0'`;

const CLOCK = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now';

function assertNone(found: readonly { missing: string }[], what: string): void {
  if (found.length === 0) return;
  throw new UnmetRequirement(`${what}: ${firstOf(found.map(({ missing }) => missing))}`);
}

const open = (url: string) =>
  connectTo(url, {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'gatehouse self-test',
  });

async function assertCommitted({ config: { databaseUrl = '' } }: TestTools): Promise<void> {
  const client = await open(databaseUrl);
  try {
    if (!(await commitsStatements(client))) throw new UnmetRequirement(UNCOMMITTED);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Opens two connections as the service does where it needs sessions of its own. */
async function withTwo<T>({ config }: TestTools, work: (a: pg.Client, b: pg.Client) => Promise<T>): Promise<T> {
  const { databaseUrl = '', databaseDirectUrl = databaseUrl } = config;
  const a = await open(databaseDirectUrl);
  try {
    const b = await open(databaseDirectUrl);
    return await work(a, b).finally(() => b.end().catch(() => {}));
  } finally {
    await a.end().catch(() => {});
  }
}

async function assertExclusive(tools: TestTools): Promise<void> {
  const lock = [LOCK_CLASS, randomInt(2 ** 31 - 1)];
  await withTwo(tools, async (a, b) => {
    const take = async (client: pg.Client) =>
      (await client.query<{ won: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS won', lock)).rows[0]?.won;
    const wins = [await take(a), await take(b)];
    await a.query('SELECT pg_advisory_unlock_all()');
    if (wins.join() !== 'true,false') throw new UnmetRequirement('two connections got the same lock');
  });
}

async function assertDelivered(tools: TestTools): Promise<void> {
  await withTwo(tools, async (a, b) => {
    const received = new Promise<boolean>((resolve) => {
      a.on('notification', () => resolve(true));
      setTimeout(resolve, DELIVERY_TIMEOUT_MS, false);
    });
    await a.query('LISTEN gatehouse_test');
    await b.query("SELECT pg_notify('gatehouse_test', '')");
    if (!(await received)) throw new UnmetRequirement(`no notification within ${DELIVERY_TIMEOUT_MS / 1000} s`);
  });
}

async function assertStatementsSurvive({ database }: TestTools): Promise<void> {
  for (const n of [1, 2]) {
    const [row] = await database.statement<{ n: number }>('self-test', 'SELECT $1::int AS n', [n]);
    if (row?.n !== n) throw new UnmetRequirement('a named statement returned the row of another one');
  }
}

const MEMBERS: readonly GroupMember[] = [
  {
    name: 'database',
    needs: 'PostgreSQL responds and accepts writes',
    fix: 'Check DATABASE_URL, that the server runs and accepts this user, and that it is the primary and not read-only',
    test: async ({ ask }) => {
      const [row] = await ask<{ recovery: boolean; read_only: boolean }>(READ_ONLY);
      if (row?.recovery) throw new UnmetRequirement('the server is a standby in recovery');
      if (row?.read_only) throw new UnmetRequirement('the database is read-only');
    },
  },
  {
    name: 'database-privileges',
    needs: 'The role has its privileges on every table and sequence',
    fix: 'Run `doctor`, which prints the GRANT statements',
    test: async (tools) => {
      const { missing, grants } = await missingPrivileges(tools.ask, tablesOf(tools));
      if (missing.length > 0)
        throw new UnmetRequirement(`the role lacks: ${firstOf(missing)}`, `Run: ${grants.join('; ')}`);
    },
  },
  {
    name: 'database-schema',
    needs: 'Every constraint, unique index and trigger of the migrations exists',
    fix: 'Restore the database from a backup with pg_restore, or create the missing ones as in test/schema.snapshot.sql',
    test: async ({ ask }) => assertNone(await ask(MISSING_OBJECTS, [SCHEMA_OBJECTS]), 'missing in the schema'),
  },
  {
    name: 'database-settings',
    needs: 'Connections keep the settings that the service sets',
    fix: 'Use a connection pooler only with pool_mode = session, and remove programs that change settings',
    test: async ({ database }) => {
      const rows = await database.manager.query<{ wrong: string }[]>(SETTINGS);
      if (rows.length > 0) throw new UnmetRequirement(rows.map(({ wrong }) => wrong).join(', '));
    },
  },
  {
    name: 'database-timeouts',
    needs: 'Statements, locks and idle transactions have time limits',
    fix: "Run: ALTER ROLE <role> SET statement_timeout = '5s'; ALTER ROLE <role> SET lock_timeout = '4s'; ALTER ROLE <role> SET idle_in_transaction_session_timeout = '10s'",
    test: async ({ database }) =>
      assertNone(await database.manager.query<{ missing: string }[]>(LIMITS), 'there is no limit for'),
  },
  {
    name: 'database-statements',
    needs: 'Named statements survive on their connection',
    fix: 'Set DATABASE_URL to the server, or use a connection pooler with pool_mode = session',
    test: assertStatementsSurvive,
  },
  {
    name: 'database-commits',
    needs: 'A statement outside a transaction is committed at its end',
    fix: UNCOMMITTED_FIX,
    test: assertCommitted,
  },
  {
    name: 'database-locks',
    needs: 'Advisory locks are exclusive',
    fix: 'Set DATABASE_URL to the server, or use a connection pooler with pool_mode = session',
    test: assertExclusive,
  },
  {
    name: 'database-notifications',
    needs: 'LISTEN receives what NOTIFY sends',
    without: 'Other replicas learn of changes within a second',
    fix: 'Set DATABASE_URL to the server, without a proxy that drops notifications',
    isRequired: false,
    test: assertDelivered,
  },
  {
    name: 'clock',
    needs: 'The clocks of the database and of this machine agree',
    fix: 'Synchronize both machines with NTP',
    isRequired: false,
    test: async ({ ask }) => {
      const before = Date.now();
      const [row] = await ask<{ now: number }>(CLOCK);
      const skew = Math.abs((row?.now ?? 0) - (before + Date.now()) / 2) / 1000;
      if (skew > MAX_SKEW_SECONDS) throw new UnmetRequirement(`differs from the database by ${skew.toFixed(1)} s`);
    },
  },
];

/** Properties of PostgreSQL. The embedded database has all of them. */
export const DATABASE_DEPENDENCIES: readonly Dependency[] = MEMBERS.map((member) => ({
  ...{ isRequired: true, ...member, group: 'database' },
  isUsed: ({ databaseUrl }) => databaseUrl !== undefined,
}));

/** The primary serves reads while the standby cannot. */
export const READ_REPLICA_DEPENDENCY: Dependency = {
  name: 'database-read',
  needs: 'The standby of DATABASE_READ_URL has what the primary committed',
  without: 'Lists, exports, audit search and statistics use the primary',
  fix: 'Check DATABASE_READ_URL, that it leads to a standby of the same primary, and its replication in pg_stat_replication',
  isRequired: false,
  group: 'read replica',
  isUsed: ({ databaseReadUrl }) => databaseReadUrl !== undefined,
  test: async ({ database }) => database.replica?.test(),
};
