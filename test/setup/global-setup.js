import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { fingerprint as fingerprintOfSources } from '../../scripts/build.mjs';

register('./typescript-hooks.js', import.meta.url);
const { databaseSchema, loadConfig } = await import('../../src/features.ts');
const { Database } = await import('../../src/platform/database/database.ts');
const { Pooler } = await import('../machine/poolers.ts');

const ROOT = join(import.meta.dirname, '../..');

/** The hash of all files that define the embedded template. If it is unchanged, the cached template is used. */
function fingerprint() {
  const migrations = join(ROOT, 'src/migrations');
  const hash = createHash('sha256');
  for (const name of readdirSync(migrations).sort()) hash.update(readFileSync(join(migrations, name)));
  for (const path of [
    'src/platform/database/data-source-options.ts',
    'src/platform/database/database.ts',
    'src/platform/database/embedded.ts',
    'package-lock.json',
  ]) {
    hash.update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

/**
 * Returns the folder of the embedded template. `template.tar` is loaded into databases in memory, and `database` is
 * copied into the data directories of processes. Creating a new database costs more than the rest of a start.
 */
async function embeddedTemplate(env) {
  const folder = join(ROOT, 'node_modules/.cache/gatehouse-test', fingerprint());
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const database = await Database.open(loadConfig({ ...env, DATA_DIR: unfinished }), databaseSchema());
  await database.migrate();
  const dump = await database.dump();
  await database.close();
  writeFileSync(join(unfinished, 'template.tar'), Buffer.from(await dump.arrayBuffer()));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another run created the folder first.
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** The hash of all files that the compiler reads for the projects in `test/fixtures`. */
function stateOfFixtures() {
  const hash = createHash('sha256').update(fingerprintOfSources('src', 'client', 'test/fixtures'));
  for (const path of ['tsconfig.json', 'dist/.stamp']) {
    if (existsSync(join(ROOT, path))) hash.update(path).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

/**
 * Creates one migrated database for the whole run. Every test file gets a copy of it. It is a template database if
 * `TEST_DATABASE_URL` names a server, otherwise a dump of the embedded database.
 */
export default async function setUp() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  process.env.GATEHOUSE_TEST_DIR = directory;
  process.env.GATEHOUSE_TEST_SECRET = randomBytes(32).toString('base64');
  const server = process.env.TEST_DATABASE_URL;
  const env = { NODE_ENV: 'test', GATEHOUSE_SECRET: process.env.GATEHOUSE_TEST_SECRET, DATA_DIR: directory };
  process.env.GATEHOUSE_TEST_STATE = stateOfFixtures();
  process.env.GATEHOUSE_TEST_EMBEDDED = await embeddedTemplate(env);
  if (!server) return;
  const name = `gatehouse_test_${process.pid}_${randomBytes(3).toString('hex')}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  process.env.GATEHOUSE_TEST_TEMPLATE = name;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = await Database.open(loadConfig({ ...env, DATABASE_URL: url.href }), databaseSchema());
  await database.migrate();
  await database.close();
  if (!process.env.TEST_POOLER) return;
  const pooler = await Pooler.start(server, process.env.TEST_POOLER);
  globalThis[Symbol.for('gatehouse.pooler')] = pooler;
  process.env.GATEHOUSE_TEST_POOLER = pooler.url;
}
