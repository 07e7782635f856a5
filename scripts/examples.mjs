/**
 * Adds responses that were recorded during a test run to the OpenAPI document, as examples:
 * `RECORD_ANSWERS=<folder> npm run test:all && npm run examples -- <folder>`. Existing examples are kept, unless you
 * add `--all`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const { readDescriptions } = await import('../dist/src/app.js');
const { loadConfig } = await import('../dist/src/features.js');

const FILE = join(import.meta.dirname, '../src/description/answers.json');
/** Counts the members that have a value. Only the first item of a list counts. */
function membersOf(value) {
  if (Array.isArray(value)) return value.length > 0 ? membersOf(value[0]) : 0;
  if (typeof value !== 'object' || value === null) return value === null ? 0 : 1;
  return Object.values(value).reduce((sum, member) => sum + membersOf(member), 0);
}

const { api } = await readDescriptions(loadConfig({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') }));
const operations = new Set(
  Object.values(api.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId)),
);

const [folder, all] = process.argv.slice(2);
if (!folder) throw new Error('a folder of recorded answers is needed');

const known = existsSync(FILE) && all !== '--all' ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
const found = {};
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
    if (line === '') continue;
    const { operation, status, body } = JSON.parse(line);
    const key = `${operation} ${status}`;
    if (!operations.has(operation)) continue;
    const rank = [membersOf(body), -JSON.stringify(body).length];
    // Prefer the response with the most values, and among those the shortest one.
    const isBetter =
      !found[key] || rank[0] > found[key].rank[0] || (rank[0] === found[key].rank[0] && rank[1] > found[key].rank[1]);
    if (isBetter) found[key] = { rank, body };
  }
}
for (const [key, { body }] of Object.entries(found)) known[key] ??= body;
const sorted = Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
console.log(`${Object.keys(sorted).length} answers`);
process.exit(0);
