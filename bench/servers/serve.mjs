/**
 * Shared by the servers of the peers: the pool, users with passwords, and `/prepare`, which creates the data for the
 * load.
 */
import { createServer } from 'node:http';
import { hash } from '@node-rs/argon2';
import pg from 'pg';

const { DATABASE_URL: connectionString, POOL_SIZE, PORT } = process.env;

export const origin = `http://127.0.0.1:${PORT}`;
export const PASSWORD = 'a password of the benchmark';
/** The same parameters as in the service. */
export const ARGON2ID = { memoryCost: 19456, timeCost: 2, parallelism: 1 };
export const pool = new pg.Pool({ connectionString, max: Number(POOL_SIZE ?? 10) });

/** Creates accounts that all have the same password. */
export async function people(count, database = pool) {
  await database.query('DROP TABLE IF EXISTS account CASCADE');
  await database.query(`CREATE TABLE account (
    id bigint PRIMARY KEY, email text NOT NULL UNIQUE, username text NOT NULL, password_hash text NOT NULL)`);
  const { rows } = await database.query(
    `INSERT INTO account SELECT n, 'person' || n || '@example.com', 'person' || n, $2 FROM generate_series(1, $1::int) n
     RETURNING id, email, username`,
    [Number(count), await hash(PASSWORD, ARGON2ID)],
  );
  return rows;
}

/**
 * Answers `/prepare?name=value...` with the result of `prepare` for these values, and readiness checks. `handle`
 * answers all other requests.
 */
export function serve(handle, prepare) {
  const answer = async (url, res) => {
    const asked = Object.fromEntries(new URL(url, origin).searchParams);
    try {
      res.end(JSON.stringify(await prepare(asked)));
    } catch (error) {
      res.writeHead(500).end(error.stack);
    }
  };
  createServer((req, res) => {
    if (req.url.startsWith('/prepare?')) answer(req.url, res);
    else if (req.url === '/health/ready') res.end();
    else handle(req, res);
  }).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
}
