import pg from 'pg';
import { Database } from '../../src/platform/database/database.js';
import { backendPidOf, poolOf } from '../../src/platform/database/driver-internals.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { withGatehouse } from '../support/index.js';

test('the pool of TypeORM runs named statements, and passes the error of a failed connection to a callback', () =>
  withGatehouse({}, async ({ app }) => {
    const pool = poolOf(app.get(Database).source);
    for (const n of [7, 8]) {
      const { rows } = await pool.query({ name: 'driver-internals', text: 'SELECT $1::int AS n', values: [n] });
      expect(rows).toEqual([{ n }]);
    }
    expect(pool.options.connectionTimeoutMillis).toBeGreaterThan(0);
    const release = await new Promise<unknown>((resolve, reject) =>
      pool.connect((error, _client, done) => (error ? reject(error) : resolve(done))),
    );
    expect(typeof release).toBe('function');
    (release as () => void)();
  }));

describeOnPostgres('a connection of the driver', () => {
  test('has the process ID of its backend, with which its own notifications are sent', async () => {
    const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await client.connect();
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      expect(backendPidOf(client)).toBe(rows[0]?.pid);
      const received = new Promise<number>((resolve) =>
        client.on('notification', ({ processId }) => resolve(processId)),
      );
      await client.query('LISTEN driver_internals');
      await client.query("SELECT pg_notify('driver_internals', '')");
      expect(await received).toBe(backendPidOf(client));
    } finally {
      await client.end();
    }
  });
});
