/** The sources of the site: the guides, the manual and the contract in one tree, with links that hold there. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { mapLinks, resolve } from './links.mjs';

const root = join(import.meta.dirname, '../..');
/** Pages at the top that belong to the manual. */
const AT_THE_TOP = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Where a file of the project stands in the site. */
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

/** Every page of the project that goes into the site, by its path from the root. */
export function sources() {
  const paths = [...AT_THE_TOP, ...markdown('docs')];
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** Whether a path of the project is there that is no page: a link to it is sound, and leads to a copy in the site. */
export const isFile = (path) => existsSync(join(root, path));

const relative = (from, to) => {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
};

/**
 * The pages of the site, by their path in it, and the files of the project that they link to, as `files/<path>.txt`.
 * What is made from the code comes under `reference/`; a link to it from the sources is written as if it stood there.
 * @param generated what is made from the code, by its path in the site
 */
export function assemble(generated) {
  const pages = sources();
  const files = new Set();
  const placed = [...pages].map(([path, text]) => {
    const page = placeOf(path);
    const linked = mapLinks(text, (target) => {
      if (/^[a-z][a-z+.-]*:|^#/i.test(target)) return target;
      const { path: wanted, anchor } = resolve(path, target);
      const end = anchor === undefined ? '' : `#${anchor}`;
      if (pages.has(wanted)) return relative(page, placeOf(wanted)) + end;
      if (generated.has(placeOf(wanted))) return relative(page, placeOf(wanted)) + end;
      if (!statSync(join(root, wanted)).isFile()) return null;
      files.add(wanted);
      return `/files/${wanted}.txt`;
    });
    return [page, linked];
  });
  return { pages: new Map([...placed, ...generated]), files };
}
