const ACCOUNTS = 5000;
/** The default limit of live sessions. */
const SESSIONS = 250;
const MESSAGES = 2000;
const ROWS = 20_000;

/** Fills the tables, and gives one account as much data as is allowed. */
export async function fill(client, databaseUrl, { id }, webhook) {
  const { growTables } = await import('../../dist/test/support/many-accounts.js');
  await growTables(databaseUrl, 0, ACCOUNTS);
  const run = (text, values) => client.query(text, values);
  await run(
    `INSERT INTO session (id, digest, account_id, ip, user_agent, last_used_at)
     SELECT 50000000 + n, sha256(('own' || n)::bytea), $1, '127.0.0.1', repeat('Mozilla/5.0 ', 20), now() - interval '1 hour'
     FROM generate_series(1, $2::int) n`,
    [id, SESSIONS],
  );
  await run(
    `INSERT INTO security_event (id, account_id, type, ip, user_agent, data)
     SELECT 50000000 + n, $1, 'signed_in', '127.0.0.1', repeat('Mozilla/5.0 ', 20), '{"method": "password"}'
     FROM generate_series(1, $2::int) n`,
    [id, ROWS],
  );
  await run(
    `INSERT INTO webhook_message (id, webhook_id, username, content, embeds, expires_at)
     SELECT 50000000 + n, $1, 'Bench', repeat('word ', 800),
       (SELECT jsonb_agg(jsonb_build_object('title', repeat('t', 100), 'description', repeat('d', 500)))
        FROM generate_series(1, 10)), now() + interval '1 day'
     FROM generate_series(1, $2::int) n`,
    [webhook.id, MESSAGES],
  );
  await run(
    `INSERT INTO audit_log (id, admin_user_id, action, target_type, target_id, request_id, created_at, sequence, hash, ip, metadata)
     SELECT 50000000 + n, $1::bigint, 'set_acls', 'user', $1::bigint::text, 'own-' || n, now(), (SELECT max(sequence) FROM audit_log) + n, '', '127.0.0.1',
       jsonb_build_object('before', repeat('a', 500), 'after', repeat('b', 500))
     FROM generate_series(1, $2::int) n`,
    [id, ROWS],
  );
  await run('ANALYZE');
}
