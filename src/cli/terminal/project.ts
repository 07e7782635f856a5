import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extension } from '../../policy/extension.js';
import { CommandError } from './command.js';

/** The folder of an extension project, where its service is started, and its extension file. */
export interface Project {
  readonly folder: string;
  /** The path in package.json: `"gatehouse": { "extension": "dist/extension.js" }`. */
  readonly extension: string;
}

/** The nearest folder, from this one upwards, whose package.json names an extension. */
export function findProject(folder: string): Project | null {
  const file = join(folder, 'package.json');
  if (existsSync(file)) {
    const { gatehouse } = JSON.parse(readFileSync(file, 'utf8')) as { gatehouse?: { extension?: unknown } };
    if (typeof gatehouse?.extension === 'string') return { folder, extension: gatehouse.extension };
  }
  const above = dirname(folder);
  return above === folder ? null : findProject(above);
}

/**
 * Loads the extension of a project. @throws CommandError if the file is missing or its default export is not an
 * extension
 */
export async function loadExtension({ folder, extension }: Project): Promise<Extension> {
  const file = join(folder, extension);
  if (!existsSync(file)) {
    throw new CommandError(`The extension ${file}, named in package.json, does not exist. Run npm run build first.`);
  }
  const { default: brought } = (await import(pathToFileURL(file).href)) as { default?: unknown };
  if (typeof brought === 'object' && brought !== null) return brought;
  throw new CommandError(`${file} has no default export that is an extension. Use: export default extension({ ... })`);
}
