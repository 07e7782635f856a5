import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { compareImports, compareNaturally } from './import-order.js';

const TEMPLATES = join(import.meta.dirname, 'templates');
const SUFFIX = '.eta';
/** The length of a line, as in the settings of the formatter. */
export const WIDTH = 120;

const eta = new Eta({ views: TEMPLATES, autoEscape: false, autoTrim: false, cache: true });

/** File contents by path. */
export type Files = Readonly<Record<string, string>>;

/** The names of all templates in a folder and its subfolders. */
export const templatesIn = (folder: string): string[] =>
  readdirSync(join(TEMPLATES, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(SUFFIX))
    .map((path) => path.slice(0, -SUFFIX.length))
    .sort();

/** Renders a template, which reads the values from `it`. */
export const render = (template: string, values: object): string => eta.render(`./${template}${SUFFIX}`, values);

/** The name in an import specifier, without `type`. */
export const nameOf = (specifier: string): string => specifier.replace(/^type /, '');
const byName = (one: string, other: string): number => compareNaturally(nameOf(one), nameOf(other));

function importLine(source: string, specifiers: readonly string[]): string {
  const [first = ''] = specifiers;
  if (first.startsWith('default ')) return `import ${first.slice('default '.length)} from '${source}';`;
  const sorted = [...new Set(specifiers)].sort(byName);
  const isOfTypes = sorted.every((specifier) => specifier.startsWith('type '));
  const [word, names] = isOfTypes ? ['import type', sorted.map(nameOf)] : ['import', sorted];
  const line = `${word} { ${names.join(', ')} } from '${source}';`;
  // The formatter never breaks the import of a single name.
  if (line.length <= WIDTH || names.length === 1) return line;
  return `${word} {\n${names.map((name) => `  ${name},\n`).join('')}} from '${source}';`;
}

/** Formats imports, given by source, as the formatter would. */
export const importLines = (wanted: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(wanted)
    .sort(([one], [other]) => compareImports(one, other))
    .map(([source, specifiers]) => importLine(source, specifiers))
    .join('\n');
