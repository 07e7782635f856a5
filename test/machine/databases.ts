import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { copyOfTemplate } from '../support/gatehouse.js';
import { preparedDirectory } from './service-process.js';

/** A database of one's own on the server of `TEST_DATABASE_URL`, empty; the run removes it at its end. */
export async function emptyDatabase(): Promise<string> {
  const { GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server = '' } = process.env;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Settings of a process for a migrated database of its own, which the run removes at its end: making one is half of what
 * a first start costs.
 */
export async function migratedDatabase(): Promise<Record<string, string>> {
  const DATABASE_URL = await copyOfTemplate();
  if (DATABASE_URL) return { DATABASE_URL };
  const { GATEHOUSE_TEST_DIR: run = tmpdir() } = process.env;
  return { DATA_DIR: preparedDirectory(mkdtempSync(join(run, 'data-'))) };
}

/** One statement on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
