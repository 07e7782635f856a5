/** The sources of the site: the guides, the manual and the contract in one tree, with links that work there. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { mapLinks, resolve } from './links.mjs';

const root = join(import.meta.dirname, '../..');
/** Top-level pages that belong to the manual. */
const AT_THE_TOP = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
];

const REFERENCE = 'docs/guides/reference.md';

/** The path of a project file in the site. */
function placeOf(path) {
  if (path.startsWith('docs/guides/')) return path.slice('docs/guides/'.length);
  if (path.startsWith('docs/contract/')) return path.slice('docs/'.length).toLowerCase();
  if (AT_THE_TOP.includes(path)) return `manual/${path.toLowerCase()}`;
  return `manual/${path.slice('docs/'.length)}`;
}

function* markdown(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* markdown(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}

/** Every project page that is part of the site, by its path from the root. */
export function sources() {
  const paths = [...AT_THE_TOP, ...markdown('docs')];
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * True if a path of the project exists. A link to a file that is not a page is valid, and leads to a copy in the site.
 */
export const isFile = (path) => existsSync(join(root, path));

const relative = (from, to) => {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
};

/**
 * Returns the pages of the site by path, and the project files that they link to, by their path below `files/`. Images
 * keep their name, other files become `<path>.txt`.
 * Pages that are generated from the code are below `reference/`. Sources link to them by the headings of
 * `docs/guides/reference.md`. These links also work on a code host, where only that page exists.
 * @param generated the pages that are generated from the code, by their path in the site
 */
export function assemble(generated) {
  const pages = sources();
  const files = new Map();
  const placed = [...pages].map(([path, text]) => {
    const page = placeOf(path);
    const linked = mapLinks(text, (target, isImage) => {
      if (/^[a-z][a-z+.-]*:|^#/i.test(target)) return target;
      const { path: wanted, anchor } = resolve(path, target);
      const end = anchor === undefined ? '' : `#${anchor}`;
      const part = `reference/${anchor}.md`;
      if (wanted === REFERENCE && generated.has(part)) return relative(page, part);
      if (pages.has(wanted)) return relative(page, placeOf(wanted)) + end;
      if (!statSync(join(root, wanted)).isFile()) return null;
      const copy = isImage ? wanted : `${wanted}.txt`;
      files.set(copy, wanted);
      return `/files/${copy}`;
    });
    return [page, linked];
  });
  return { pages: new Map([...placed, ...generated]), files };
}
