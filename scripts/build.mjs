/** Compiles the sources if they changed since the last build; `--force` compiles in any case. */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Of the sources in some folders, and of what they are compiled with. */
export function fingerprint(...folders) {
  const hash = createHash('sha256');
  const files = folders.flatMap((folder) => [...sources(join(root, folder))]);
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

/** Compiles what changed, as `tsc -p tsconfig.build.json` would. */
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

/** What the compiler knows of every answer, from the same program (docs/description.md). */
async function describe(ts, program) {
  const { describeProgram } = await import('../dist/src/description/compiler/describe.js');
  writeFileSync(join(root, 'dist', 'description.json'), JSON.stringify(describeProgram(ts, program, root)));
}

export async function build(force = false) {
  const current = fingerprint('src', 'client', 'test/support');
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return;
  if (force) rmSync(join(root, 'dist'), { recursive: true, force: true });
  const { default: ts } = await import('typescript');
  await describe(ts, compile(ts));
  copyStatic();
  chmodSync(join(root, 'dist', 'src', 'cli.js'), 0o755);
  writeFileSync(stamp, current);
}

if (process.argv[1] === import.meta.filename) await build(process.argv.includes('--force'));
