import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type ts from 'typescript';
import { CommandError } from '../terminal/command.js';

export type TypeScript = typeof ts;

/** The compiler of a project: it is no dependency of a running service. @throws CommandError when there is none */
export async function compilerOf(root: string): Promise<TypeScript> {
  let path: string;
  try {
    path = createRequire(join(root, 'package.json')).resolve('typescript');
  } catch {
    throw new CommandError(`TypeScript is not installed in ${root}: run npm install there first`);
  }
  return ((await import(pathToFileURL(path).href)) as { default: TypeScript }).default;
}

export const parse = (typescript: TypeScript, name: string, text: string): ts.SourceFile =>
  typescript.createSourceFile(name, text, typescript.ScriptTarget.Latest, true);

/** Every node of a file, the outer ones first. */
export function* nodesOf(typescript: TypeScript, node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  typescript.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(typescript, child);
}
