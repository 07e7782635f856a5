import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../terminal/command.js';
import type { Files } from './render.js';

/** What a command is about to write, by paths below a folder. */
export interface Changes {
  /** Files that are not there yet. */
  readonly created: Files;
  /** Files that are there, as they will be. */
  readonly changed: Files;
}

/** Makes the folders on the way to a file; answers those that were not there, the deepest first. */
function madeFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  mkdirSync(dirname(file), { recursive: true });
  return missing;
}

/**
 * Writes all of it or nothing: what was written before a failure is taken back.
 * @throws CommandError when a file that is to be created is there
 */
export function writeAll(root: string, { created, changed }: Changes): void {
  const taken = Object.keys(created).find((path) => existsSync(join(root, path)));
  if (taken !== undefined) throw new CommandError(`${join(root, taken)} exists: nothing was written`);
  const undo: (() => void)[] = [];
  try {
    for (const [path, text] of Object.entries(created)) {
      const file = join(root, path);
      for (const folder of madeFolders(file).toReversed()) undo.push(() => rmdirSync(folder));
      undo.push(() => rmSync(file, { force: true }));
      writeFileSync(file, text, { flag: 'wx' });
    }
    for (const [path, text] of Object.entries(changed)) {
      const file = join(root, path);
      const before = readFileSync(file);
      undo.push(() => writeFileSync(file, before));
      writeFileSync(file, text);
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw new CommandError(`nothing was written: ${(error as Error).message}`);
  }
}
