import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type ts from 'typescript';
import { NAME } from '../../core/own-package.js';
import { CommandError } from '../terminal/command.js';
import { findProject } from '../terminal/project.js';
import { loadCompiler, parse, type TypeScript } from './compiler.js';
import type { Names } from './names.js';
import type { Registration } from './registration.js';

/** The paths of a feature, relative to its project. */
export interface FeaturePaths {
  /** The folder of the source files. */
  readonly folder: string;
  readonly migration: string;
  readonly test: string;
}

/** The class name and file name of a migration. */
export interface NewMigration {
  readonly Migration: string;
  readonly migrationFile: string;
}

/** Where the files of a feature belong: in an extension project or in this repository. */
export interface Layout {
  readonly root: string;
  /** Whether a feature can have a page of its own. */
  readonly hasPages: boolean;
  pathsOf(names: Names, migration: NewMigration): FeaturePaths;
  /** The module that a file imports a Gatehouse name from. */
  sourceOf(name: string, file: string): string;
  /** What the test of a feature imports in addition to the test kit, and the options that start its service. */
  readonly test: { readonly imports: Readonly<Record<string, readonly string[]>>; readonly options: string };
  /** The files that a new feature is registered in. */
  registrations(names: Names): readonly Registration[];
  /** The steps that remain for the user. */
  next(names: Names): readonly string[];
}

const featurePaths = (tests: string, { many }: Names, { migrationFile }: NewMigration): FeaturePaths => ({
  folder: `src/${many}`,
  migration: `src/migrations/${migrationFile}.ts`,
  test: `${tests}/${many}.e2e-spec.ts`,
});

/** The layout of an extension project. */
export const extensionLayout = (root: string): Layout => ({
  root,
  hasPages: true,
  pathsOf: (names, migration) => featurePaths('test', names, migration),
  sourceOf: (name) => (name === 'testing' ? `${NAME}/testing` : NAME),
  test: {
    imports: {
      '@jest/globals': ['afterAll', 'beforeAll', 'describe', 'expect', 'test'],
      '../src/extension.js': ['default extension'],
    },
    options: '{ ...extension }',
  },
  registrations: ({ many, manyCamel }) => [
    {
      file: 'src/extension.ts',
      imports: { [`./${many}/${many}.feature.js`]: manyCamel },
      lists: { features: manyCamel },
    },
  ],
  next: ({ many }) => [`Run npm test. To see who can call /v1/${many}, run npm run cli -- routes`],
});

/** The names that a module exports from its own declarations. */
function declaredNames(typescript: TypeScript, { statements }: ts.SourceFile): string[] {
  return statements.flatMap((statement) => {
    if (!typescript.canHaveModifiers(statement)) return [];
    const modifiers = typescript.getModifiers(statement) ?? [];
    if (!modifiers.some(({ kind }) => kind === typescript.SyntaxKind.ExportKeyword)) return [];
    const declarations = typescript.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.Statement & { readonly name?: ts.DeclarationName }];
    return declarations.flatMap(({ name }) => (name ? [name.getText()] : []));
  });
}

/** Maps each export of the package entry to its source file. */
function exportedFrom(typescript: TypeScript, root: string): ReadonlyMap<string, string> {
  const read = (path: string) => parse(typescript, path, readFileSync(join(root, path), 'utf8'));
  const found = new Map<string, string>();
  for (const statement of read('src/index.ts').statements) {
    if (!typescript.isExportDeclaration(statement) || !statement.moduleSpecifier) continue;
    const path = posix.join('src', (statement.moduleSpecifier as ts.StringLiteral).text.replace(/\.js$/, '.ts'));
    const { exportClause } = statement;
    const names =
      exportClause && typescript.isNamedExports(exportClause)
        ? exportClause.elements.map(({ name }) => name.text)
        : declaredNames(typescript, read(path));
    for (const name of names) found.set(name, path);
  }
  return found;
}

/** The layout of this repository, where modules import each other directly and never through the package entry. */
function repositoryLayout(root: string, typescript: TypeScript): Layout {
  const exported = exportedFrom(typescript, root);
  const relativeTo = (file: string, path: string) => {
    const relative = posix.relative(dirname(file), path.replace(/\.ts$/, '.js'));
    return relative.startsWith('.') ? relative : `./${relative}`;
  };
  return {
    root,
    hasPages: false,
    pathsOf: (names, migration) => featurePaths('test/contract', names, migration),
    sourceOf(name, file) {
      const path = name === 'testing' ? 'test/support/index.ts' : exported.get(name);
      if (path === undefined) throw new Error(`The entry of the package does not export ${name}.`);
      return relativeTo(file, path);
    },
    test: { imports: {}, options: '' },
    registrations: ({ many, manyCamel }): Registration[] => [
      {
        file: 'src/features.ts',
        imports: { [`./${many}/${many}.feature.js`]: manyCamel },
        lists: { BUILT_IN_FEATURES: manyCamel },
      },
      { file: 'src/index.ts', imports: { [`./${many}/${many}.feature.js`]: null }, lists: {} },
      { file: 'scripts/structure.mjs', imports: {}, lists: { "'webhooks'": `'${many}'` } },
    ],
    next: ({ many }) => [
      `Add a row for ${many}/ to the modules in ARCHITECTURE.md, then run npm run structure -- --write`,
      'npm run -s routes > test/routes.snapshot.txt, and npm run -s schema > test/schema.snapshot.sql',
      'npm run client, and npm run check',
    ],
  };
}

const isRepository = (root: string): boolean =>
  ['src/features.ts', 'src/index.ts', 'scripts/structure.mjs'].every((path) => existsSync(join(root, path)));

/** The project that a folder belongs to. @throws CommandError if there is none */
export async function findLayout(folder: string): Promise<{ layout: Layout; typescript: TypeScript }> {
  const root = findProject(folder)?.folder;
  if (root !== undefined) return { layout: extensionLayout(root), typescript: await loadCompiler(root) };
  for (let above = folder; ; above = dirname(above)) {
    if (isRepository(above)) {
      const typescript = await loadCompiler(above);
      return { layout: repositoryLayout(above, typescript), typescript };
    }
    if (dirname(above) === above) break;
  }
  throw new CommandError(
    `${folder} is not in an extension project. No package.json in it or above has gatehouse.extension.`,
  );
}

/** The creation times of the migrations of a project, in milliseconds since 1970. */
export function migrationTimes(root: string): number[] {
  const folder = join(root, 'src/migrations');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => (/^\d{13}-/.test(name) ? [Number.parseInt(name, 10)] : []));
}
