import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { copyTemplate } from '../support/gatehouse.js';
import { statementsForPooler, withoutPooler } from '../support/pooled.js';
import { preparedDirectory } from './service-process.js';

/** Creates an empty database on the server of `TEST_DATABASE_URL`. The test run deletes it at its end. */
export async function emptyDatabase(): Promise<string> {
  const { GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server = '' } = process.env;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await query(server, `CREATE DATABASE ${name}`);
  for (const statement of statementsForPooler(name)) await query(server, statement);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Settings that give a process its own migrated database. The test run deletes the database at its end. Running the
 * migrations would take half the time of a first start.
 */
export async function migratedDatabase(): Promise<Record<string, string>> {
  const DATABASE_URL = await copyTemplate();
  if (DATABASE_URL) return { DATABASE_URL };
  const { GATEHOUSE_TEST_DIR: run = tmpdir() } = process.env;
  return { DATA_DIR: preparedDirectory(mkdtempSync(join(run, 'data-'))) };
}

/** Runs one statement on its own connection. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(withoutPooler(url));
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
