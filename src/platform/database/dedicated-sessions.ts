import pg from 'pg';
import { StartError } from '../../core/config/start-error.js';
import { backendPidOf } from './driver-internals.js';

const POOLER_CHECK_TIMEOUT_MS = 5000;
const POOLER_MESSAGE =
  'The database is behind a connection pooler that shares sessions between clients, such as PgBouncer with ' +
  'pool_mode = transaction. Gatehouse needs dedicated sessions for prepared statements, locks and LISTEN. ' +
  'Use pool_mode = session, or set DATABASE_URL to the database server';

const SET_MARKER_SQL = "SELECT set_config('gatehouse.session', $1, false)";
const READ_MARKER_SQL = "SELECT current_setting('gatehouse.session', true) AS note, pg_backend_pid() AS pid";

async function readMarker(client: pg.Client): Promise<{ note: string | null; pid: number } | undefined> {
  const { rows } = await client.query<{ note: string | null; pid: number }>(READ_MARKER_SQL);
  return rows[0];
}

/**
 * Checks that each connection has its own server session, as direct connections do. To detect a transaction pooler, two
 * connections each set a value and read it in the opposite order. If they share sessions, one of them reads the other's
 * value.
 * @throws StartError
 */
export async function assertDedicatedSessions(connectionString: string, patience: number): Promise<void> {
  const wait = POOLER_CHECK_TIMEOUT_MS * patience;
  const clients = ['a', 'b'].map((name) => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: wait, query_timeout: wait });
    client.on('error', () => {});
    return { name, client };
  });
  const [first] = clients;
  try {
    if (!first) return;
    await first.client.connect();
    if ((await readMarker(first.client))?.pid === backendPidOf(first.client)) return;
    for (const { client } of clients.slice(1)) await client.connect();
    for (const { name, client } of clients) await client.query(SET_MARKER_SQL, [name]);
    for (const { name, client } of [...clients].reverse()) {
      if ((await readMarker(client))?.note !== name) throw new StartError(POOLER_MESSAGE);
    }
  } finally {
    await Promise.all(clients.map(({ client }) => client.end().catch(() => {})));
  }
}
