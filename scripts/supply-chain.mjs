/**
 * Checks the dependencies of the service against their last accepted state: the lock file, licenses, install scripts,
 * known advisories, and the bill of materials. Everything except the advisories is read from this folder.
 *
 *   npm run supply-chain                 checks; at a release with `-- --release`, which requires the advisories;
 *                                        with `-- --offline` the advisories are not requested
 *   npm run supply-chain -- --write      accepts the current state: writes licences.txt again
 *   npm run -s sbom > sbom.cdx.json      the bill of materials (CycloneDX) of production
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerHelp } from './help.mjs';
import { FOLDERS } from './packages.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const LIST = 'licences.txt';

/** Licenses that require no more than a copy of their text. Every package may have them. */
const ALLOWED = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Python-2.0'],
]);
/** Licenses that only some packages may have, with the reason. */
const ALLOWED_FOR = [
  {
    licence: 'LGPL-3.0-or-later',
    of: /^@img\/sharp-/,
    because: 'libvips, a library of its own that is loaded as it comes and can be replaced',
  },
];
/** Packages whose files are copied into `dist`. */
const COPIED = ['swagger-ui-dist'];
/** Works of others that are written into our sources. */
const WRITTEN = [{ name: 'lucide', licence: 'ISC' }];
/** Packages that run in the guides. */
const IN_GUIDES = ['minisearch'];
/** Severities that fail the check. Lower ones are only reported. */
const STOPPING = ['moderate', 'high', 'critical'];

const nameIn = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** True if a path of the lock file is a package of this repository: its folder, or the link to it. */
function isWorkspace(lock, path) {
  const workspaces = lock.packages[''].workspaces ?? [];
  return workspaces.includes(path) || (lock.packages[path].link && workspaces.includes(lock.packages[path].resolved));
}

/** The packages of a lock file that production may contain on any machine. `legacy` reads older forms of a license. */
export function production(lock, legacy = () => undefined) {
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (path === '' || entry.dev || entry.devOptional || isWorkspace(lock, path)) return [];
    return [{ path, name: nameIn(path), version: entry.version, licence: entry.license ?? legacy(path) ?? 'UNKNOWN' }];
  });
}

function lockedAs(lock, name) {
  const path = `node_modules/${name}`;
  const entry = lock.packages[path];
  if (!entry) throw new Error(`what is built contains ${name}, which is not in the lock`);
  return { path, name, version: entry.version, licence: entry.license ?? 'UNKNOWN' };
}

/** Development packages whose code is part of the build: those that are imported, and their dependencies. */
export function bundled(lock, imported) {
  const found = new Map();
  const follow = (name) => {
    if (found.has(name)) return;
    found.set(name, lockedAs(lock, name));
    Object.keys(lock.packages[`node_modules/${name}`].dependencies ?? {}).forEach(follow);
  };
  imported.forEach(follow);
  return [...found.values()];
}

/** Optional peers that the bundle of the service contains (scripts/bundle.mjs). */
const inService = (lock) =>
  bundled(
    lock,
    Object.keys(lock.packages[''].peerDependencies ?? {}).filter((name) => name.startsWith('@opentelemetry/')),
  );

/** Checks that the lock file pins every package by its hash, and that all packages come from one registry. */
export function lockProblems(lock) {
  const problems = lock.lockfileVersion === 3 ? [] : [`the lock is of version ${lock.lockfileVersion}, not 3`];
  const origins = new Set();
  for (const [path, { integrity, resolved, link, inBundle, name, dev }] of Object.entries(lock.packages)) {
    if (path === '' || isWorkspace(lock, path)) continue;
    if (link) problems.push(`${path} is a link to a folder`);
    else if (!inBundle && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')) {
      problems.push(`${path} has no SHA-512 that it is held to`);
    }
    if (!dev && name && name !== nameIn(path)) problems.push(`${path} is ${name} by another name`);
    if (resolved === undefined || link) continue;
    const { protocol, origin } = URL.canParse(resolved) ? new URL(resolved) : {};
    if (protocol === 'https:') origins.add(origin);
    else problems.push(`${path} comes from ${resolved}, which is no registry`);
  }
  if (origins.size > 1) problems.push(`the lock names ${origins.size} registries: ${[...origins].join(', ')}`);
  return problems;
}

/** True if an SPDX expression is allowed for a package. `AND` requires both licenses, `OR` requires one of them. */
function isAllowed(expression, name) {
  const text = expression.replaceAll(/[()]/g, ' ');
  // An expression with both would need operator precedence. No package has one so far, so it is rejected.
  if (/ OR /.test(text) && / AND /.test(text)) return false;
  const isFine = (id) =>
    ALLOWED.has(id.trim()) || ALLOWED_FOR.some(({ licence, of }) => licence === id.trim() && of.test(name));
  return / OR /.test(text) ? text.split(' OR ').some(isFine) : text.split(' AND ').every(isFine);
}

