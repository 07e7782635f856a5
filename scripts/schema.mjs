/**
 * `npm run -s schema > test/schema.snapshot.sql`: prints the schema that the migrations create in an empty database.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { build } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

await build();
const { schemaOf } = await import('../dist/test/support/schema.js');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-schema-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const env = { PATH: process.env.PATH, DATA_DIR: directory, GATEHOUSE_SECRET: randomBytes(32).toString('base64') };
const cli = join(import.meta.dirname, '..', 'dist', 'src', 'cli.js');
const { status, stderr } = spawnSync(process.execPath, [cli, 'migrate'], { env, cwd: directory, encoding: 'utf8' });
if (status !== 0) throw new Error(`the migrations failed: ${stderr}`);
const database = await PGlite.create(join(directory, 'database'));
process.stdout.write(await schemaOf(async (text) => (await database.query(text)).rows));
await database.close();
