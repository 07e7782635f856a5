/** Creates the database that the first start unpacks: `dist/database.snapshot`. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseSchema, loadConfig } from '../dist/src/features.js';
import { Database } from '../dist/src/platform/database/database.js';
import { packSnapshot, snapshotKey } from '../dist/src/platform/database/snapshot.js';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-snapshot-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
// Runs only the migrations, so the database contains no data that the service creates. Nothing uses the key.
const env = { DATA_DIR: directory, GATEHOUSE_SECRET: Buffer.alloc(32, 1).toString('base64') };
const database = await Database.open(loadConfig(env), databaseSchema());
await database.migrate();
const [{ names }] = database.migrations;
await database.manager.query('CHECKPOINT');
await database.close();
const file = join(import.meta.dirname, '..', 'dist', 'database.snapshot');
writeFileSync(file, packSnapshot(join(directory, 'database'), snapshotKey(names)));
// Opening the database made new files accessible only to their owner. The user of an image also needs to read this one.
chmodSync(file, 0o644);
process.exit();
