import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of one's own on the server of `TEST_DATABASE_URL`, empty; the run removes it at its end. */
export async function emptyDatabase(): Promise<string> {
  const { GATEHOUSE_TEST_TEMPLATE: template, TEST_DATABASE_URL: server = '' } = process.env;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
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
