/** Exits with 0 if a PostgreSQL server responds at this URL and allows the user to create databases. */
import pg from 'pg';

const client = new pg.Client({ connectionString: process.argv[2], connectionTimeoutMillis: 2000 });
try {
  await client.connect();
  const { rows } = await client.query(
    'SELECT rolcreatedb OR rolsuper AS able FROM pg_roles WHERE rolname = current_user',
  );
  process.exitCode = rows[0]?.able ? 0 : 1;
} catch {
  process.exitCode = 1;
} finally {
  await client.end().catch(() => {});
}
