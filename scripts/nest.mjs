/**
 * Runs `nest build`, `nest start` and `nest g` in a copy of the sources. They must build the same files as
 * `npm run build`, run the service, and create new files where the house style expects them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build } from './build.mjs';
import { installPackages } from './packages.mjs';
import { listening } from './starting.mjs';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'gatehouse-nest-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));

function demand(isSo, message) {
  if (!isSo) throw new Error(message);
}

await build({ types: true });
const SOURCES = ['src', 'test/support', 'ormconfig.ts', 'tsconfig.build.json', 'nest-cli.json', 'package.json'];
mkdirSync(join(copy, 'test'));
// Only `npm run build` builds the pages and the guides.
for (const built of ['web', 'guides']) {
  const from = join(root, 'dist', built);
  if (existsSync(from)) cpSync(from, join(copy, 'dist', built), { recursive: true });
}
for (const path of SOURCES) cpSync(join(root, path), join(copy, path), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

installPackages('scripts');
const cli = join(createRequire(import.meta.url).resolve('@nestjs/cli/package.json'), '../bin/nest.js');
function nest(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: copy, encoding: 'utf8' });
  demand(status === 0, `nest ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

nest('build');
// Only `npm run build` copies and compresses the files of the API reference. Without them, the service reads the sources.
const OF_THE_BUILD_ITSELF =
  /^(?:\..*stamp|\.tsbuildinfo|database\.snapshot|service\/.*|src\/service\/static\/(?:.*\.(?:br|gz)|swagger-ui.*|tokens\.css))$/;
const built = filesIn(join(root, 'dist')).filter((path) => !OF_THE_BUILD_ITSELF.test(path));
for (const path of built) {
  const [there, here] = [join(copy, 'dist', path), join(root, 'dist', path)];
  demand(existsSync(there), `nest build left ${path} out`);
  // Nest compiles with TypeScript, and `npm run build` transpiles. Only copied files are equal.
  if (/\.(?:d\.ts|js|js\.map)$/.test(path)) continue;
  demand(readFileSync(there).equals(readFileSync(here)), `nest build made another ${path}`);
}
const more = filesIn(join(copy, 'dist')).filter((path) => !OF_THE_BUILD_ITSELF.test(path) && !built.includes(path));
demand(more.length === 0, `nest build made ${more}`);

// The module comes first, because Nest registers the following classes in the module of their folder.
const GENERATED = {
  module: ['cakes/cakes', 'src/cakes/cakes.module.ts'],
  controller: ['cakes/recipes', 'src/cakes/recipes.controller.ts'],
  service: ['cakes/recipes', 'src/cakes/recipes.service.ts'],
  provider: ['cakes/oven', 'src/cakes/oven.ts'],
  class: ['cakes/recipe-input', 'src/cakes/recipe-input.ts'],
  interface: ['cakes/recipe', 'src/cakes/recipe.interface.ts'],
};
demand(nest('g', 'controller', 'cakes', '--dry-run').includes('src/cakes.controller.ts'), 'a dry run tells no path');
for (const [schematic, [name, path]] of Object.entries(GENERATED)) {
  const before = filesIn(join(copy, 'src'));
  nest('g', schematic, name);
  const created = filesIn(join(copy, 'src')).filter((file) => !before.includes(file));
  demand(created.join() === relative('src', path), `nest g ${schematic} ${name} created ${created}, not ${path}`);
}
const module = readFileSync(join(copy, 'src/cakes/cakes.module.ts'), 'utf8');
for (const name of ['RecipesController', 'RecipesService', 'Oven']) {
  demand(module.includes(`import { ${name} }`), `${name} was not entered into its module:\n${module}`);
}

// As in a terminal, the command gets its own process group, and the signal goes to the whole group.
const service = spawn(process.execPath, [cli, 'start'], {
  cwd: copy,
  env: { ...process.env, PORT: '0', MAX_LOOP_DELAY_MS: '0', DATA_DIR: join(copy, 'data') },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
const stop = (signal) => {
  try {
    process.kill(-service.pid, signal);
  } catch {
    // It has already exited.
  }
};
process.on('exit', () => stop('SIGKILL'));
setTimeout(() => demand(false, `nest start neither serves nor ends:\n${out}`), 600_000).unref();
const ended = once(service, 'close');
let out = '';
service.stdout.on('data', (chunk) => {
  out += chunk;
});
const { port } = new URL(await listening(service));
const { ok } = await fetch(`http://127.0.0.1:${port}/health/ready`);
demand(ok, 'what nest start started is not ready');
stop('SIGTERM');
await ended;
demand(out.includes('shutting down'), `nest start ended badly:\n${out}`);
console.log('nest build, nest start and nest g do what they shall');
