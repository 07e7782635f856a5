import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../dist/src/config.js';
import { Database } from '../../dist/src/platform/database.js';

/**
 * One migrated database for the whole run, from which every test file gets a copy: a template database where
 * `TEST_DATABASE_URL` names a server, else a dump of the embedded one.
 */
export default async function setUp() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  process.env.GATEHOUSE_TEST_DIR = directory;
  process.env.GATEHOUSE_TEST_SECRET = randomBytes(32).toString('base64');
  const server = process.env.TEST_DATABASE_URL;
  const env = { NODE_ENV: 'test', GATEHOUSE_SECRET: process.env.GATEHOUSE_TEST_SECRET, DATA_DIR: directory };
  if (server) {
    const name = `gatehouse_test_${process.pid}_${randomBytes(3).toString('hex')}`;
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    process.env.GATEHOUSE_TEST_TEMPLATE = name;
    const url = new URL(server);
    url.pathname = `/${name}`;
    const database = await Database.open(loadConfig({ ...env, DATABASE_URL: url.href }));
    await database.migrate();
    await database.close();
    return;
  }
  const database = await Database.open(loadConfig(env));
  await database.migrate();
  const dump = await database.dump();
  writeFileSync(join(directory, 'template.tar'), Buffer.from(await dump.arrayBuffer()));
  await database.close();
}
