import type pg from 'pg';

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
