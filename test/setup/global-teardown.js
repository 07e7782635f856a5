import { rmSync } from 'node:fs';
import pg from 'pg';

/** Deletes the template and all copies of it. */
export default async function tearDown() {
  // Needed if the tests ran in this process. The timers of the engine would keep the process running for seconds.
  for (const { engine } of globalThis[Symbol.for('gatehouse.idleDatabases')] ?? []) await engine.close();
  const { GATEHOUSE_TEST_DIR: directory, GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server } = process.env;
  if (directory) rmSync(directory, { recursive: true, force: true });
  if (!template || !server) return;
  await globalThis[Symbol.for('gatehouse.pooler')]?.close();
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const { rows } = await admin.query('SELECT datname FROM pg_database WHERE datname LIKE $1', [`${template}%`]);
  for (const { datname } of rows) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  await admin.end();
}
