import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import typescript from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/guides/teams/mistakes.md'), 'utf8');

/** Messages that Gatehouse does not contain, because another program writes them. Other tests cause each of them. */
const OF_OTHER_PROGRAMS: Readonly<Record<string, string>> = {
  "Nest can't resolve dependencies of the ... (...). Please make sure that the argument ... at index [...] is available in the ... module.":
    'Nest creates the providers',
  'The module at index [...] of the ... "imports" array is undefined.': 'Nest reads the imports of modules',
  "Cannot access '...' before initialization": 'Node.js loads modules that import each other',
  'Migration "..." failed, error: ...': 'TypeORM runs the migrations',
  '... migration name is wrong. Migration class name should have a JavaScript timestamp appended.':
    'TypeORM reads the names of migrations',
  "The current file is a CommonJS module and cannot use 'await' at the top level.": 'the compiler reads package.json',
  "Cannot find module '...' or its corresponding type declarations.": 'the compiler resolves imports',
  'Package subpath \'...\' is not defined by "exports" in ...': 'Node.js resolves imports',
  'Must use import to load ES Module: ...': 'Jest cannot load any file of the package',
  'No tests found, exiting with code 1': 'Jest finds no test',
};

interface Row {
  readonly wrote: string;
  readonly gets: string;
  readonly instead: string;
}

const rows: Row[] = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| You wrote '))
  .map((line) => {
    const [wrote = '', gets = '', instead = '', ...more] = line.slice(1, -1).split(' | ');
    expect([line, more]).toEqual([line, []]);
    return { wrote, gets: gets.trim(), instead: instead.trim() };
  });

const messagesOf = ({ gets }: Row): string[] =>
  gets.startsWith('Works') ? [] : [...gets.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , message]) => message as string);

const VARIABLE = '\0';

/** The parts of a text between its variable parts. Parts without a letter can belong to either. */
const fixedParts = (text: string): string =>
  text
    .split(/\0|\.{3}/)
    .map((part) => part.trim())
    .filter((part) => /[a-z]/i.test(part))
    .join('\n');

/** Every string of a source file, with a character for each value that is inserted at run time. */
function stringsIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: typescript.Node): void => {
    if (typescript.isStringLiteralLike(node)) found.push(node.text);
    if (typescript.isTemplateExpression(node))
      found.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join(VARIABLE),
      );
    typescript.forEachChild(node, visit);
  };
  const text = readFileSync(file, 'utf8');
  visit(typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest, false, typescript.ScriptKind.TS));
  return found;
}

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.c?[jt]s$/.test(path))
    .map((path) => join(ROOT, folder, path));

test('every message on the page is a complete string of the sources, or a message of another program', () => {
  const files = [
    ...filesIn('src'),
    ...filesIn('test/support'),
    join(ROOT, 'src/cli/new/templates/project/jest.config.js.eta'),
  ];
  const known = new Set(files.flatMap(stringsIn).map(fixedParts));
  const messages = rows.flatMap(messagesOf);
  expect(messages.length).toBeGreaterThan(50);
  const own = messages.filter((message) => !Object.hasOwn(OF_OTHER_PROGRAMS, message));
  expect(own.filter((message) => !known.has(fixedParts(message)))).toEqual([]);
  expect(Object.keys(OF_OTHER_PROGRAMS).filter((message) => !messages.includes(message))).toEqual([]);
});

test('every row shows a message or says that it works, and no message has two rows', () => {
  for (const row of rows) {
    expect([row, messagesOf(row).length > 0 || row.gets.startsWith('Works')]).toEqual([row, true]);
    expect(Object.values(row)).not.toContain('');
  }
  const messages = rows.flatMap(messagesOf);
  expect(messages.filter((message, index) => messages.indexOf(message) !== index)).toEqual([]);
});
