import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NAME, ownFolder, ownPackage } from '../../core/own-package.js';
import { type Command, CommandError, type Terminal, UsageError } from '../terminal/command.js';
import { printResult } from '../terminal/words.js';
import { featureFiles, newMigration } from './feature.js';
import { extensionLayout } from './layout.js';
import { assertPackageName, deriveNames, type Names } from './names.js';
import { type Files, importLines, render, templatesIn } from './render.js';
import { writeAll } from './write.js';

/** Development dependencies of a project, in the versions that this package uses. */
const TOOLS = ['@jest/globals', '@types/node', 'ajv', 'jest', 'supertest', 'typescript'];

/** Dependencies that this package does not declare itself, in the versions of `scripts/package.json`. */
const MORE_TOOLS = { '@biomejs/biome': '2.5.15', '@nestjs/cli': '~12.0.8' };

/** The input of a new project. */
interface Plan {
  readonly name: string;
  readonly description: string;
  readonly example: Names;
  /**
   * The source from which npm installs Gatehouse. Never a version, because npm would look it up on a public
   * registry.
   */
  readonly gatehouse: string;
}

const lines = (versions: Readonly<Record<string, string>>): string =>
  Object.entries(versions)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, version]) => `    ${JSON.stringify(name)}: ${JSON.stringify(version)}`)
    .join(',\n');

/** A new project uses the dependency versions of this package, because there must be only one copy of each. */
function packageValues({ gatehouse }: Plan) {
  const { version, engines, dependencies, devDependencies, peerDependencies, peerDependenciesMeta, overrides } =
    ownPackage();
  const versions: Readonly<Record<string, string>> = { ...devDependencies, ...dependencies, ...peerDependencies };
  const peers = Object.keys(peerDependencies);
  const isOptional = (name: string) => peerDependenciesMeta[name]?.optional === true;
  const versionsOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, versions[name] as string]));
  return {
    node: engines.node,
    compatibleWith: `^${version}`,
    dependencies: lines({ [NAME]: gatehouse, ...versionsOf(peers.filter((name) => !isOptional(name))) }),
    // npm applies only the overrides of the project itself. `$` refers to one of its dependencies.
    overrides: JSON.stringify(
      Object.fromEntries(Object.entries(overrides).filter(([, value]) => !JSON.stringify(value).includes('$'))),
      null,
      2,
    ).replaceAll('\n', '\n  '),
    devDependencies: lines({ ...versionsOf([...TOOLS, ...peers.filter(isOptional)]), ...MORE_TOOLS }),
  };
}

/** `_gitignore` becomes `.gitignore`, because npm packages cannot contain that file. */
const targetOf = (template: string): string =>
  template
    .split('/')
    .map((part) => part.replace(/^_/, '.'))
    .join('/');

/** The files of a project, by path. */
function projectFiles(root: string, plan: Plan): Files {
  const { example } = plan;
  const migration = newMigration(example, []);
  const values = {
    ...example,
    ...migration,
    ...packageValues(plan),
    name: plan.name,
    description: plan.description,
    gatehouse: plan.gatehouse,
    // If the package is a file in the project, the image needs it before npm installs from it.
    copied: [...plan.gatehouse.matchAll(/^file:((?!\/|\.\.).+)$/g)].map(([, file]) => file),
    slug: plan.name.replace('@', '').replace(/[^a-z0-9]+/g, '-'),
    imports: importLines,
  };
  const own = templatesIn('project').map((template) => [targetOf(template), render(`project/${template}`, values)]);
  return { ...Object.fromEntries(own), ...featureFiles(extensionLayout(root), example, migration) };
}

/** @throws CommandError if the path is a file or a folder that is not empty */
function assertEmptyFolder(root: string): void {
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw new CommandError(`${root} is a file. Nothing was written.`);
  if (readdirSync(root).length > 0) throw new CommandError(`${root} is not empty. Nothing was written.`);
}

/** Asks until the input is valid. Empty input means `fallback`. */
async function askUntilValid(
  { ask, err }: Terminal,
  question: string,
  fallback: string,
  check: (text: string) => unknown,
) {
  for (;;) {
    const response = (await ask?.(`${question} (${fallback}) `))?.trim() || fallback;
    try {
      check(response);
      return response;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      err(error.message);
    }
  }
}

const assertDescription = (text: string): void => {
  if (text.length > 200 || /[\p{Cc}<>`]/u.test(text)) {
    throw new UsageError('The description must be one line of at most 200 characters, without <, > and `.');
  }
};

/** The folder of a project for packages that no registry has. */
const VENDOR = 'vendor';

/** The file that `npm pack` writes. */
const tarball = (): string => `${VENDOR}/gatehouse-auth-server-${ownPackage().version}.tgz`;

/** @throws UsageError if npm would look up the source on a public registry, where this package is not published */
const assertSource = (source: string): void => {
  if (!/^(?!npm:(?:gatehouse|@gatehouse-auth\/\w+)(?:@|$))[a-z+]+:./.test(source)) {
    throw new UsageError(
      `--gatehouse must be file:<path>, a URL or an alias, such as file:${tarball()} or npm:@acme/gatehouse@^${ownPackage().version}. ${NAME} is not published yet.`,
    );
  }
};

export const newProject: Command = async (args, terminal) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      directory: { type: 'string' },
      description: { type: 'string' },
      noun: { type: 'string' },
      plural: { type: 'string' },
      gatehouse: { type: 'string' },
      yes: { type: 'boolean' },
    },
  });
  const isInteractive = terminal.ask !== undefined && !values.yes && !terminal.isJson;
  const answerOf = async (
    given: string | undefined,
    question: string,
    fallback: string,
    check: (text: string) => unknown,
  ) => {
    if (given === undefined && isInteractive) return askUntilValid(terminal, question, fallback, check);
    check(given ?? fallback);
    return given ?? fallback;
  };
  const [given, ...more] = positionals;
  if (more.length > 0 || (given === undefined && !isInteractive))
    throw new UsageError('Give one project name, such as notes-service.');
  const name = await answerOf(given, 'Name of the project', 'my-service', assertPackageName);
  const root = resolve(terminal.folder ?? '.', values.directory ?? (name.split('/').at(-1) as string));
  assertEmptyFolder(root);
  const description = await answerOf(
    values.description,
    'What it is for',
    'A service on Gatehouse.',
    assertDescription,
  );
  const noun = await answerOf(values.noun, 'Noun of the example feature', 'note', (text) =>
    deriveNames(text, values.plural),
  );
  const example = deriveNames(noun, values.plural);
  const packed = `file:${tarball()}`;
  const gatehouse = values.gatehouse ?? packed;
  assertSource(gatehouse);
  const files = projectFiles(root, { name, description, example, gatehouse });
  writeAll(root, { created: files, changed: {} });
  const created = Object.keys(files).sort();
  const pack = gatehouse === packed ? [`npm pack --ignore-scripts --pack-destination ${VENDOR} ${ownFolder()}`] : [];
  const next = [`cd ${root}`, ...pack, 'npm install', 'npm run check', 'npm run build && npm start'];
  printResult(terminal, { project: name, folder: root, created, next }, [
    `${name}: ${created.length} files in ${root}`,
    ...next.map((step) => `next  ${step}`),
  ]);
  return 0;
};