export const licenceProblems = (packages) =>
  packages
    .filter(({ name, licence }) => !isAllowed(licence, name))
    .map(({ name, version, licence }) => `${name}@${version} has the licence ${licence}, which is not allowed`);

/** One line for each package and license. Versions are left out, because they change too often for a review. */
export function listOf(parts) {
  const lines = Object.entries(parts).flatMap(([title, packages]) => [
    '',
    `# ${title}`,
    ...[...new Set(packages.map(({ name, licence }) => `${name}  ${licence}`))].sort(byText),
  ]);
  return `What Gatehouse is delivered with, and under which licences: npm run supply-chain -- --write\n${lines.join('\n')}\n`;
}

export function listProblems(list, accepted) {
  const lines = (text) => text.split('\n').filter((line) => line !== '');
  const missing = lines(list).filter((line) => !lines(accepted).includes(line));
  const gone = lines(accepted).filter((line) => !lines(list).includes(line));
  return [
    ...missing.map((line) => `not accepted in ${LIST}: ${line}`),
    ...gone.map((line) => `in ${LIST}, and no longer delivered: ${line}`),
  ];
}

/**
 * Checks that `allowScripts` of package.json has an entry for every package with an install script, and no other
 * entries. Production runs no install scripts (`--ignore-scripts`), so none of its packages may be allowed to run one.
 */
export function scriptProblems(lock, allowScripts = {}) {
  const asking = Object.entries(lock.packages).filter(
    ([path, { hasInstallScript }]) => path !== '' && hasInstallScript,
  );
  const problems = asking.flatMap(([path, { version, dev, devOptional }]) => {
    const name = nameIn(path);
    const said = allowScripts[name] ?? allowScripts[`${name}@${version}`];
    if (said === undefined) return [`${name}@${version} has an install script, of which allowScripts says nothing`];
    if (said && !(dev || devOptional)) return [`${name}@${version} may run an install script, and is in production`];
    return said && allowScripts[name] ? [`allowScripts lets every version of ${name} run its script`] : [];
  });
  const known = new Set(asking.flatMap(([path, { version }]) => [nameIn(path), `${nameIn(path)}@${version}`]));
  const idle = Object.keys(allowScripts).filter((key) => !known.has(key));
  return [...problems, ...idle.map((key) => `allowScripts names ${key}, which has no install script`)];
}

/**
 * Sorts the result of `npm audit --json`: advisories that fail the check, lesser ones, and whether the registry
 * responded.
 */
export function auditVerdict(report) {
  if (!report?.vulnerabilities) return { isAnswered: false, stopping: [], lesser: [] };
  const found = Object.values(report.vulnerabilities).map(({ name, severity, via = [] }) => {
    const titles = via.filter((one) => typeof one === 'object').map(({ title, url }) => `${title} (${url})`);
    return { severity, line: [`${severity}: ${name}`, ...titles].join('; ') };
  });
  const lines = (isWanted) => found.filter(({ severity }) => isWanted(severity)).map(({ line }) => line);
  const isStopping = (severity) => STOPPING.includes(severity);
  return { isAnswered: true, stopping: lines(isStopping), lesser: lines((severity) => !isStopping(severity)) };
}

/** Checks that a bill of materials names every delivered package once, with its origin, hash and license. */
export function sbomProblems(sbom, packages) {
  if (sbom.bomFormat !== 'CycloneDX' || !/^1\.\d$/.test(sbom.specVersion)) return ['it is not a CycloneDX document'];
  const components = sbom.components ?? [];
  const named = components.map(({ name, version }) => `${name}@${version}`);
  const there = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const refs = new Set(components.map((component) => component['bom-ref']));
  const isWhole = ({ purl, hashes, licenses }) => purl?.startsWith('pkg:npm/') && hashes?.length && licenses?.length;
  return [
    ...(refs.size === components.length && new Set(named).size === named.length ? [] : ['it names a package twice']),
    ...[...there].filter((key) => !named.includes(key)).map((key) => `it lacks ${key}`),
    ...named.filter((key) => !there.has(key)).map((key) => `it names ${key}, which is not delivered`),
    ...components.filter((one) => !isWhole(one)).map(({ name }) => `it lacks address, hash or licence of ${name}`),
  ];
}

/**
 * The license of a package that declares it in an old form, such as a list of objects. The lock file does not contain
 * it.
 */
const legacyIn = (folder) => (path) => {
  const manifest = join(folder, path, 'package.json');
  const { license, licenses } = existsSync(manifest) ? json(manifest) : {};
  return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
};

const npm = (folder, ...args) =>
  spawnSync('npm', [...args, '--loglevel=silent'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 120_000,
  }).stdout;

/**
 * The bill of materials of the packages that are installed in a folder. @throws Error if npm prints none, or if it is
 * invalid
 */
