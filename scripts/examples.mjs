/**
 * Puts answers that a run of the suite got into the description, as what operations answer:
 * `RECORD_ANSWERS=<folder> npm test && npm run examples -- <folder>`. Examples that are there already stay, unless
 * `--all` is said.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../src/description/answers.json');
const [folder, all] = process.argv.slice(2);
if (!folder) throw new Error('a folder of recorded answers is needed');

const known = existsSync(FILE) && all !== '--all' ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
const found = {};
for (const name of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
    if (line === '') continue;
    const { operation, status, body } = JSON.parse(line);
    const key = `${operation} ${status}`;
    const size = JSON.stringify(body).length;
    // The one that shows most.
    if (!found[key] || size > found[key].size) found[key] = { size, body };
  }
}
for (const [key, { body }] of Object.entries(found)) known[key] ??= body;
const sorted = Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
console.log(`${Object.keys(sorted).length} answers`);
