import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Clock } from '../../core/clock.js';
import { NAME } from '../../core/own-package.js';
import { type Command, CommandError, UsageError } from '../terminal/command.js';
import { printResult } from '../terminal/words.js';
import type { TypeScript } from './compiler.js';
import { findLayout, type Layout, migrationTimes, type NewMigration } from './layout.js';
import { deriveNames, type Names } from './names.js';
import { insertRegistration } from './registration.js';
import { type Files, importLines, nameOf, render, WIDTH } from './render.js';
import { type Changes, writeAll } from './write.js';

/** The imports of one file. Sources are `@gatehouse-auth/server`, its `testing` entry or other modules. */
type ImportMap = Readonly<Record<string, readonly string[]>>;

/** Resolves imports to the modules that this file imports them from. */
function resolveImports({ sourceOf }: Layout, file: string, wanted: ImportMap): ImportMap {
  const found: Record<string, string[]> = {};
  const add = (source: string, specifier: string) => {
    found[source] = [...(found[source] ?? []), specifier];
  };
  for (const [source, specifiers] of Object.entries(wanted)) {
    for (const specifier of specifiers) {
      if (source === NAME) add(sourceOf(nameOf(specifier), file), specifier);
      else add(source === `${NAME}/testing` ? sourceOf('testing', file) : source, specifier);
    }
  }
  return found;
}

/** Parts of a feature that an option adds. */
export interface FeatureParts {
  readonly check: boolean;
  readonly job: boolean;
  readonly page: boolean;
}

/** A list of a module. Formatted as the formatter would. */
function moduleList(name: string, names: readonly (string | false)[]): string {
  const present = names.filter((each) => each !== false);
  const line = `  ${name}: [${present.join(', ')}],`;
  return line.length <= WIDTH ? line : `  ${name}: [\n${present.map((each) => `    ${each},\n`).join('')}  ],`;
}

/** Names the migration of a feature, later than all existing ones. */
export function newMigration({ many, Many }: Names, earlier: readonly number[]): NewMigration {
  const time = Math.max(new Clock().now(), ...earlier.map((each) => each + 1));
  return { Migration: `Create${Many}${time}`, migrationFile: `${time}-create-${many}` };
}

/** The files of a feature, by path. */
export function featureFiles(
  layout: Layout,
  names: Names,
  migration: NewMigration,
  has: FeatureParts = { check: false, job: false, page: false },
): Files {
  const { folder, migration: migrationFile, test } = layout.pathsOf(names, migration);
  const { many } = names;
  const templates = {
    feature: `${folder}/${many}.feature.ts`,
    module: `${folder}/${many}.module.ts`,
    controller: `${folder}/${many}.controller.ts`,
    'admin.controller': `${folder}/${many}-admin.controller.ts`,
    dto: `${folder}/${many}.dto.ts`,
    service: `${folder}/${many}.service.ts`,
    entities: `${folder}/${many}.entities.ts`,
    ...(has.check ? { check: `${folder}/${many}.check.ts` } : {}),
    ...(has.job ? { job: `${folder}/${many}.job.ts` } : {}),
    ...(has.page
      ? { 'page.controller': `${folder}/${many}-page.controller.ts`, page: `${folder}/${many}.page.ts` }
      : {}),
    migration: migrationFile,
    'e2e-spec': test,
  };
  const made = Object.entries(templates).map(([template, path]) => {
    const values = {
      ...names,
      ...migration,
      imports: (wanted: ImportMap) => importLines(resolveImports(layout, path, wanted)),
      moduleOf: (name: string) => layout.sourceOf(name, path),
      test: layout.test,
      has,
      list: moduleList,
    };
    return [path, render(`feature/${template}.ts`, values)];
  });
  return Object.fromEntries(made);
}

/**
 * Collects the changes of a new feature without writing anything. @throws CommandError if the feature cannot be created
 */
function featureChanges(layout: Layout, typescript: TypeScript, names: Names, has: FeatureParts): Changes {
  const { root } = layout;
  if (has.page && !layout.hasPages)
    throw new CommandError(
      '--page works only in an extension project. The pages of Gatehouse are in web/. Nothing was written.',
    );
  const migration = newMigration(names, migrationTimes(root));
  const { folder } = layout.pathsOf(names, migration);
  const isMade =
    existsSync(join(root, 'src/migrations')) &&
    readdirSync(join(root, 'src/migrations')).some((name) => name.endsWith(`-create-${names.many}.ts`));
  if (existsSync(join(root, folder)) || isMade) {
    throw new CommandError(`${names.many} already exist in ${root}. Nothing was written.`);
  }
  const changed = layout.registrations(names).map((registration) => {
    const path = join(root, registration.file);
    if (!existsSync(path)) throw new CommandError(`${path} does not exist. Nothing was written.`);
    return [registration.file, insertRegistration(typescript, readFileSync(path, 'utf8'), registration)];
  });
  return { created: featureFiles(layout, names, migration, has), changed: Object.fromEntries(changed) };
}

export const newFeature: Command = async (args, terminal) => {
  const { folder = '.' } = terminal;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      plural: { type: 'string' },
      check: { type: 'boolean', default: false },
      job: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
    },
  });
  const [noun, ...more] = positionals;
  if (noun === undefined || more.length > 0) throw new UsageError('Give one noun, such as bookmark.');
  const names = deriveNames(noun, values.plural);
  const { layout, typescript } = await findLayout(resolve(folder));
  const changes = featureChanges(layout, typescript, names, values);
  writeAll(layout.root, changes);
  const made = {
    created: Object.keys(changes.created),
    changed: Object.keys(changes.changed),
    next: layout.next(names),
  };
  printResult(terminal, { feature: names.many, folder: layout.root, ...made }, [
    ...made.created.map((path) => `created  ${path}`),
    ...made.changed.map((path) => `changed  ${path}`),
    ...made.next.map((step) => `next     ${step}`),
  ]);
  return 0;
};
