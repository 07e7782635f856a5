import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Config } from '../../src/core/config/config.js';
import type { Gatehouse } from './gatehouse.js';

/** Tables whose indexes are dropped first and created again after the inserts, which is faster. */
const INDEXED =
  "('session', 'one_time_secret', 'outbox', 'audit_log', 'oauth_family', 'oauth_token', 'security_event')";
/**
 * Tables that a crash may empty, because the tests do not need their rows afterwards. A table that refers to another one
 * comes before it.
 */
const UNLOGGED = [
  ...['openid_session', 'session', 'one_time_secret', 'outbox', 'personal_token', 'oauth_token', 'security_event'],
];

/**
 * Inserts the rows of the accounts :from + 1 to :to. Rows that occur five times per account have the IDs 5 * :from + 1
 * to 5 * :to.
 */
const ROWS = [
  `INSERT INTO account (id, username, discriminator, email, created_at, last_active_ip)
   SELECT n, 'user' || n / 9000, 1 + n % 9000, 'user' || n || '@crowd.example', now(), '10.' || n % 250 || '.0.' || n % 241
   FROM generate_series(:from + 1, :to) n`,
  'INSERT INTO account_settings (account_id) SELECT n FROM generate_series(:from + 1, :to) n',
  'INSERT INTO account_event (account_id, number) SELECT n, 1 FROM generate_series(:from + 1, :to) n',
  `INSERT INTO session (id, digest, account_id, ip, revoked_at)
   SELECT n, sha256(('session' || n)::bytea), :from + 1 + n % (:to - :from), '10.0.0.1',
     CASE WHEN (n + n / (:to - :from)) % 2 = 0 THEN now() - interval '1 minute' * (n % 40000) END
   FROM generate_series(5 * :from + 1, 5 * :to) n`,
  `INSERT INTO one_time_secret (digest, purpose, subject, payload, expires_at)
   SELECT sha256(('secret' || n)::bytea),
     (ARRAY['mfa-ticket', 'email-verification', 'handoff', 'password-reset', 'bridge-ceremony'])[1 + n % 5],
     CASE WHEN n % 5 = 2 THEN '' ELSE (1 + n / 5)::text END, '{"email": "user@crowd.example"}',
     now() + interval '1 second' * (n % 100000 - 20000)
   FROM generate_series(5 * :from + 1, 5 * :to) n`,
  "INSERT INTO authorized_ip (account_id, ip_key) SELECT n, '10.0.0.1' FROM generate_series(:from + 1, :to) n",
  `INSERT INTO outbox (id, type, recipient, account_id, created_at, sent_at)
   SELECT n, 'security_notice', 'user' || n || '@crowd.example', n, now() - interval '1 second' * (n % 600000),
     now() - interval '1 second' * (n % 600000)
   FROM generate_series(:from + 1, :to) n`,
  `INSERT INTO audit_log (id, admin_user_id, action, target_type, target_id, request_id, created_at, sequence, hash, ip)
   SELECT n, 1 + n % 40, (ARRAY['temp_ban', 'unban', 'set_acls', 'list_user_sessions'])[1 + n % 4],
     (ARRAY['user', 'ip_ban', 'application'])[1 + n % 3], (:from + 1 + n % (:to - :from))::text, 'request-' || n,
     now() - interval '1 second' * (5 * :to - n),
     coalesce((SELECT max(sequence) FROM audit_log), 1000000) + n - 5 * :from, '', '10.' || n % 250 || '.0.' || n % 241
   FROM generate_series(5 * :from + 1, 5 * :to) n`,
  `INSERT INTO application (id, owner_id, name, client_type, secret_digest)
   SELECT n, n + 1, 'application ' || n, 'confidential', sha256(('application' || n)::bytea)
   FROM generate_series(:from + 57, :to, 100) n`,
  `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest, settled_at)
   SELECT n, :from + 57 + (n - :from - 1) / 100 * 100, n, '{identify,email}', sha256(('code' || n)::bytea), now()
   FROM generate_series(:from + 1, :to) n`,
  `INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
   SELECT 2 * n + k, sha256(('token' || 2 * n + k)::bytea), (ARRAY['access', 'refresh'])[1 + k], n,
     :from + 57 + (n - :from - 1) / 100 * 100, n, '{identify,email}', now() + interval '1 day' * (1 + 20 * k)
   FROM generate_series(:from + 1, :to) n, generate_series(0, 1) k`,
  `INSERT INTO personal_token (id, name, preview) SELECT 2 * n, 'Script', 'abcd' FROM generate_series(:from + 1, :to) n`,
  `INSERT INTO bot_token (id, application_id, name, digest, preview)
   SELECT n, n, 'default', sha256(('bot' || n)::bytea), 'abcdefgh' FROM generate_series(:from + 57, :to, 100) n`,
  `INSERT INTO security_event (id, account_id, type, created_at, ip, data)
   SELECT n, :from + 1 + n % (:to - :from), 'signed_in', now() - interval '1 minute' * (n % 200000), '10.0.0.1',
     '{"method": "password"}'
   FROM generate_series(2 * :from + 1, 2 * :to) n`,
];

