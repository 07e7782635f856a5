#!/usr/bin/env node
import './core/require-node.cjs';
import { existsSync } from 'node:fs';

// Static imports would fail on an old version of Node before it is reported.
const [{ execute }, { createPrompt }, { findProject, loadExtension }, { exitSafely }] = await Promise.all([
  import('./cli/execute.js'),
  import('./cli/terminal/ask.js'),
  import('./cli/terminal/project.js'),
  import('./core/exit-safely.js'),
]);

const folder = process.cwd();
const project = findProject(folder);
// Like the service of the project, because paths in its settings are relative to its folder.
if (project) process.chdir(project.folder);
if (existsSync('.env')) process.loadEnvFile('.env');
const err = (line: string) => console.error(line);
const code = await execute(process.argv.slice(2), {
  env: process.env,
  folder,
  ...(project ? { findExtension: () => loadExtension(project, err) } : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask: createPrompt(process.stdin, process.stdout) } : {}),
  out: (line) => console.log(line),
  err,
});
// The command is finished once its output is written, even if other work is pending.
process.stdout.write('', () => {
  exitSafely(code).catch(() => process.exit(code));
});
