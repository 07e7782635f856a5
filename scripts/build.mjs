/** Compiles the sources if they have changed since the last build. `--force` always compiles. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const BUILT = ['src', 'test/support'];
const MADE_WITH = [
  'ormconfig.ts',
  'tsconfig.build.json',
  'package-lock.json',
  'scripts/bundle.mjs',
  'scripts/snapshot.mjs',
];
const stamp = join(root, 'dist', '.stamp');
const serviceStamp = join(root, 'dist', '.service-stamp');
const snapshotStamp = join(root, 'dist', '.snapshot-stamp');
const clientStamp = join(root, 'dist', '.client-stamp');
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

/** Copies static files next to the compiled code, because the service serves them unchanged. */
function copyStatic() {
  for (const path of sources(join(root, 'src'))) {
    if (path.endsWith('.ts')) continue;
    const target = join(root, 'dist', path.slice(root.length));
    mkdirSync(join(target, '..'), { recursive: true });
    cpSync(path, target);
  }
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    cpSync(join(root, 'node_modules/swagger-ui-dist', name), join(root, 'dist/src/service/static', name));
  }
}

/** Compiles what has changed, like `tsc -p tsconfig.build.json`. */
function compile(ts) {
  const path = join(root, 'tsconfig.build.json');
  const read = ts.getParsedCommandLineOfConfigFile(path, {}, ts.sys);
  const program = ts.createIncrementalProgram({
    rootNames: read.fileNames,
    options: read.options,
    configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(read),
  });
  const faults = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ];
  const { diagnostics } = program.emit();
  const host = { ...ts.sys, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext([...faults, ...diagnostics], host));
  if (faults.length + diagnostics.length > 0) process.exit(1);
  return program.getProgram();
}

/** Deletes build output whose source no longer exists, because it would become a part of the package. */
function sweep() {
  for (const folder of BUILT) {
    for (const path of sources(join(root, 'dist', folder))) {
      if (path.includes('swagger-ui')) continue;
      const copied = join(root, path.slice(join(root, 'dist').length));
      const compiled = copied.replace(/(?:\.d)?\.[jt]s(?:\.map)?$/, '.ts');
      if (!existsSync(copied) && !existsSync(compiled)) rmSync(path);
    }
  }
}

/** Writes what the compiler knows about the responses, from the same program (docs/description.md). */
async function describe(ts, program) {
  const { describeProgram } = await import('../dist/src/description/compiler/describe.js');
  writeFileSync(join(root, 'dist', 'description.json'), JSON.stringify(describeProgram(ts, program, root)));
}

/** Compresses files once at build time, because they are served many times. */
export function compress(folder) {
  for (const path of sources(folder)) {
    const bytes = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
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
  compress(join(root, 'dist', 'web', 'assets'));
  writeFileSync(webStamp, current);
}

/** Builds the package of the typed client if it has changed. */
async function buildClient() {
  const current = fingerprint('client');
  if (isStamped(clientStamp, current)) return;
  rmSync(join(root, 'client', 'dist'), { recursive: true, force: true });
  await run(['node_modules/typescript/bin/tsc', '-p', 'client'], 'inherit');
  writeFileSync(clientStamp, current);
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

const isStamped = (path, current) => existsSync(path) && readFileSync(path, 'utf8') === current;

/** Builds the modules and their description. */
async function buildModules(current) {
  const { default: ts } = await import('typescript');
  const program = compile(ts);
  copyStatic();
  sweep();
  chmodSync(join(root, 'dist', 'src', 'cli.js'), 0o755);
  // Runs in a separate process, while this one writes the description and the bundle.
  const snapshot = buildSnapshot();
  await describe(ts, program);
  await buildService(current);
  await snapshot;
  writeFileSync(stamp, current);
}

async function buildService(current) {
  if (process.env.PAGES_WATCHED !== undefined || isStamped(serviceStamp, current)) return;
  const { bundle } = await import('./bundle.mjs');
  await bundle();
  writeFileSync(serviceStamp, current);
}

export async function build(force = false) {
  if (force) rmSync(join(root, 'dist'), { recursive: true, force: true });
  // `npm run dev` builds the pages when they change. It starts from the modules, which are ready sooner than the
  // bundle.
  const pages = process.env.PAGES_WATCHED === undefined ? buildPages() : undefined;
  const client = buildClient();
  const current = fingerprint(...BUILT);
  await (isStamped(stamp, current) ? buildService(current) : buildModules(current));
  await Promise.all([pages, client]);
}

if (process.argv[1] === import.meta.filename) await build(process.argv.includes('--force'));
