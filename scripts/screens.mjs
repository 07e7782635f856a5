/**
 * Takes screenshots of every page in every state that the tests reach, and saves them in a folder for manual review.
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const folder = resolve(process.argv[2] ?? 'screens');
const test = join(import.meta.dirname, 'test.mjs');
const { status } = spawnSync(process.execPath, [test, '--testPathPatterns', 'test/pages'], {
  stdio: 'inherit',
  env: { ...process.env, SCREENS: folder },
});
console.log(`The pictures are in ${folder}.`);
process.exit(status ?? 1);
