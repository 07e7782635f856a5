import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const bench = join(import.meta.dirname, '..');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const wanted = () => Object.entries(read(join(bench, 'package-lock.json')).packages).filter(([path]) => path);

/** Packages of the lock file that are not installed, without those for other platforms. */
export function missing() {
  return wanted()
    .filter(([path, { version, optional }]) => {
      const manifest = join(bench, path, 'package.json');
      return existsSync(manifest) ? read(manifest).version !== version : !optional;
    })
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
}

/** The measured versions of the packages that `package.json` names. */
export function versions() {
  const { dependencies } = read(join(bench, 'package.json'));
  const versionOf = (name) => read(join(bench, 'node_modules', name, 'package.json')).version;
  return Object.fromEntries(Object.keys(dependencies).map((name) => [name, versionOf(name)]));
}

/** Installs the peers next to the benchmarks if they are missing. */
export function install() {
  const absent = missing();
  if (absent.length === 0) return;
  console.log(`Installing the peers (${absent.length} packages) into bench/node_modules`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: bench, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0 && missing().length === 0) return;
  console.error(
    'The peers could not be installed, and nothing was measured. They come from the package registry: run `npm ci` in bench/\n' +
      'where there is a network, and `npm run bench -- peers` again. The service itself needs none of them.',
  );
  process.exit(1);
}
