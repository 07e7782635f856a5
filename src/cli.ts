#!/usr/bin/env node
import { execute } from './cli/execute.js';

const code = await execute(process.argv.slice(2), {
  env: process.env,
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
// Whatever still waits in this process, the command is done once its output is written.
process.stdout.write('', () => process.exit(code));
