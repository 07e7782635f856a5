/** Baseline for servers that query a database on every request: Node's own HTTP server and one prepared statement. */
import { createHash, randomBytes } from 'node:crypto';
import { people, pool, serve } from './serve.mjs';

const text = `SELECT a.id, a.email, a.username FROM session s JOIN account a ON a.id = s.account_id
  WHERE s.digest = $1 AND s.expires_at > now()`;
const digestOf = (token) => createHash('sha256').update(token).digest();

async function handle(req, res) {
  const values = [digestOf(req.headers.authorization ?? '')];
  const { rows } = await pool.query({ name: 'caller', text, values });
  res.writeHead(rows[0] ? 200 : 401, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(rows[0] ?? {}));
}

async function prepare({ people: count }) {
  const accounts = await people(count);
  await pool.query('DROP TABLE IF EXISTS session');
  await pool.query(
    'CREATE TABLE session (digest bytea PRIMARY KEY, account_id bigint NOT NULL REFERENCES account, expires_at timestamptz NOT NULL)',
  );
  const callers = [];
  for (const { id } of accounts) {
    const authorization = randomBytes(27).toString('base64url');
    await pool.query("INSERT INTO session VALUES ($1, $2, now() + interval '30 days')", [digestOf(authorization), id]);
    callers.push({ authorization });
  }
  return { callers };
}

serve(handle, prepare);
