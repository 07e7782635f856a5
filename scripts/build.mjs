/** Compiles the sources if they changed since the last build; `--force` compiles in any case. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'dist', '.stamp');

function* sources(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else yield path;
  }
}

function fingerprint() {
  const hash = createHash('sha256');
  const files = [...sources(join(root, 'src')), ...sources(join(root, 'test', 'support'))];
  for (const name of ['ormconfig.ts', 'tsconfig.build.json', 'package-lock.json']) files.push(join(root, name));
  for (const path of files.sort()) hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex');
}

/** Static files are served as they are: they go beside the compiled code. */
function copyStatic() {
  for (const path of sources(join(root, 'src'))) {
    if (path.endsWith('.ts')) continue;
    const target = join(root, 'dist', path.slice(root.length));
    mkdirSync(join(target, '..'), { recursive: true });
    cpSync(path, target);
  }
}

export function build(force = false) {
  const current = fingerprint();
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return;
  if (force) rmSync(join(root, 'dist'), { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  copyStatic();
  chmodSync(join(root, 'dist', 'src', 'cli.js'), 0o755);
  writeFileSync(stamp, current);
}

if (process.argv[1] === import.meta.filename) build(process.argv.includes('--force'));
