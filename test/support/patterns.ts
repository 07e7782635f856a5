import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression in a source file. */
export interface Pattern {
  /** The file and the text of the pattern, in the format of the list of all patterns. */
  readonly name: string;
  readonly pattern: RegExp;
}

const sourcesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .sort()
    .map((name) => join(folder, name));

/** Finds all regular expression literals in the sources with the TypeScript parser. A call of `RegExp` is an error. */
export function patternsOf(folder: string): Pattern[] {
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const found = new Map<string, Pattern>();
  for (const file of sourcesBelow(folder)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), options);
    const visit = (node: ts.Node): void => {
      const isMade =
        (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(source) === 'RegExp';
      if (isMade) throw new Error(`${file} makes a pattern at run time`);
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
        found.set(`${file} ${node.text}`, { name: `${file} ${node.text}`, pattern });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return [...found.values()];
}

/** Characters that occur in a pattern, and some that do not. */
function charactersOf(source: string): string[] {
  const classes: [RegExp, string][] = [
    ...([[/\\s| /, ' '] as const, [/\\s|\\t/, '\t'] as const, [/\\[wdpP]|0-9/, '5'] as const] as [RegExp, string][]),
    ...([[/\\[wpP]|a-z|\\x21/, 'a'] as const, [/A-Z|\\x21/, 'A'] as const, [/\\p|\\u/, '\u0300'] as const] as [
      RegExp,
      string,
    ][]),
  ];
  const literal = source.replace(/\\[a-zA-Z](?:\{[^}]*\}|[0-9a-f]{2,4})?|\{[\d,]+\}/g, '').replace(/[\\^$*+?()|]/g, '');
  const sampled = classes.filter(([mark]) => mark.test(source)).map(([, character]) => character);
  return [...new Set([...sampled, ...'=/ .a', ...literal])];
}

/** Runs of letters in a pattern, which must match before the rest of the pattern is tried. */
const wordsOf = (source: string): string[] =>
  [...source.replaceAll('\\', '').matchAll(/[A-Za-z0-9_"'%-]*[A-Za-z_"%][:;=/ ]*/g)]
    .map(([word]) => word)
    .filter((word) => word.length > 1 && word.length < 20);

const SOME_CHARACTERS = 8;
const SOME_WORDS = 2;
const ENDS = ['', '\u0001', '\u0001 \u0001'];

/** Creates a text of the given length that may cause backtracking. */
export type Attack = (length: number) => string;

/** Every combination of a prefix, a repeated part and an ending that does not match. */
export function* attacksOn({ source }: RegExp): Generator<Attack> {
  const characters = charactersOf(source);
  const some = characters.slice(0, SOME_CHARACTERS);
  const words = [...new Set(wordsOf(source))];
  const pairs = some.flatMap((first) => some.filter((second) => second !== first).map((second) => first + second));
  for (const pump of [...characters, ...pairs, ...words]) {
    for (const begin of ['', ...words.slice(0, SOME_WORDS), ...characters.slice(0, 1)]) {
      for (const end of ENDS) {
        yield (length) => {
          const room = Math.max(0, length - begin.length - end.length);
          return begin + pump.repeat(Math.ceil(room / pump.length)).slice(0, room) + end;
        };
      }
    }
  }
}
