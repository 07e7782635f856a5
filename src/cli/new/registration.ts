import type ts from 'typescript';
import { CommandError } from '../terminal/command.js';
import { nodesOf, parse, type TypeScript } from './compiler.js';
import { compareImports } from './import-order.js';
import { WIDTH } from './render.js';

/** Elements to insert into lists of a file, and their imports. */
export interface Registration {
  readonly file: string;
  /** Imported names, by source. `null` imports the source for its effects. */
  readonly imports: Readonly<Record<string, string | null>>;
  /**
   * Elements to insert. The key is the name of the property or variable whose array they join, or a text that the array
   * contains: `'webhooks'`.
   */
  readonly lists: Readonly<Record<string, string>>;
}

interface Insertion {
  readonly at: number;
  readonly until: number;
  readonly text: string;
}

function isNamed(typescript: TypeScript, array: ts.ArrayLiteralExpression, name: string): boolean {
  const { parent } = array;
  const isHolder = typescript.isPropertyAssignment(parent) || typescript.isVariableDeclaration(parent);
  if (isHolder && parent.initializer === array) return parent.name.getText() === name;
  return name.startsWith("'") && array.elements.some((element) => element.getText() === name);
}

/** @throws CommandError unless there is exactly one such list */
function requireList(typescript: TypeScript, source: ts.SourceFile, name: string): ts.ArrayLiteralExpression {
  const lists = [...nodesOf(typescript, source)]
    .filter((node) => typescript.isArrayLiteralExpression(node))
    .filter((array) => isNamed(typescript, array, name));
  const [list, ...more] = lists;
  if (list && more.length === 0) return list;
  const fault = list ? String(lists.length) : 'none';
  const wanted = name.startsWith("'") ? `[${name}, ...]` : `${name}: [...]`;
  throw new CommandError(
    `${source.fileName} must contain the list ${wanted} exactly once, but has ${fault}. Nothing was written.`,
  );
}

/** Index for a new element: before trailing spreads such as `...more`, which stay last. */
function insertionIndex(typescript: TypeScript, { elements }: ts.ArrayLiteralExpression): number {
  const isPassedOn = (element: ts.Node) =>
    typescript.isSpreadElement(element) && typescript.isIdentifier(element.expression);
  const last = elements.findLastIndex((element) => !isPassedOn(element));
  return last + 1;
}

/** The indentation of the line at a position. */
function indentAt({ text }: ts.SourceFile, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at) + 1);
  return line.slice(0, line.length - line.trimStart().length);
}

/** Inserts an element into a list, formatted as the formatter would. */
function withElement(typescript: TypeScript, list: ts.ArrayLiteralExpression, element: string): Insertion {
  const source = list.getSourceFile();
  const [at, until] = [list.getStart(), list.getEnd()];
  const written = source.text.slice(at, until);
  const index = insertionIndex(typescript, list);
  const before = list.elements[index - 1];
  if (written.includes('\n')) {
    // An empty list on several lines contains a comment.
    const end = before?.getEnd() ?? at + written.slice(0, -1).trimEnd().length;
    const text = before
      ? `,\n${indentAt(source, before.getStart())}${element}`
      : `\n${indentAt(source, at)}  ${element},`;
    return { at: end, until: end, text };
  }
  const elements = list.elements.map((each) => each.getText()).toSpliced(index, 0, element);
  const oneLine = `[${elements.join(', ')}]`;
  const start = source.text.lastIndexOf('\n', at) + 1;
  const end = source.text.indexOf('\n', until);
  const rest = source.text.slice(until, end < 0 ? undefined : end);
  if (at - start + oneLine.length + rest.length <= WIDTH) return { at, until, text: oneLine };
  const indent = indentAt(source, at);
  return { at, until, text: `[\n${elements.map((each) => `${indent}  ${each},\n`).join('')}${indent}]` };
}

/** Inserts an import at its sorted position. */
function withImport(typescript: TypeScript, source: ts.SourceFile, from: string, name: string | null): Insertion {
  const line = name === null ? `import '${from}';` : `import { ${name} } from '${from}';`;
  const declared = source.statements.filter((statement) => typescript.isImportDeclaration(statement));
  const sourceOf = ({ moduleSpecifier }: ts.ImportDeclaration) => (moduleSpecifier as ts.StringLiteral).text;
  const before = declared.findLast(
    (each) => (each.importClause === undefined) === (name === null) && compareImports(sourceOf(each), from) < 0,
  );
  if (before) return { at: before.getEnd(), until: before.getEnd(), text: `\n${line}` };
  const at = source.statements[0]?.getStart() ?? 0;
  return { at, until: at, text: `${line}\n` };
}

/**
 * Inserts a registration into the text of a file.
 * @throws CommandError if the file cannot be parsed or already contains the registration
 */
export function insertRegistration(
  typescript: TypeScript,
  text: string,
  { file, imports, lists }: Registration,
): string {
  const source = parse(typescript, file, text);
  const { parseDiagnostics = [] } = source as { parseDiagnostics?: readonly unknown[] };
  if (parseDiagnostics.length > 0)
    throw new CommandError(`${file} has syntax errors. Fix them first. Nothing was written.`);
  const isMember = (node: ts.Identifier) => typescript.isPropertyAssignment(node.parent) && node.parent.name === node;
  const known = new Set(
    [...nodesOf(typescript, source)]
      .filter((node) => typescript.isIdentifier(node))
      .filter((node) => !isMember(node))
      .map((node) => node.getText()),
  );
  const taken = Object.values(imports).find((name) => name !== null && known.has(name));
  if (taken !== undefined) throw new CommandError(`${file} already contains ${taken}. Nothing was written.`);
  const insertions = [
    ...Object.entries(lists).map(([name, element]) =>
      withElement(typescript, requireList(typescript, source, name), element),
    ),
    ...Object.entries(imports)
      .sort(([one], [other]) => compareImports(other, one))
      .map(([from, name]) => withImport(typescript, source, from, name)),
  ];
  // Apply from the end, so that positions stay valid. Of two insertions at one position, the first ends up last.
  return insertions
    .sort((one, other) => other.at - one.at)
    .reduce((done, { at, until, text: more }) => done.slice(0, at) + more + done.slice(until), text);
}
