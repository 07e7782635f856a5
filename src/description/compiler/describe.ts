import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type ts from 'typescript';
import type { ApiMetadata, ThrownCodes } from '../api-metadata.js';
import { ControllerReader } from './handlers.js';
import type { TypeScript } from './schemas.js';

/** The root folder of this package, both from its sources and from its build. */
const PACKAGE_ROOT = ((): string => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  return folder.endsWith('/dist') ? dirname(folder) : folder;
})();

/** What functions of this package throw, for programs that import it. */
function loadPackageCalls(root: string): Map<string, Readonly<Record<string, ThrownCodes>>> {
  if (root === PACKAGE_ROOT) return new Map();
  const file = fileURLToPath(new URL('../api-metadata.json', import.meta.url));
  return new Map([[PACKAGE_ROOT, (JSON.parse(readFileSync(file, 'utf8')) as ApiMetadata).calls]]);
}

/**
 * Describes the responses of every controller in a program.
 * @throws Error with everything that cannot be described
 */
export function describeProgram(typescript: TypeScript, program: ts.Program, root: string): ApiMetadata {
  return new ControllerReader(typescript, program, root, loadPackageCalls(root)).describe(join(root, 'src/index.ts'));
}

/**
 * Compiles a project in memory and describes its controllers. Uses the TypeScript of the project, because a running
 * service does not depend on it.
 */
export async function describeProject(project: string): Promise<ApiMetadata> {
  const file = resolve(project);
  const compiler = createRequire(file).resolve('typescript');
  const { default: typescript } = (await import(pathToFileURL(compiler).href)) as { default: TypeScript };
  const faults: string[] = [];
  const options = { noEmit: true, incremental: false, composite: false };
  const read = typescript.getParsedCommandLineOfConfigFile(file, options, {
    ...typescript.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) =>
      faults.push(typescript.flattenDiagnosticMessageText(messageText, '\n')),
  });
  if (!read || faults.length > 0) throw new Error(`${project}: ${faults.join('; ')}`);
  const program = typescript.createProgram(read.fileNames, { ...read.options, tsBuildInfoFile: undefined });
  return describeProgram(typescript, program, dirname(file));
}