/** The number of tables that are filled in parallel. They do not depend on each other. */
const LANES = 2;

/** Opens a connection outside the pool of the service, which closes connections that receive no data for some time. */
async function lane(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Foreign keys are not checked, and a crash may lose rows.
  await client.query('SET session_replication_role = replica');
  await client.query('SET synchronous_commit = off');
  await client.query("SET maintenance_work_mem = '256MB'");
  return client;
}

/**
 * Fills the tables that grow with the number of accounts, for the accounts from `from` to `to`. Each account gets
 * sessions, secrets, tokens, emails, events and audit entries.
 */
export async function growTables(databaseUrl: string, from: number, to: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: LANES }, () => lane(databaseUrl)));
  const [client] = clients as [pg.Client, ...pg.Client[]];
  const run = (by: pg.Client, text: string) =>
    by.query(text.replaceAll(':from', String(from)).replaceAll(':to', String(to)));
  const all = async (texts: readonly string[]) => {
    const left = [...texts];
    const worker = async (by: pg.Client) => {
      for (let text = left.shift(); text !== undefined; text = left.shift()) await run(by, text);
    };
    await Promise.all(clients.map(worker));
  };
  try {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename IN ${INDEXED} AND indexname NOT LIKE '%_pkey'`,
    );
    for (const { name } of rows) await run(client, `DROP INDEX ${name}`);
    await run(client, 'ALTER TABLE one_time_secret DROP CONSTRAINT one_time_secret_pkey');
    for (const table of UNLOGGED) await run(client, `ALTER TABLE ${table} SET UNLOGGED`);
    await all(ROWS);
    await run(client, 'ALTER TABLE one_time_secret ADD PRIMARY KEY (digest)');
    await all(rows.map(({ definition }) => definition));
    await run(client, 'VACUUM ANALYZE');
    await untilIndexesAreUsed(client);
  } finally {
    await Promise.all(clients.map((one) => one.end()));
  }
}

/**
 * Waits until the planner uses all new indexes. If rows changed during the build of an index, the planner ignores it at
 * first. It uses the index when all older transactions on the server, in any database, have ended.
 */
async function untilIndexesAreUsed(client: pg.Client): Promise<void> {
  const YOUNG = `SELECT count(*)::int AS young FROM pg_index
    WHERE indcheckxmin AND xmin::text::bigint >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint % 4294967296`;
  for (;;) {
    const { rows } = await client.query<{ young: number }>(YOUNG);
    if (rows[0]?.young === 0) return;
    await delay(100);
  }
}

/** Fills the tables of a service with this number of accounts. The service must use a PostgreSQL server. */
export async function fillTables(service: Gatehouse, accounts: number): Promise<void> {
  if (accounts === 0) return;
  const { databaseUrl, databaseDirectUrl = databaseUrl } = service.app.get(Config);
  if (!databaseDirectUrl) throw new Error('a crowd needs a PostgreSQL server');
  await growTables(databaseDirectUrl, 0, accounts);
}
