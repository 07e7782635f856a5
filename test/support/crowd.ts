import pg from 'pg';
import { Config } from '../../src/core/config/config.js';
import type { Gatehouse } from './gatehouse.js';

/** Fills the tables that grow with the accounts: `accounts` of them, each with sessions, secrets and mail of its own. */
export async function fillTables(service: Gatehouse, accounts: number): Promise<void> {
  if (accounts === 0) return;
  const { databaseUrl } = service.app.get(Config);
  if (!databaseUrl) throw new Error('a crowd needs a PostgreSQL server');
  // A connection of its own: those of the service are given up when they stay silent.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const run = (text: string) => client.query(text.replaceAll(':n', String(accounts)));
  try {
    // Neither what refers to what nor a crash matters here, and indexes are made faster afterwards.
    await run('SET session_replication_role = replica');
    const { rows } = await client.query(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename IN ('session', 'one_time_secret', 'outbox') AND indexname NOT LIKE '%_pkey'`,
    );
    for (const { name } of rows) await run(`DROP INDEX ${name}`);
    await run('ALTER TABLE one_time_secret DROP CONSTRAINT one_time_secret_pkey');
    for (const table of ['session', 'one_time_secret', 'outbox']) await run(`ALTER TABLE ${table} SET UNLOGGED`);
    await run(`
      INSERT INTO account (id, username, discriminator, email, created_at, last_active_ip)
      SELECT n, 'user' || n / 9000, 1 + n % 9000, 'user' || n || '@crowd.example', now(), '10.' || n % 250 || '.0.' || n % 241
      FROM generate_series(1, :n) n`);
    await run('INSERT INTO account_settings (account_id) SELECT n FROM generate_series(1, :n) n');
    await run(`
      INSERT INTO session (id, digest, account_id, ip, revoked_at)
      SELECT n, sha256(('session' || n)::bytea), 1 + n % :n, '10.0.0.1',
        CASE WHEN n % 2 = 0 THEN now() - interval '1 minute' * (n % 40000) END
      FROM generate_series(1, 5 * :n) n`);
    await run(`
      INSERT INTO one_time_secret (digest, purpose, subject, payload, expires_at)
      SELECT sha256(('secret' || n)::bytea),
        (ARRAY['mfa-ticket', 'email-verification', 'handoff', 'password-reset', 'bridge-ceremony'])[1 + n % 5],
        CASE WHEN n % 5 = 2 THEN '' ELSE (1 + n / 5)::text END, '{"email": "user@crowd.example"}',
        now() + interval '1 second' * (n % 100000 - 20000)
      FROM generate_series(1, 5 * :n) n`);
    await run(`
      INSERT INTO authorized_ip (account_id, ip_key) SELECT n, '10.0.0.1' FROM generate_series(1, :n) n`);
    await run(`
      INSERT INTO outbox (id, type, recipient, account_id, created_at, sent_at)
      SELECT n, 'security_notice', 'user' || n || '@crowd.example', n, now() - interval '1 second' * (n % 600000),
        now() - interval '1 second' * (n % 600000)
      FROM generate_series(1, :n) n`);
    await run('ALTER TABLE one_time_secret ADD PRIMARY KEY (digest)');
    for (const { definition } of rows) await run(definition);
    await run('VACUUM ANALYZE account, account_settings, session, one_time_secret, authorized_ip, outbox');
  } finally {
    await client.end();
  }
}
