import type { Terminal } from './command.js';

// Control characters except tab and line feed, bidirectional controls, and separators that some terminals treat as line
// ends.
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Escapes text for a terminal. Characters that could control the terminal or reorder a line are escaped as in JSON, so
 * that JSON output stays equivalent. Line feeds are kept.
 */
export const escapeForTerminal = (text: string): string =>
  text.replace(UNPRINTABLE, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Escapes line feeds of stored text, so that it stays on one line. */
export const escapeLineFeeds = (text: string): string => text.replaceAll('\n', '\\n');

/** Prints a result: with `--json` the value, otherwise lines. A line feed in stored text does not start a line. */
export function printResult(
  { isJson, out }: Pick<Terminal, 'isJson' | 'out'>,
  value: unknown,
  lines: Iterable<string>,
) {
  if (isJson) out(JSON.stringify(value, null, 2));
  else for (const line of lines) out(escapeLineFeeds(line));
}

/** The name and the ID of an account, on one line. */
export const describeAccount = ({ username, id }: { readonly username: string; readonly id: string }): string =>
  `${escapeLineFeeds(username)} (${id})`;

/** A number with a noun. Default plural: the noun with `s`. */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
