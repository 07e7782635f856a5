import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
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

interface Newest {
  readonly path: string;
  readonly modified: number;
}

/** The file of these that was modified last. `undefined` if the folder has none. */
function newestIn(folder: string, isMeant: (path: string) => boolean): Newest | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isMeant)
    .map((path) => ({ path, modified: statSync(join(folder, path)).mtimeMs }))
    .sort((one, other) => other.modified - one.modified)[0];
}

/** A warning if a source file was modified after the build. Commands would show routes of an old version. */
function describeOldBuild({ folder, extension }: Project): string | undefined {
  const [output = ''] = normalize(extension).split(sep);
  const source = newestIn(join(folder, 'src'), (path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  const built = newestIn(join(folder, output), (path) => path.endsWith('.js') || path.endsWith('.tsbuildinfo'));
  if (output === 'src' || !source || !built || source.modified <= built.modified) return undefined;
  return `The build is older than src/${source.path}. Run npm run build.`;
}

/**
 * Loads the extension of a project. `warn` receives a line if the build is older than the sources.
 * @throws CommandError if the file is missing or its default export is not an extension
 */
export async function loadExtension(project: Project, warn: (line: string) => void): Promise<Extension> {
  const { folder, extension } = project;
  const file = join(folder, extension);
  if (!existsSync(file)) {
    throw new CommandError(`The extension ${file}, named in package.json, does not exist. Run npm run build first.`);
  }
  const old = describeOldBuild(project);
  if (old) warn(old);
  const { default: brought } = (await import(pathToFileURL(file).href)) as { default?: unknown };
  if (typeof brought === 'object' && brought !== null) return brought;
  throw new CommandError(`${file} has no default export that is an extension. Use: export default extension({ ... })`);
}
