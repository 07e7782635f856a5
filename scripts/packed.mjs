/** Installs the packages like an extension project does, with only the packages that they and the project declare. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installPackages } from './packages.mjs';

const root = join(import.meta.dirname, '..');
const packageIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

const SERVER = '@gatehouse-auth/server';
const CLIENT = '@gatehouse-auth/client';
const FOLDERS = { [SERVER]: root, [CLIENT]: join(root, 'client') };

/** Packs the built server and client. @returns path and size in bytes of each tarball, by package name */
export function pack(folder) {
  const args = [
    'pack',
    '--ignore-scripts',
    '--json',
    '--loglevel=error',
    '--workspaces=false',
    '--pack-destination',
    folder,
  ];
  const packed = Object.entries(FOLDERS).map(([name, from]) => {
    const [{ filename, size }] = JSON.parse(run('npm', args, from));
    return [name, { path: join(folder, filename), size }];
  });
  return Object.fromEntries(packed);
}

function link(project, name) {
  const to = join(project, 'node_modules', name);
  if (existsSync(to)) return;
  const from = ['', 'scripts'].map((folder) => join(root, folder, 'node_modules', name)).find(existsSync);
  if (!from) throw new Error(`${name} is declared, and not installed`);
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

function linkCommands(project, name) {
  const folder = join(project, 'node_modules', name);
  const { bin = {}, name: own } = packageIn(folder);
  const commands = typeof bin === 'string' ? { [own.split('/').pop()]: bin } : bin;
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  for (const [command, path] of Object.entries(commands)) {
    const at = join(project, 'node_modules/.bin', command);
    if (!existsSync(at)) symlinkSync(join(folder, path), at);
  }
}

function unpack(project, name, { path }) {
  const home = join(project, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  run('tar', ['-xzf', path, '-C', home, '--strip-components=1'], project);
  return packageIn(home);
}

/**
 * Unpacks the tarballs into a project. The packages that the project and the tarballs declare come from this checkout,
 * one copy of each. Other packages are not available. Needs no registry.
 * @throws Error if the project requires another version of a package than Gatehouse
 */
export function install(project, tarballs) {
  installPackages('scripts');
  const [packed] = Object.entries(tarballs).map(([name, tarball]) => unpack(project, name, tarball));
  const { dependencies = {}, devDependencies = {} } = packageIn(project);
  const { [SERVER]: _server, [CLIENT]: _client, ...wanted } = { ...devDependencies, ...dependencies };
  const tools = packageIn(join(root, 'scripts')).devDependencies;
  const ours = { ...tools, ...packed.devDependencies, ...packed.dependencies, ...packed.peerDependencies };
  for (const [name, range] of Object.entries(wanted)) {
    if (ours[name] !== range) throw new Error(`${name}: the project wants ${range}, and Gatehouse ${ours[name]}`);
  }
  const isOptional = (name) => packed.peerDependenciesMeta?.[name]?.optional === true;
  const peers = Object.keys(packed.peerDependencies ?? {}).filter((name) => !isOptional(name));
  for (const name of [...Object.keys(wanted), ...Object.keys(packed.dependencies), ...peers]) link(project, name);
  for (const name of [SERVER, ...Object.keys(wanted)]) linkCommands(project, name);
}
