import { rmSync } from 'node:fs';
import pg from 'pg';

/** Removes the template and everything that was copied from it. */
export default async function tearDown() {
  // Where the tests ran in this process: the engine's timers would keep it for seconds.
  for (const { engine } of globalThis[Symbol.for('gatehouse.idleDatabases')] ?? []) await engine.close();
  const { GATEHOUSE_TEST_DIR: directory, GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server } = process.env;
  if (directory) rmSync(directory, { recursive: true, force: true });
  if (!template || !server) return;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const { rows } = await admin.query('SELECT datname FROM pg_database WHERE datname LIKE $1', [`${template}%`]);
  for (const { datname } of rows) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  await admin.end();
}
