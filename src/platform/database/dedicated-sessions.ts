import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { StartError } from '../../core/config/start-error.js';
import { backendPidOf } from './driver-internals.js';
import { connectTo } from './hosts.js';

const CHECK_TIMEOUT_MS = 5000;
const POOLER =
  'a connection pooler that shares sessions between clients, such as PgBouncer with pool_mode = transaction';
const NO_DIRECT_URL =
  `The database is behind ${POOLER}. Gatehouse needs a few sessions of its own for locks, LISTEN and migrations. ` +
  'Set DATABASE_DIRECT_URL to the database server, or use pool_mode = session';
const DIRECT_URL_IS_POOLED = `DATABASE_DIRECT_URL leads to ${POOLER}. Set it to the database server`;
const OTHER_DATABASE =
  'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases. Both must lead to the same one';

/** Every role may update this view. No setting has an empty name, so nothing is changed. */
const WRITE = "UPDATE pg_catalog.pg_settings SET setting = '' WHERE name = $1";

/** In a transaction that an earlier statement began, the time of the transaction is earlier than that of the statement. */
const HAS_ENDED = 'SELECT now() = statement_timestamp() AS ended';

/** The error code of a write to a standby or in a read-only transaction. */
const READ_ONLY = '25006';

/** What is wrong if `commitsStatements` returns false, and how to fix it. */
export const UNCOMMITTED = 'the connection pooler begins a transaction for a statement and does not end it';
export const UNCOMMITTED_FIX =
  "Use a pooler that leaves transactions to its clients, or another mode, such as backend_clustering_mode = 'streaming_replication' of pgpool-II";

/**
 * Whether the transaction of a statement outside a transaction block ends with the statement. In its raw mode,
 * pgpool-II begins a transaction for each write with parameters, and does not commit it.
 */
export async function commitsStatements(client: pg.Client): Promise<boolean> {
  try {
    await client.query(WRITE, ['']);
  } catch (error) {
    // Another test reports a database that accepts no writes.
    if ((error as pg.DatabaseError).code === READ_ONLY) return true;
    throw error;
  }
  const { rows } = await client.query<{ ended: boolean }>(HAS_ENDED);
  return rows[0]?.ended === true;
}

const pidOf = async (client: pg.Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;

async function withConnection<T>(url: string, patience: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const wait = CHECK_TIMEOUT_MS * patience;
  const client = await connectTo(url, { connectionTimeoutMillis: wait, query_timeout: wait });
  return work(client).finally(() => client.end().catch(() => {}));
}

/**
 * Whether each connection has its own server session, as direct connections do. A transaction pooler gives two
 * connections that take turns the same session, or changes the session of one of them. Nothing is changed in a session.
 * @throws StartError if statements outside a transaction are not committed
 */
async function hasDedicatedSessions(url: string, patience: number): Promise<boolean> {
  return withConnection(url, patience, async (first) => {
    if (!(await commitsStatements(first)))
      throw new StartError(`Behind DATABASE_URL or DATABASE_DIRECT_URL, ${UNCOMMITTED}. ${UNCOMMITTED_FIX}`);
    if ((await pidOf(first)) === backendPidOf(first)) return true;
    return withConnection(url, patience, async (second) => {
      const seen = new Map<pg.Client, number | undefined>();
      // Not strictly alternating, so that a pooler that takes its sessions in turn is also detected.
      for (const client of [first, second, second, first, first, second]) {
        const pid = await pidOf(client);
        if (seen.has(client) && seen.get(client) !== pid) return false;
        seen.set(client, pid);
      }
      return seen.get(first) !== seen.get(second);
    });
  });
}

/** @throws StartError if a lock of one connection is free for the other */
async function assertSameDatabase(url: string, directUrl: string, patience: number): Promise<void> {
  const key = randomInt(2 ** 47);
  await withConnection(directUrl, patience, async (direct) => {
    await direct.query('SELECT pg_advisory_lock($1)', [key]);
    await withConnection(url, patience, async (pooled) => {
      // One transaction, which also fails with a pooler that does not allow transactions.
      await pooled.query('BEGIN');
      const { rows } = await pooled.query<{ won: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS won', [key]);
      await pooled.query('ROLLBACK');
      if (rows[0]?.won) throw new StartError(OTHER_DATABASE);
    });
  });
}

/**
 * Checks which sessions the database gives to connections.
 * @returns whether connections to `url` share sessions, so that nothing may be kept in them
 * @throws StartError if there is no way to a session of its own, or statements are not committed
 */
export async function checkSessions(url: string, directUrl: string, patience: number): Promise<boolean> {
  const isShared = !(await hasDedicatedSessions(url, patience));
  if (url === directUrl) {
    if (isShared) throw new StartError(NO_DIRECT_URL);
    return false;
  }
  if (!(await hasDedicatedSessions(directUrl, patience))) throw new StartError(DIRECT_URL_IS_POOLED);
  await assertSameDatabase(url, directUrl, patience);
  return isShared;
}
