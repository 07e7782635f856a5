import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResponse } from './exchange.js';

/** The folder in which responses are recorded for `npm run examples`, if set. */
const FOLDER = process.env.RECORD_ANSWERS;
const LONGEST = 1500;
/** A long string without spaces may be a secret in any member. */
const LONG_WORD = /[A-Za-z0-9_-]{30,}/g;

const SECRET = /token(?!_type)|secret|key$|^ticket|proof$|^nonce$|^challenge$|^code$|^backup_codes$|hash/;

/** Replaces the characters of all secrets in a response. Their format stays visible. */
function masked(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    return SECRET.test(name) && !URL.canParse(value)
      ? value.replace(/[A-Za-z0-9]/g, 'x')
      : value.replace(LONG_WORD, (word) => 'x'.repeat(word.length));
  }
  if (Array.isArray(value)) return value.slice(0, 2).map((item) => masked(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, masked(member, key)]));
}

/** Records a successful response as an example for its operation. */
export function recordResponse(operation: string, { status, headers, body, text }: TestResponse): void {
  if (FOLDER === undefined || status >= 300 || text.length > LONGEST) return;
  if (!headers.get('content-type')?.startsWith('application/json')) return;
  const line = JSON.stringify({ operation, status, body: masked(body) });
  appendFileSync(join(FOLDER, `${process.pid}.jsonl`), `${line}\n`);
}
