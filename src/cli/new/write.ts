import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../terminal/command.js';
import type { Files } from './render.js';

/** The files that a command is about to write, by path. */
export interface Changes {
  /** Files that do not exist yet. */
  readonly created: Files;
  /** Existing files with their new content. */
  readonly changed: Files;
}

/** Creates the parent folders of a file. Returns those that did not exist, deepest first. */
function createParentFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  mkdirSync(dirname(file), { recursive: true });
  return missing;
}

/**
 * Writes all files or none. If writing fails, earlier changes are undone.
 * @throws CommandError if a file to be created exists
 */
export function writeAll(root: string, { created, changed }: Changes): void {
  const taken = Object.keys(created).find((path) => existsSync(join(root, path)));
  if (taken !== undefined) throw new CommandError(`${join(root, taken)} already exists. Nothing was written.`);
  const undo: (() => void)[] = [];
  try {
    for (const [path, text] of Object.entries(created)) {
      const file = join(root, path);
      for (const folder of createParentFolders(file).toReversed()) undo.push(() => rmdirSync(folder));
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
    throw new CommandError(`Nothing was written: ${(error as Error).message}`);
  }
}
