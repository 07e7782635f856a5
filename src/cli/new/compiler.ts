import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type ts from 'typescript';
import { CommandError } from '../terminal/command.js';

export type TypeScript = typeof ts;

/**
 * Loads the TypeScript of a project, because a running service does not depend on it. @throws CommandError if it is
 * missing
 */
export async function loadCompiler(root: string): Promise<TypeScript> {
  let path: string;
  try {
    path = createRequire(join(root, 'package.json')).resolve('typescript');
  } catch {
    throw new CommandError(`TypeScript is not installed in ${root}. Run npm install there first.`);
  }
  return ((await import(pathToFileURL(path).href)) as { default: TypeScript }).default;
}

export const parse = (typescript: TypeScript, name: string, text: string): ts.SourceFile =>
  typescript.createSourceFile(name, text, typescript.ScriptTarget.Latest, true);

/** Every node of a file, parents first. */
export function* nodesOf(typescript: TypeScript, node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  typescript.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(typescript, child);
}
