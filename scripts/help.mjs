/**
 * Prints the first doc comment of a script that is called with `-h` or `--help`, and exits before the script does
 * anything.
 */
import { readFileSync, realpathSync } from 'node:fs';

/** @param file the path of the script; the function does nothing if another script was called */
export function answerHelp(file) {
  const [, called, ...args] = process.argv;
  if (realpathSync(called) !== realpathSync(file) || !args.some((arg) => arg === '-h' || arg === '--help')) return;
  const [, text = ''] = /\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, 'utf8')) ?? [];
  console.log(text.replace(/^ *\* ?/gm, '').trim());
  process.exit(0);
}
