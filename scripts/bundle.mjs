/**
 * Builds `dist/service`: the service and nearly all of its dependencies, bundled into a few files. Finding, reading and
 * linking two thousand files takes longer than the rest of the startup. Extension projects that import `gatehouse` use
 * the unbundled modules instead.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, relative } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const home = join(root, 'dist', 'service');
const SOURCES = join(root, 'dist', 'src');

/**
 * Packages that are not bundled. Some have binaries or other files. TypeORM and Nest load others by name from outside
 * the bundle, which would load a second copy. Others are needed only in some configurations.
 */
const APART = [
  ...['@node-rs/argon2', '@node-rs/bcrypt', 'sharp', '@electric-sql/pglite', 'typescript'],
  ...['pg', 'ws', '@opentelemetry/api'],
  ...['@aws-sdk/client-s3', 'ioredis', 'nodemailer', 'undici', 'openid-client', '@simplewebauthn/server'],
];
const isApart = (name) => APART.some((apart) => name === apart || name.startsWith(`${apart}/`));

/**
 * Keeps the import of a driver or an adapter that is not installed. It fails only when it is needed, as without the
 * bundle.
 */
const uninstalled = {
  name: 'uninstalled',
  async resolveId(name, importer, options) {
    if (name.startsWith('.') || importer === undefined) return null;
    const found = await this.resolve(name, importer, { ...options, skipSelf: true });
    return found ?? { id: name, external: true };
  },
};

const OTHER_DATABASE = /\/typeorm\/driver\/(?!postgres\/|types\/)[^/]+\/[^/]+\.js$/;

/** TypeORM loads the drivers of all databases. This replaces those that the service does not use with empty classes. */
const drivers = {
  name: 'drivers',
  load(id) {
    if (!OTHER_DATABASE.test(id)) return null;
    const name = basename(id, '.js');
    return /^\w+$/.test(name) ? `exports.${name} = class ${name} {};` : '';
  },
};

const WIDE = /(\\*)([\u0100-\uffff])/g;
const WRAPPED = /__(commonJSMin|esmMin)\(\((async )?\(([^()]*)\) => \{/g;
const IMPORTED = /^import (?:(?:\* as )?([\w$]+)?(?:, )?(\{ [^}]* \})? from )?"([^"]+)";\n/gm;

/** A character that was already escaped does not need another backslash. */
const escaped = (backslashes) => (backslashes.length % 2 === 1 ? backslashes.slice(1) : backslashes);

/**
 * Replaces imports of built-in modules. An import of `node:http` reads all of its exports, which loads an unused client
 * (Node 22.5).
 */
function taken(line, whole, parts, from) {
  if (!isBuiltin(from)) return line;
  const names = [whole, parts?.replaceAll(' as ', ': ')].filter((name) => name !== undefined);
  const taking = names.map((name) => `${name} = process.getBuiltinModule("${from}")`);
  // Stays on one line, because the source maps count lines.
  return taking.length > 0 ? `var ${taking.join(', ')};\n` : '\n';
}

/**
 * Makes a chunk cheap to run. In V8, one character beyond Latin-1 makes a string use two bytes per character, for as
 * long as the service runs. V8 parses a module twice if it is wrapped in an arrow function (Node 20), and once in
 * another function.
 */
const cheap = (code) =>
  code
    .replace(IMPORTED, taken)
    .replace(WIDE, (_, before, letter) => `${escaped(before)}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(WRAPPED, (_, wrapper, isAsync = '', given) => `__${wrapper}((${isAsync}function(${given}) {`);

/**
 * Gives modules that use `import.meta` their original location, where they find files. Adds no lines, because the
 * source maps count lines.
 */
function placed(code, id) {
  if (!code.includes('import.meta')) return code;
  const place = `new URL(${JSON.stringify(relative(home, id))}, import.meta.url)`;
  const moved = code
    .replaceAll('import.meta.url', `${place}.href`)
    .replaceAll('import.meta.dirname', `fileURLToPathOfModule(new URL('.', ${place}))`);
  return `import { fileURLToPath as fileURLToPathOfModule } from 'node:url'; ${moved}`;
}

const modules = {
  name: 'modules',
  load(id) {
    if (!id.startsWith(SOURCES) || !id.endsWith('.js')) return null;
    return placed(readFileSync(id, 'utf8'), id);
  },
};

/** The source of a module, and the source line of each of its lines. `null` for modules that were not compiled. */
function mapOf(module) {
  const id = join(home, module);
  if (!id.startsWith(SOURCES) || !id.endsWith('.js')) return null;
  const { sources, mappings } = JSON.parse(readFileSync(`${id}.map`, 'utf8'));
  return { source: relative(home, join(id, '..', sources[0])), lines: decode(mappings).map(([first]) => first?.[2]) };
}

/**
 * Replaces the modules in the source map of a chunk by their sources, and keeps lines without columns. The map has a
 * fifth of the size, so reading it does not block the service. rolldown could also replace the modules. However, it
 * miscounts lines after those that the compiler adds.
 */
function linesOnly(text) {
  const { version, sources, mappings } = JSON.parse(text);
  const maps = sources.map(mapOf);
  const lines = decode(mappings).map((line) =>
    line
      .filter(([, source, at], index) => source !== line[index - 1]?.[1] || at !== line[index - 1]?.[2])
      .map(([column, source, at, place]) => [column, source, maps[source] ? maps[source].lines[at] : at, place])
      .filter(([, source, at]) => source !== undefined && at !== undefined),
  );
  const named = sources.map((module, index) => maps[index]?.source ?? module);
  return JSON.stringify({ version, sources: named, names: [], mappings: encode(lines) });
}

const MAIN = `/** Runs the service: \`node dist/service/main.cjs\`. */
require('../src/core/thread-pool.cjs');
// What was compiled is kept beside it, where it can be written and Node does so (22.8): the next start reads it.
require('node:module').enableCompileCache?.(require('node:path').join(__dirname, 'compiled'));

import('./main.js');
`;

export async function bundle() {
  rmSync(home, { recursive: true, force: true });
  const made = await rolldown({
    input: { main: join(SOURCES, 'main.js') },
    platform: 'node',
    external: isApart,
    plugins: [uninstalled, drivers, modules],
    // Remove nothing, because a call with an unused result may be there for the exception that it throws.
    treeshake: false,
    logLevel: 'warn',
  });
  const { output } = await made.generate({
    dir: home,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Keep the original execution order of the modules, and the names of classes, which the code uses.
    strictExecutionOrder: true,
    keepNames: true,
    minify: false,
    // Used when an error is logged (src/core/stack.ts).
    sourcemap: 'hidden',
    comments: false,
  });
  await made.close();
  mkdirSync(home, { recursive: true });
  for (const { fileName, code, source } of output) {
    writeFileSync(join(home, fileName), code === undefined ? linesOnly(source) : cheap(code));
  }
  writeFileSync(join(home, 'main.cjs'), MAIN);
}

if (process.argv[1] === import.meta.filename) await bundle();