export function sbomOf(folder) {
  const lock = json(join(folder, 'package-lock.json'));
  const isThere = (path) => existsSync(join(folder, path, 'package.json'));
  // Reads the whole lock file. npm rejects a folder that was pruned, and `--omit=dev` also omits packages that both
  // production and development need.
  const out = npm(folder, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only');
  if (!out) throw new Error('npm sbom said nothing: `npm sbom --package-lock-only` tells why');
  const sbom = JSON.parse(out);
  // npm uses the name of the folder.
  sbom.metadata.component.name = json(join(folder, 'package.json')).name;
  const installed = production(lock, legacyIn(folder)).filter(({ path }) => isThere(path));
  const known = new Set(installed.map(({ name, version }) => `${name}@${version}`));
  const packages = [...installed, ...inService(lock).filter(({ name, version }) => !known.has(`${name}@${version}`))];
  const there = new Map(
    packages.map(({ name, version, licence: id }) => [`${name}@${version}`, [{ license: { id } }]]),
  );
  sbom.components = sbom.components
    .filter(({ name, version }) => there.has(`${name}@${version}`))
    .map((component) => ({ licenses: there.get(`${component.name}@${component.version}`), ...component }));
  const refs = new Set([sbom.metadata.component, ...sbom.components].map((component) => component['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  const problems = sbomProblems(sbom, packages);
  if (problems.length > 0) throw new Error(`the bill of materials is wrong:\n${problems.join('\n')}`);
  return sbom;
}

const IMPORT = /(?:from|import\()\s*'((?:@[\w.-]+\/)?[\w.-]+)[^']*'/g;
/** Packages that the pages import, and that browsers therefore receive. */
function importedByPages() {
  const files = readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !/^vite\.config/.test(name));
  const names = sources.flatMap((name) =>
    [...readFileSync(join(root, 'web', name), 'utf8').matchAll(IMPORT)].map(([, found]) => found),
  );
  return [...new Set(names)].filter((name) => !/^(?:\.|node$|@gatehouse-auth\/client$|vite$)/.test(name));
}

function main(args) {
  const lock = json(join(root, 'package-lock.json'));
  const { allowScripts } = json(join(root, 'package.json'));
  const packages = production(lock, legacyIn(root));
  const others = FOLDERS.map((folder) => ({
    lock: json(join(root, folder, 'package-lock.json')),
    allowScripts: json(join(root, folder, 'package.json')).allowScripts,
  }));
  const inPages = [
    ...bundled(lock, importedByPages()),
    ...IN_GUIDES.map((name) => lockedAs(lock, name)),
    ...COPIED.map((name) => lockedAs(lock, name)),
    ...WRITTEN,
  ];
  const parts = {
    'Installed in production': packages,
    'In the bundle of the service': inService(lock),
    'In the pages and guides': inPages,
  };
  const list = listOf(parts);
  const accepted = join(root, LIST);
  if (args.includes('--write')) writeFileSync(accepted, list);
  const listed = existsSync(accepted) ? readFileSync(accepted, 'utf8') : '';
  const problems = [
    ...lockProblems(lock),
    ...others.flatMap((other) => [...lockProblems(other.lock), ...scriptProblems(other.lock, other.allowScripts)]),
    ...licenceProblems(Object.values(parts).flat()),
    ...listProblems(list, listed),
    ...scriptProblems(lock, allowScripts),
  ];
  const sbom = sbomOf(root);
  const asked = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=30000'];
  const report = args.includes('--offline') ? undefined : npm(root, ...asked);
  const { isAnswered, stopping, lesser } = auditVerdict(report ? JSON.parse(report) : undefined);
  if (!isAnswered && args.includes('--release')) problems.push('the registry did not answer about advisories');
  problems.push(...stopping);
  for (const line of lesser) console.log(line);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    console.error(
      `\nAccept what you have read: licences by \`npm run supply-chain -- --write\` and the review of ${LIST}, install scripts by`,
      '`npm install-scripts deny <package>`. A licence that is not allowed needs a line in scripts/supply-chain.mjs that says why.',
    );
    process.exit(1);
  }
  const scripts = Object.keys(allowScripts).length;
  const unanswered =
    report === undefined ? 'advisories were not asked for' : 'THE REGISTRY DID NOT ANSWER ABOUT ADVISORIES';
  const advisories = isAnswered ? 'no advisory that stops' : unanswered;
  console.log(
    `${Object.keys(lock.packages).length - 1} packages are held to their hashes, ${packages.length} of them for production;`,
    `their licences are accepted; ${scripts} packages ask for install scripts, all named; the bill of materials has`,
    `${sbom.components.length} components; ${advisories}`,
  );
}

if (process.argv[1] === import.meta.filename) {
  const args = process.argv.slice(2);
  if (args[0] === '--sbom') process.stdout.write(`${JSON.stringify(sbomOf(args[1] ?? root), undefined, 2)}\n`);
  else main(args);
}
