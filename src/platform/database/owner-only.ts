import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;

/** What this process makes from now on is its user's alone, whatever whoever started it allows. */
export function keepToOwner(): void {
  process.umask(OTHERS);
}

/** A directory and all below it; links are not followed. */
function* below(path: string): Generator<{ path: string; mode: number }> {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() && !facts?.isDirectory() && !facts?.isSocket()) return;
  yield { path, mode: facts.mode & 0o7777 };
  if (facts.isDirectory()) for (const name of readdirSync(path)) yield* below(join(path, name));
}

/** What below a directory, itself included, other users can reach. */
export const openToOthers = (directory: string): string[] =>
  [...below(directory)].filter(({ mode }) => mode & OTHERS).map(({ path }) => path);

/** Makes a directory, and takes from others what they may do with it and with anything below it. */
export function closeToOthers(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const { path, mode } of below(directory)) if (mode & OTHERS) closeOne(path, mode);
}

function closeOne(path: string, mode: number): void {
  try {
    chmodSync(path, mode & ~OTHERS);
  } catch (error) {
    // Gone meanwhile, or somebody else's, such as the root of a mounted volume: `doctor` tells of the latter.
    if (!['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
