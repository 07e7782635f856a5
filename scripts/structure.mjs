/**
 * Checks the structure of `src`. Imports between modules go in one direction, and neither files nor folders import each
 * other in a circle. The number of files in a folder and the length of a file are limited. `--write` updates the
 * diagram in ARCHITECTURE.md.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const { cruise } = await import('dependency-cruiser');
const { default: extractTSConfig } = await import('dependency-cruiser/config-utl/extract-ts-config');

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'ARCHITECTURE.md');
const [BEGIN, END] = ['<!-- the modules, drawn by npm run structure -- --write -->', '<!-- end of the modules -->'];

/**
 * The modules (folders of `src`) in layers, from the bottom up. A module may import from all modules before it in this
 * list.
 */
const LAYERS = [
  ['core'],
  ['workers', 'migrations', 'policy', 'platform'],
  ['http'],
  ['bans', 'accounts', 'auth'],
  ['media', 'users', 'oauth'],
  ['gateway', 'webhooks', 'admin', 'protection', 'restore', 'description', 'service', 'web'],
  ['pipeline'],
  ['forward-auth', 'decisions', 'outgoing-events'],
  ['cli'],
];
const ORDER = LAYERS.flat();
/** Modules of the same layer that may not import each other. */
const APART = ['workers', 'migrations', 'policy'];
const LIMITS = { folder: 25, top: 9, lines: 400 };

const inModule = (name) => `^src/${name}/`;
const rule = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: to } });

const forbidden = [
  { name: 'no-circular-imports', severity: 'error', from: {}, to: { circular: true } },
  ...ORDER.flatMap((name, index) => {
    const above = ORDER.slice(index + 1).map(inModule);
    return above.length > 0 ? [rule(`${name}-imports-no-higher-module`, inModule(name), above.join('|'))] : [];
  }),
  ...APART.map((name) =>
    rule(
      `${name}-imports-only-core`,
      inModule(name),
      APART.filter((other) => other !== name)
        .map(inModule)
        .join('|'),
    ),
  ),
  rule(
    'only-the-adapter-imports-the-platform',
    '^src/(?!http/adapter\\.ts$)',
    'node_modules/(?:@types/)?(?:express|fastify|@nestjs/platform-(?:express|fastify))/',
  ),
  {
    name: 'only-top-level-files-and-cli-import-top-level-files',
    severity: 'error',
    from: { path: '^src/.+/', pathNot: inModule('cli') },
    to: { path: '^src/[^/]+$' },
  },
];

const { output } = await cruise(
  ['src'],
  {
    baseDir: ROOT,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: ['\\.spec\\.ts$', '^dist'] },
    doNotFollow: { path: 'node_modules' },
    ruleSet: { forbidden },
    validate: true,
  },
  { extensions: ['.ts', '.js'] },
  { tsConfig: extractTSConfig(join(ROOT, 'tsconfig.json')) },
);

const faults = output.summary.violations.map(({ rule: { name }, from, to }) => `${name}: ${from} -> ${to}`);

const modules = output.modules.filter(({ source }) => source.startsWith('src/'));
const arrows = modules.flatMap(({ source, dependencies }) =>
  dependencies.filter(({ resolved }) => resolved.startsWith('src/')).map(({ resolved }) => [source, resolved]),
);

/** Folders that import themselves through other folders. `src` is excluded, because its files connect all modules. */
function circlesOfFolders() {
  const next = new Map();
  for (const [from, to] of arrows.map((pair) => pair.map(dirname))) {
    if (from === to || from === 'src' || to === 'src') continue;
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const reaches = (from, wanted, seen = new Set()) =>
    [...(next.get(from) ?? [])].some((to) => to === wanted || (!seen.has(to) && reaches(to, wanted, seen.add(to))));
  return [...next.keys()]
    .filter((folder) => reaches(folder, folder))
    .map((folder) => `${folder} imports itself through other folders`);
}

function* folders(path) {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
  yield { path, files: entries.filter((entry) => entry.isFile()).map(({ name }) => name) };
  for (const entry of entries) if (entry.isDirectory()) yield* folders(`${path}/${entry.name}`);
}

for (const { path, files } of folders('src')) {
  // Each change of the schema adds one migration, and their order is that of their names.
  const most = path === 'src/migrations' ? Number.POSITIVE_INFINITY : path === 'src' ? LIMITS.top : LIMITS.folder;
  if (files.length > most) faults.push(`${path} has ${files.length} files. Split it into folders of at most ${most}`);
  for (const name of files.filter((file) => file.endsWith('.ts'))) {
    const lines = readFileSync(join(ROOT, path, name), 'utf8').split('\n').length - 1;
    if (lines > LIMITS.lines)
      faults.push(`${path}/${name} has ${lines} lines. Split it by noun into files of at most ${LIMITS.lines}`);
  }
  const known = path === 'src' || ORDER.includes(path.split('/')[1]);
  if (!known) faults.push(`${path} is not in a layer. Add the module to LAYERS in scripts/structure.mjs`);
}
faults.push(...circlesOfFolders());

/**
 * The imports between modules, with their number, as a Mermaid diagram. Imports of `core` and from `cli` are left out.
 */
function diagram() {
  const of = (file) => file.split('/').length > 2 && file.split('/')[1];
  const counts = new Map();
  for (const [from, to] of arrows.map((pair) => pair.map(of))) {
    if (!from || !to || from === to || to === 'core' || from === 'cli') continue;
    const arrow = `${from} --> ${to}`;
    counts.set(arrow, (counts.get(arrow) ?? 0) + 1);
  }
  const rank = (arrow) => arrow.split(' --> ').map((name) => ORDER.indexOf(name));
  const lines = [...counts.keys()].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    return y[0] - x[0] || y[1] - x[1];
  });
  const drawn = lines.map((arrow) => `  ${arrow.replace('-->', `-->|${counts.get(arrow)}|`)}`);
  return ['```mermaid', 'flowchart TD', ...drawn, '```'].join('\n');
}

const text = readFileSync(PAGE, 'utf8');
const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
if (begin < 0 || end < begin)
  faults.push(`ARCHITECTURE.md lacks the comments that mark the diagram: ${BEGIN} and ${END}`);
else {
  const drawn = `${text.slice(0, begin)}${BEGIN}\n${diagram()}\n${text.slice(end)}`;
  if (process.argv.includes('--write')) writeFileSync(PAGE, drawn);
  // The numbers change with every import, so only the arrows are compared.
  else if (drawn.replace(/\|\d+\|/g, '') !== text.replace(/\|\d+\|/g, '')) {
    faults.push('The diagram in ARCHITECTURE.md is out of date. Run npm run structure -- --write');
  }
}

for (const fault of faults) console.error(fault);
console.log(
  faults.length > 0 ? `Found ${faults.length} structure errors` : `The structure of ${modules.length} files is correct`,
);
process.exit(faults.length > 0 ? 1 : 0);
