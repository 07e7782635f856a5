#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { execute } from './cli/execute.js';
import { createPrompt } from './cli/terminal/ask.js';
import { findProject, loadExtension } from './cli/terminal/project.js';
import { exitSafely } from './core/exit-safely.js';

const folder = process.cwd();
const project = findProject(folder);
// Like the service of the project, because paths in its settings are relative to its folder.
if (project) process.chdir(project.folder);
if (existsSync('.env')) process.loadEnvFile('.env');
const code = await execute(process.argv.slice(2), {
  env: process.env,
  folder,
  ...(project ? { findExtension: () => loadExtension(project) } : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask: createPrompt(process.stdin, process.stdout) } : {}),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
// The command is finished once its output is written, even if other work is pending.
process.stdout.write('', () => {
  exitSafely(code).catch(() => process.exit(code));
});
