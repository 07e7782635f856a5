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
const DRAWING = join(ROOT, 'ARCHITECTURE.md');
const [BEGIN, END] = ['<!-- the rooms, drawn by npm run structure -- --write -->', '<!-- end of the rooms -->'];

/**
 * The modules (folders of `src`) in layers, from the bottom up. A module may import from all modules before it in this
 * list.
 */
const FLOORS = [
  ['core'],
  ['workers', 'migrations', 'policy', 'platform'],
  ['http'],
  ['bans', 'accounts', 'auth'],
  ['media', 'users', 'oauth'],
  ['gateway', 'webhooks', 'admin', 'protection', 'description', 'service', 'web'],
  ['pipeline'],
  ['cli'],
];
const ORDER = FLOORS.flat();
/** Modules of the same layer that may not import each other. */
const APART = ['workers', 'migrations', 'policy'];
const LIMITS = { room: 25, hall: 9, lines: 400 };

const room = (name) => `^src/${name}/`;
const rule = (name, from, to) => ({ name, severity: 'error', from: { path: from }, to: { path: to } });

const forbidden = [
  { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
  ...ORDER.flatMap((name, index) => {
    const above = ORDER.slice(index + 1).map(room);
    return above.length > 0 ? [rule(`${name}-knows-nothing-above`, room(name), above.join('|'))] : [];
  }),
  ...APART.map((name) =>
    rule(
      `${name}-knows-core-alone`,
      room(name),
      APART.filter((other) => other !== name)
        .map(room)
        .join('|'),
    ),
  ),
  rule(
    'one-file-knows-the-platform',
    '^src/(?!http/adapter\\.ts$)',
    'node_modules/(?:@types/)?(?:express|fastify|@nestjs/platform-(?:express|fastify))/',
  ),
  {
    name: 'only-the-hall-and-the-command-line-assemble',
    severity: 'error',
    from: { path: '^src/.+/', pathNot: room('cli') },
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
  return [...next.keys()].filter((folder) => reaches(folder, folder)).map((folder) => `${folder} is part of a circle`);
}

function* folders(path) {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
  yield { path, files: entries.filter((entry) => entry.isFile()).map(({ name }) => name) };
  for (const entry of entries) if (entry.isDirectory()) yield* folders(`${path}/${entry.name}`);
}

for (const { path, files } of folders('src')) {
  const most = path === 'src' ? LIMITS.hall : LIMITS.room;
  if (files.length > most) faults.push(`${path} holds ${files.length} files; ${most} are enough`);
  for (const name of files.filter((file) => file.endsWith('.ts'))) {
    const lines = readFileSync(join(ROOT, path, name), 'utf8').split('\n').length - 1;
    if (lines > LIMITS.lines) faults.push(`${path}/${name} has ${lines} lines; ${LIMITS.lines} are enough`);
  }
  const known = path === 'src' || ORDER.includes(path.split('/')[1]);
  if (!known) faults.push(`${path} stands on no floor of scripts/structure.mjs`);
}
faults.push(...circlesOfFolders());

/**
 * The imports between modules, with their number, as a Mermaid diagram. Imports of `core` and from `cli` are left out.
 */
function drawing() {
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

const text = readFileSync(DRAWING, 'utf8');
const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
if (begin < 0 || end < begin) faults.push('ARCHITECTURE.md has no place for the drawing of the rooms');
else {
  const drawn = `${text.slice(0, begin)}${BEGIN}\n${drawing()}\n${text.slice(end)}`;
  if (process.argv.includes('--write')) writeFileSync(DRAWING, drawn);
  // The numbers change with every import, so only the arrows are compared.
  else if (drawn.replace(/\|\d+\|/g, '') !== text.replace(/\|\d+\|/g, '')) {
    faults.push('the drawing in ARCHITECTURE.md is old: npm run structure -- --write');
  }
}

for (const fault of faults) console.error(fault);
console.log(
  faults.length > 0 ? `${faults.length} faults of structure` : `${modules.length} files stand where they belong`,
);
process.exit(faults.length > 0 ? 1 : 0);
