import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Replica } from './replica.mjs';

const root = join(import.meta.dirname, '..', '..');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The entry points of the service in different versions, newest first. */
const ENTRIES = ['dist/service/main.cjs', 'dist/src/main.cjs', 'dist/src/main.js'];

/** The build of the service in a folder. */
export class Version {
  constructor(name, folder) {
    this.name = name;
    this.folder = folder;
  }

  static newest = new Version('new', root);

  start(env) {
    const entry = ENTRIES.map((path) => join(this.folder, path)).find((path) => existsSync(path));
    return Replica.start(this, entry, env);
  }

  /** Returns the output of `gatehouse migrate`. */
  async migrate(env) {
    const cli = join(this.folder, 'dist/src/cli.js');
    const child = spawn(process.execPath, [cli, 'migrate'], {
      env,
      cwd: env.DATA_DIR,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`gatehouse migrate ended with ${code}: ${said}`);
    return said.trim();
  }
}

/** The newest tag. If there is none, the last commit before package.json got its current version. */
export function lastRelease() {
  const { status, stdout } = spawnSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return stdout.trim();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const since = git('log', '-1', '--first-parent', '--format=%H', `-S"version": "${version}"`, '--', 'package.json');
  return `${since}^`;
}

function run(folder, command, ...args) {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} of the old version ended with ${status}`);
}

/**
 * Installs the packages of the lock file. If this checkout has the same lock file, it links the packages of this
 * checkout.
 */
function installed(folder) {
  if (existsSync(join(folder, 'node_modules'))) return 'packages as they were left';
  const lockOf = (place) => readFileSync(join(place, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(root)) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return 'packages of this checkout';
  }
  run(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error');
  return 'packages of its own';
}

/** Unpacks and builds a commit. If an earlier run left a build in the folder, only the differences are built. */
export function built(ref, folder) {
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
  const archive = `${folder}.tar`;
  mkdirSync(folder, { recursive: true });
  git('archive', '--output', archive, commit);
  run(folder, 'tar', '-xf', archive);
  rmSync(archive);
  const how = installed(folder);
  run(folder, process.execPath, 'scripts/build.mjs');
  const name = git('describe', '--tags', '--always', commit);
  console.log(`old: ${name} (${git('show', '-s', '--format=%s', commit)}), with ${how}`);
  return new Version('old', folder);
}
