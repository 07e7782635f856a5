/**
 * Builds what has changed since the last build, without checking types.
 *
 *   --types   also checks types and writes declarations, which only packages and their tests need
 *   --force   builds everything again, like after a new checkout, with `--types`
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const BUILT = ['src', 'test/support'];
/** The folders of the packages for other programs. */
const PACKAGES = ['client', 'verify'];
const MADE_WITH = [
  'ormconfig.ts',
  'tsconfig.build.json',
  'package-lock.json',
  'scripts/bundle.mjs',
  'scripts/snapshot.mjs',
  'scripts/transpile.mjs',
  'web/kit/tokens.css',
];
const stamp = join(root, 'dist', '.stamp');
const serviceStamp = join(root, 'dist', '.service-stamp');
const snapshotStamp = join(root, 'dist', '.snapshot-stamp');
const typesStamp = join(root, 'dist', '.types-stamp');
const packagesStamp = join(root, 'dist', '.packages-stamp');
const guidesStamp = join(root, 'dist', '.guides-stamp');
export const webStamp = join(root, 'dist', '.web-stamp');

export function* sources(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) yield path;
    else if (entry.name !== 'dist') yield* sources(path);
  }
}

/** A hash of the sources in some folders and of everything that they are compiled with. */
export function fingerprint(...folders) {
  const hash = createHash('sha256');
  const files = folders.flatMap((folder) => [...sources(join(root, folder))]);
  for (const name of MADE_WITH) files.push(join(root, name));
  for (const path of files.sort()) hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex');
}

/** Files that the API reference uses, besides those in `src`. */
const FILES_OF_DOCS = [
  'node_modules/swagger-ui-dist/swagger-ui.css',
  'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
  'web/kit/tokens.css',
];

/** Copies static files next to the compiled code, because the service serves them unchanged. */
async function copyStatic() {
  for (const path of sources(join(root, 'src'))) {
    if (path.endsWith('.ts')) continue;
    const target = join(root, 'dist', path.slice(root.length));
    mkdirSync(join(target, '..'), { recursive: true });
    cpSync(path, target);
  }
  for (const path of FILES_OF_DOCS) cpSync(join(root, path), join(root, 'dist/src/service/static', basename(path)));
  await compress(join(root, 'dist/src/service/static'), 9);
}

const isCompiled = (path) => path.endsWith('.ts') && !/(?:spec|\.d)\.ts$/.test(path);

/** Transpiles the sources, like `tsc -p tsconfig.build.json` without its checks and declarations. */
async function compile() {
  const { transpile } = await import('./transpile.mjs');
  const files = BUILT.flatMap((folder) => [...sources(join(root, folder))]).filter(isCompiled);
  const targetOf = (path) => join(root, 'dist', path.slice(root.length).replace(/ts$/, 'js'));
  await Promise.all([...files, join(root, 'ormconfig.ts')].map((path) => transpile(path, targetOf(path))));
}

/** Deletes build output whose source no longer exists, because it would become a part of the package. */
function sweep() {
  for (const folder of BUILT) {
    for (const path of sources(join(root, 'dist', folder))) {
      if (path.startsWith(join(root, 'dist/src/service/static/'))) continue;
      const copied = join(root, path.slice(join(root, 'dist').length));
      const compiled = copied.replace(/(?:\.d)?\.[jt]s(?:\.map)?$/, '.ts');
      if (!existsSync(copied) && !existsSync(compiled)) rmSync(path);
    }
  }
}

/** Compresses files once at build time, because they are served many times. @param quality of Brotli. 11 takes twice as long as 10 for 2 % less */
export async function compress(folder, quality = 10) {
  const compressed = async (path) => {
    const bytes = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    const [br, gz] = [promisify(brotliCompress)(bytes, { params }), promisify(gzip)(bytes, { level: 9 })];
    writeFileSync(`${path}.br`, await br);
    writeFileSync(`${path}.gz`, await gz);
  };
  const files = [...sources(folder)].filter((path) => !/\.(?:br|gz)$/.test(path));
  await Promise.all(files.map(compressed));
}

/** Runs a Node program. Exits if it fails. */
async function run(args, stdio) {
  const [status] = await once(spawn(process.execPath, args, { cwd: root, stdio }), 'exit');
  if (status !== 0) process.exit(status ?? 1);
}

