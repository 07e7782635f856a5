/**
 * Lists the contents of an image: our folders and all packages, by name. `deploy/image.txt` contains the accepted list,
 * so every addition and removal appears in a review. `node scripts/image.mjs --write` accepts the current contents.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The depth at which our folders are listed. Below `dist/src`, every module is listed. */
const deep = (folders) => (folders[1] === 'src' ? 3 : 2);
/** Files for testing, editing or building. */
const STRANGE =
  /(?:^|\/)(?:tests?|fixtures|__\w+__|bench|coverage|examples?)\/|[.-]spec\.[mc]?[jt]sx?$|(?<!\.d)\.[mc]?tsx?$|\.tsbuildinfo$|\.env$|\.pem$|\.key$/;
/** Folders of third parties, and sources that the guides show as text. */
const NOT_OURS = /(?:^|\/)node_modules\/|^dist\/guides\/files\//;

function* filesBelow(folder, path = '') {
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const name = path ? `${path}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* filesBelow(folder, name);
    else yield name;
  }
}

/** The entry that a file belongs to: its package, including the package that it is installed for, or its folder. */
function placeOf(file, lock) {
  const inPackage = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
  if (!inPackage) {
    const folders = file.split('/').slice(0, -1);
    return folders.length > 0 ? `${folders.slice(0, deep(folders)).join('/')}/` : file;
  }
  if (/node_modules\/\.[^/]+$/.test(inPackage)) return `${inPackage}/`;
  // Names of packages with binaries depend on the machine that installed them.
  const { os } = lock.packages[inPackage] ?? {};
  return os ? inPackage.replace(/-(?:linux|linuxmusl|darwin|win32|freebsd|android)[\w-]*$/, '-<platform>') : inPackage;
}

/** The entries of a folder, each with its size in bytes. */
export function contentsOf(folder) {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const places = new Map();
  for (const file of filesBelow(folder)) {
    if (file === 'package-lock.json') continue;
    const place = placeOf(file, lock);
    const { size } = lstatSync(join(folder, file));
    places.set(place, (places.get(place) ?? 0) + size);
  }
  return places;
}

/** Our files that do not belong in an image. */
export const strangeIn = (files) => [...files].filter((file) => !NOT_OURS.test(file) && STRANGE.test(file));
export const strangeBelow = (folder) => strangeIn(filesBelow(folder));

const HEAD = 'What the image holds below /app: node scripts/image.mjs --write\n\n';
export const textOf = (places) => `${HEAD}${[...places.keys()].sort().join('\n')}\n`;

/** Entries that were added or removed since a list was accepted. */
export function differences(places, accepted) {
  const lines = accepted.slice(HEAD.length).split('\n').filter(Boolean);
  return [
    ...[...places.keys()].filter((place) => !lines.includes(place)).map((place) => `not accepted: ${place}`),
    ...lines.filter((line) => !places.has(line)).map((line) => `gone: ${line}`),
  ];
}
