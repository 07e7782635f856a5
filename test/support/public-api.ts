import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The entry points of the packages, with their declaration files. */
const ENTRIES = {
  '@gatehouse-auth/server': 'dist/src/index.d.ts',
  '@gatehouse-auth/server/testing': 'dist/test/support/index.d.ts',
  '@gatehouse-auth/client': 'client/dist/index.d.ts',
  '@gatehouse-auth/verify': 'verify/dist/index.d.ts',
  '@gatehouse-auth/verify/node': 'verify/dist/adapters/node.d.ts',
  '@gatehouse-auth/verify/express': 'verify/dist/adapters/express.d.ts',
  '@gatehouse-auth/verify/fastify': 'verify/dist/adapters/fastify.d.ts',
  '@gatehouse-auth/verify/nest': 'verify/dist/adapters/nest.d.ts',
  '@gatehouse-auth/verify/hono': 'verify/dist/adapters/hono.d.ts',
  '@gatehouse-auth/verify/next': 'verify/dist/adapters/next.d.ts',
};

/** Generated from the API description and checked with it. */
const GENERATED = /\/client\/dist\/api\.d\.ts$/;

const printer = ts.createPrinter({ removeComments: true });

/** Reads only declarations of this project, because declarations of libraries are not part of its public API. */
function programOf(files: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = { noLib: true, types: [], module: ts.ModuleKind.NodeNext };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, containing) =>
    names.map(({ text }) => {
      const isOurs = text.startsWith('.') && text.endsWith('.js');
      const resolvedFileName = join(containing, '..', text.replace(/js$/, 'd.ts'));
      return { resolvedModule: isOurs ? { resolvedFileName, extension: ts.Extension.Dts } : undefined };
    });
  return ts.createProgram([...files], options, host);
}

const isPrivate = (member: ts.ClassElement): boolean =>
  ts.canHaveModifiers(member) &&
  (ts.getModifiers(member) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);

/**
 * Removes the private members of a class. Also removes a constructor with private parameter properties, because only
 * this project calls it.
 */
function outsideOf(node: ts.ClassDeclaration, { factory }: ts.TransformationContext): ts.ClassDeclaration {
  const hidden = new Set(node.members.filter(isPrivate).map(({ name }) => name?.getText()));
  const isMadeByOurs = ({ parameters }: ts.ConstructorDeclaration) =>
    parameters.some(({ name }) => hidden.has(name.getText()));
  const members = node.members.filter(
    (member) => !isPrivate(member) && !(ts.isConstructorDeclaration(member) && isMadeByOurs(member)),
  );
  const { modifiers, name, typeParameters, heritageClauses } = node;
  return factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, members);
}

/** Sorts the members of a union, whose order depends on what was compiled before. */
function sorted(node: ts.UnionTypeNode, { factory }: ts.TransformationContext, source: ts.SourceFile) {
  const text = (type: ts.TypeNode) => printer.printNode(ts.EmitHint.Unspecified, type, source);
  return factory.updateUnionTypeNode(
    node,
    factory.createNodeArray([...node.types].sort((a, b) => (text(a) < text(b) ? -1 : 1))),
  );
}

function printed(declaration: ts.Node): string {
  const source = declaration.getSourceFile();
  const { transformed } = ts.transform(declaration, [
    (context) => (root) => {
      const visit = (node: ts.Node): ts.Node => {
        const seen = ts.visitEachChild(ts.isClassDeclaration(node) ? outsideOf(node, context) : node, visit, context);
        return ts.isUnionTypeNode(seen) ? sorted(seen, context, source) : seen;
      };
      return visit(root);
    },
  ]);
  return printer.printNode(ts.EmitHint.Unspecified, transformed[0] as ts.Node, source);
}

/** The statement that declares a variable. Other declarations are returned unchanged. */
const whole = (declaration: ts.Declaration): ts.Node =>
  ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;

/** The names of the members that an interface without a body inherits, because its base type may not be exported. */
function inheritedNames(declaration: ts.Declaration, checker: ts.TypeChecker): string[] {
  if (!ts.isInterfaceDeclaration(declaration) || declaration.members.length > 0) return [];
  const names = checker.getPropertiesOfType(checker.getTypeAtLocation(declaration)).map(({ name }) => name);
  return names.length > 0 ? [`// members: ${names.join(', ')}`] : [];
}

function toldOf(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const declarations = symbol.getDeclarations() ?? [];
  if (declarations.length === 0) throw new Error(`${name} is declared nowhere: build first`);
  if (declarations.some((declaration) => GENERATED.test(declaration.getSourceFile().fileName))) {
    return `${name}: as the API description says`;
  }
  const [only] = declarations.length === 1 ? declarations : [];
  const members = only ? inheritedNames(only, checker) : [];
  return [...[...new Set(declarations.map(whole))].map(printed), ...members].join('\n');
}

export interface Export {
  readonly name: string;
  /** Its declaration, without comments and private members. */
  readonly text: string;
  /** Its docstring in Markdown, without tags. Empty if it has none. */
  readonly about: string;
  readonly declarations: readonly ts.Declaration[];
}

/** The exports of each entry point, by name. `build` is a checkout with its build output. */
export function readExports(build: string): (readonly [entry: string, exports: readonly Export[]])[] {
  const files = Object.values(ENTRIES).map((file) => join(build, file));
  for (const file of files) readFileSync(file);
  const program = programOf(files);
  const checker = program.getTypeChecker();
  return Object.entries(ENTRIES).map(([entry, file]) => {
    const source = program.getSourceFile(join(build, file)) as ts.SourceFile;
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
    const exports = exported.map((alias): Export => {
      const isAlias = (alias.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(alias) : alias;
      return {
        name: alias.name,
        text: toldOf(alias.name, symbol, checker),
        about: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        declarations: symbol.getDeclarations() ?? [],
      };
    });
    return [entry, exports.sort((a, b) => (a.name < b.name ? -1 : 1))] as const;
  });
}

/** The declarations of all exports of the packages, by entry point and name. */
export const publicApiOf = (build: string): string =>
  readExports(build)
    .map(([entry, exports]) => `// ${entry}\n\n${exports.map(({ text }) => text).join('\n')}\n`)
    .join('\n');
