import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const GROUP_AND_OTHER_BITS = 0o077;

/** Makes files that this process creates accessible only to its own user, whatever umask it was started with. */
export function restrictUmask(): void {
  process.umask(GROUP_AND_OTHER_BITS);
}

/** Yields a path and everything below it, without following links. */
function* walkPaths(path: string): Generator<{ path: string; mode: number }> {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() && !facts?.isDirectory() && !facts?.isSocket()) return;
  yield { path, mode: facts.mode & 0o7777 };
  if (facts.isDirectory()) for (const name of readdirSync(path)) yield* walkPaths(join(path, name));
}

/** Lists the paths in a directory, including itself, to which other users have access. */
export const findAccessibleToOthers = (directory: string): string[] =>
  [...walkPaths(directory)].filter(({ mode }) => mode & GROUP_AND_OTHER_BITS).map(({ path }) => path);

/** Creates a directory if necessary, and removes the permissions of other users from it and everything below it. */
export function restrictToOwner(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const { path, mode } of walkPaths(directory)) if (mode & GROUP_AND_OTHER_BITS) restrictPath(path, mode);
}

function restrictPath(path: string, mode: number): void {
  try {
    chmodSync(path, mode & ~GROUP_AND_OTHER_BITS);
  } catch (error) {
    // Deleted in the meantime, or owned by another user, such as the root of a mounted volume. `doctor` reports the
    // latter.
    if (!['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
