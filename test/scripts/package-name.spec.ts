import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|data|results|fixtures)(?:\/|$)/;

/** Everything that users read or copy: pages, source files with their texts and templates, examples, manifests. */
const PLACES = ['docs', 'examples', 'src', 'client', 'verify', 'deploy', 'bench', 'scripts', 'test', '.ci'];

const textsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter(
      (path) => !LEFT_OUT.test(path) && /(?:\.(?:md|ts|tsx|mjs|cjs|js|json|eta|ya?ml|sh)|\/[A-Za-z]+)$/.test(path),
    );

/** All files except this one. */
const files = [
  ...readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'package-lock.json')
    .map(({ name }) => name),
  ...PLACES.flatMap(textsIn),
].filter((path) => join(ROOT, path) !== import.meta.filename);

/** A package manager command that looks up the name in a registry if it is not installed. */
const BY_NAME =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun) (?:i|install|add|exec|x|dlx|create|init|view|info|update))\b(?: +-[-\w=]+)* +["'`]?(?:gatehouse(?![\w-])|@gatehouse-auth\/)/g;
/** A dependency that a registry resolves: a version, a range, a tag, or an alias of the same name. */
const BY_VERSION =
  /"(?:gatehouse|@gatehouse-auth\/\w+)": *"(?!dist\/|(?!npm:(?:gatehouse\b|@gatehouse-auth\/))[a-z+]+:)[^"]*"/g;

test('the packages are not published yet and the name gatehouse belongs to another one: no file looks them up', () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return [...text.matchAll(BY_NAME), ...text.matchAll(BY_VERSION)].map(([match]) => `${path}: ${match}`);
  });
  expect(found).toEqual([]);
});

test.each([
  'npx gatehouse',
  'npm install @gatehouse-auth/server',
  'npx @gatehouse-auth/server',
  'npx --yes gatehouse@latest',
  'npm i gatehouse',
  'npm install --save "gatehouse"',
  'npm exec gatehouse',
  'pnpm add gatehouse',
  'yarn dlx gatehouse',
])('such a command is found: %s', (command) => expect(command.match(BY_NAME)).toHaveLength(1));

test.each(['"^1.0.0"', '"1.0.0"', '"*"', '"latest"', '"npm:gatehouse@1"', '""'])(
  'such a dependency is found: %s',
  (range) => {
    for (const name of ['gatehouse', '@gatehouse-auth/server']) {
      expect(`"${name}": ${range}`.match(BY_VERSION)).toHaveLength(1);
    }
  },
);
