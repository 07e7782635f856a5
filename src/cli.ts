#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { execute } from './cli/execute.js';
import { asker } from './cli/terminal/ask.js';
import { extensionOf, projectAt } from './cli/terminal/project.js';
import { exitCalmly } from './core/calm-exit.js';

const folder = process.cwd();
const project = projectAt(folder);
// As the service of the project: paths of its settings are relative to its folder.
if (project) process.chdir(project.folder);
if (existsSync('.env')) process.loadEnvFile('.env');
const code = await execute(process.argv.slice(2), {
  env: process.env,
  folder,
  ...(project ? { findExtension: () => extensionOf(project) } : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask: asker(process.stdin, process.stdout) } : {}),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
// Whatever still waits in this process, the command is done once its output is written.
process.stdout.write('', () => {
  exitCalmly(code).catch(() => process.exit(code));
});
