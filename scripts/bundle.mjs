/**
 * `dist/service`: the service with nearly all that it loads as a few files, because finding, reading and linking two thousand
 * takes longer than everything else in a start. What a team imports from `gatehouse` is not this but the modules themselves.
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
 * What brings binaries or files of its own, what TypeORM and Nest ask for by name past the bundle, of which there would be two,
 * and what only some configurations load.
 */
const APART = [
  ...['@node-rs/argon2', '@node-rs/bcrypt', 'sharp', '@electric-sql/pglite', 'typescript'],
  ...['pg', 'ws', '@opentelemetry/api'],
  ...['@aws-sdk/client-s3', 'ioredis', 'nodemailer', 'undici', 'openid-client', '@simplewebauthn/server'],
];
const isApart = (name) => APART.some((apart) => name === apart || name.startsWith(`${apart}/`));

/** A driver or an adapter that is not installed is asked for where somebody wants it, and found missing there as before. */
const uninstalled = {
  name: 'uninstalled',
  async resolveId(name, importer, options) {
    if (name.startsWith('.') || importer === undefined) return null;
    const found = await this.resolve(name, importer, { ...options, skipSelf: true });
    return found ?? { id: name, external: true };
  },
};

const OTHER_DATABASE = /\/typeorm\/driver\/(?!postgres\/|types\/)[^/]+\/[^/]+\.js$/;

/** TypeORM loads the drivers of all databases; of those that the service never speaks to the names are left. */
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

/** A letter that was escaped already needs no second backslash. */
const escaped = (backslashes) => (backslashes.length % 2 === 1 ? backslashes.slice(1) : backslashes);

/** `node:http`, imported, is asked for all that it has, which loads a client that nobody uses (Node 22.5). */
function taken(line, whole, parts, from) {
  if (!isBuiltin(from)) return line;
  const names = [whole, parts?.replaceAll(' as ', ': ')].filter((name) => name !== undefined);
  const taking = names.map((name) => `${name} = process.getBuiltinModule("${from}")`);
  // One line, as before: the maps count them.
  return taking.length > 0 ? `var ${taking.join(', ')};\n` : '\n';
}

/**
 * A chunk as it is cheap to run. A text with one letter beyond Latin-1 has two bytes for every letter for as long as the
 * service runs; a module wrapped in an arrow function is read twice by V8 (Node 20), in another function once.
 */
const cheap = (code) =>
  code
    .replace(IMPORTED, taken)
    .replace(WIDE, (_, before, letter) => `${escaped(before)}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(WRAPPED, (_, wrapper, isAsync = '', given) => `__${wrapper}((${isAsync}function(${given}) {`);

/** A module that asks where it is, to find files beside it, is told where it was. On one line: the maps count them. */
function placed(code, id) {
  if (!code.includes('import.meta')) return code;
  const place = `new URL(${JSON.stringify(relative(home, id))}, import.meta.url)`;
  const moved = code
    .replaceAll('import.meta.url', `${place}.href`)
    .replaceAll('import.meta.dirname', `fileURLToPathOfModule(new URL('.', ${place}))`);
  return `import { fileURLToPath as fileURLToPathOfModule } from 'node:url'; ${moved}`;
}

/** Our modules, with the maps that the compiler made: so the map of a chunk names the sources. */
const modules = {
  name: 'modules',
  load(id) {
    if (!id.startsWith(SOURCES) || !id.endsWith('.js')) return null;
    return { code: placed(readFileSync(id, 'utf8'), id), map: readFileSync(`${id}.map`, 'utf8') };
  },
};

/** A map with lines and no columns: of a fifth of the size, so that it is read without blocking the service. */
function linesOnly(text) {
  const { version, sources, mappings } = JSON.parse(text);
  const lines = decode(mappings).map((line) =>
    line
      .filter(([, source, at], index) => source !== line[index - 1]?.[1] || at !== line[index - 1]?.[2])
      .map((segment) => segment.slice(0, 4)),
  );
  return JSON.stringify({ version, sources, names: [], mappings: encode(lines) });
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
    // Nothing is removed: a call whose result nobody reads can be there for the exception that it throws.
    treeshake: false,
    logLevel: 'warn',
  });
  const { output } = await made.generate({
    dir: home,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Modules run in the order in which they would by themselves; classes are known by their names.
    strictExecutionOrder: true,
    keepNames: true,
    minify: false,
    // Read when an error is logged (src/core/stack.ts).
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