/** Builds the pages if they, or the client that they use, have changed. */
async function buildPages() {
  const current = fingerprint('web', 'client');
  if (isStamped(webStamp, current)) return;
  // Runs in a separate process, because Vite switches its process to production mode.
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', 'web/vite.config.ts', '--logLevel', 'warn'];
  await run(vite, ['ignore', 'ignore', 'inherit']);
  await compress(join(root, 'dist', 'web', 'assets'));
  writeFileSync(webStamp, current);
}

/** Builds the packages for other programs if one of them has changed. */
async function buildPackages() {
  const current = fingerprint(...PACKAGES);
  if (isStamped(packagesStamp, current)) return;
  for (const folder of PACKAGES) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  const { transpile } = await import('./transpile.mjs');
  const built = PACKAGES.flatMap((folder) => {
    const target = (path) => join(root, folder, 'dist', path.slice(join(root, folder).length).replace(/ts$/, 'js'));
    return [...sources(join(root, folder))].filter(isCompiled).map((path) => transpile(path, target(path), false));
  });
  await Promise.all(built);
  writeFileSync(packagesStamp, current);
}

/** Builds the snapshot that the first start unpacks as embedded database, if its sources have changed. */
async function buildSnapshot() {
  const current = fingerprint('src/migrations', 'src/platform/database');
  if (isStamped(snapshotStamp, current)) return;
  rmSync(join(root, 'dist', 'database.snapshot'), { force: true });
  // Runs in a separate process, because creating a database needs hundreds of megabytes.
  await run(['scripts/snapshot.mjs'], 'inherit');
  writeFileSync(snapshotStamp, current);
}

/** Builds the site of guides. Its reference is read from a service, which needs the compiled modules and the pages. */
async function buildGuides(pages) {
  const hash = createHash('sha256').update(fingerprint('src', 'docs', 'scripts/guides', 'examples'));
  for (const name of readdirSync(root).filter((file) => file.endsWith('.md')))
    hash.update(readFileSync(join(root, name)));
  const current = hash.digest('hex');
  if (isStamped(guidesStamp, current)) return;
  await pages;
  await run(['scripts/docs.mjs', '--built'], ['ignore', 'ignore', 'inherit']);
  writeFileSync(guidesStamp, current);
}

/** Checks types and writes the declarations of all packages. */
async function buildTypes() {
  const current = fingerprint(...BUILT, ...PACKAGES);
  if (isStamped(typesStamp, current)) return;
  const tsc = ['node_modules/typescript/bin/tsc', '--pretty', '--emitDeclarationOnly', '-p'];
  await Promise.all(['tsconfig.build.json', ...PACKAGES].map((project) => run([...tsc, project], 'inherit')));
  writeFileSync(typesStamp, current);
}

const isStamped = (path, current) => existsSync(path) && readFileSync(path, 'utf8') === current;

/** Builds the modules and everything that is made by running them. */
async function buildModules(current, pages, guides) {
  if (!isStamped(stamp, current)) {
    await compile();
    await copyStatic();
    sweep();
    chmodSync(join(root, 'dist', 'src', 'cli.js'), 0o755);
    writeFileSync(stamp, current);
  }
  // The guides and the snapshot are made in separate processes, while this one bundles.
  await Promise.all([guides && buildGuides(pages), buildSnapshot(), buildService(current)]);
}

async function buildService(current) {
  if (process.env.PAGES_WATCHED !== undefined || isStamped(serviceStamp, current)) return;
  const { bundle } = await import('./bundle.mjs');
  await bundle();
  writeFileSync(serviceStamp, current);
}

/**
 * Builds what has changed. @param force builds everything again, and implies `types`
 * @param types also checks types and writes declarations
 * @param guides also builds the site of guides, unless pages are built when they change
 */
export async function build({ force = false, types = force, guides = process.env.PAGES_WATCHED === undefined } = {}) {
  if (force) rmSync(join(root, 'dist'), { recursive: true, force: true });
  mkdirSync(join(root, 'dist'), { recursive: true });
  // `npm run dev` builds the pages when they change. It starts from the modules, which are ready sooner than the
  // bundle.
  const pages = process.env.PAGES_WATCHED === undefined ? buildPages() : undefined;
  const declarations = types ? buildTypes() : undefined;
  await Promise.all([pages, buildPackages(), buildModules(fingerprint(...BUILT), pages, guides), declarations]);
}

if (process.argv[1] === import.meta.filename) {
  await build({ force: process.argv.includes('--force'), types: process.argv.includes('--types') || undefined });
}
