/**
 * Installs the packages of folders that have their own lock file (`scripts`, `test`), if the installed packages do not
 * match it: `node scripts/packages.mjs <folder>...`
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

/** Folders whose packages `npm ci` does not install, so that a checkout is ready quickly. */
export const FOLDERS = ['scripts', 'test'];

/** @throws Error if npm fails */
export function installPackages(folder) {
  const cwd = join(root, folder);
  const stamp = join(cwd, 'node_modules', '.lock-digest');
  const digest = createHash('sha256')
    .update(readFileSync(join(cwd, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  console.error(`Installing the packages of ${folder} ...`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`);
  writeFileSync(stamp, digest);
}

/**
 * Imports a package of one of these folders, and installs it first if necessary.
 * @returns its default export, if it has one
 */
export async function importFrom(folder, name) {
  installPackages(folder);
  const { resolve } = createRequire(join(root, folder, 'package.json'));
  const module = await import(pathToFileURL(resolve(name)).href);
  return module.default ?? module;
}

if (process.argv[1] === import.meta.filename) process.argv.slice(2).forEach(installPackages);
