import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A code block of a guide. */
export interface Block {
  readonly page: string;
  /** The number of its first line, starting at 1. */
  readonly line: number;
  readonly language: string;
  /** The words after the language in the opening line. */
  readonly words: readonly string[];
  readonly code: string;
  /** The reason that the page gives if no test runs the block. */
  readonly reason?: string;
  /** The expected output, if a text block follows immediately. */
  readonly prints?: string;
}

function* markdown(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* markdown(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}

/** A block in a list is indented. */
const FENCE = /(?:^ *<!-- not run: ([^>]+) -->\n)?^( *)```(\w+)((?: \w+)*)\n([\s\S]*?)^\2```$/gm;

/** All code blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const found = [...text.matchAll(FENCE)];
  return found.map((match, index) => {
    const [whole, reason, indent = '', language = '', words = '', code = ''] = match;
    const next = found[index + 1];
    const isFollowed = next?.[3] === 'text' && text.slice((match.index ?? 0) + whole.length, next.index).trim() === '';
    return {
      page,
      line: text.slice(0, match.index).split('\n').length,
      language,
      words: words.trim().split(' ').filter(Boolean),
      code: indent ? code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') : code,
      ...(reason ? { reason } : {}),
      ...(isFollowed && language !== 'text' ? { prints: next?.[5] ?? '' } : {}),
    };
  });
}

/** Pages of the manual whose blocks are run. The examples of the other manual pages are checked by their own tests. */
const MANUAL = ['docs/client.md', 'docs/description.md'];

/** The paths of all pages: the guides, sorted, then the manual. */
export const guidePages = (): string[] => [...[...markdown('docs/guides')].sort(), ...MANUAL];

/** Converts an expected output to a pattern. `…` matches any text, and any lines if it is on its own line. */
export function patternOf(prints: string): RegExp {
  const lines = prints.trimEnd().split('\n');
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const of = (line: string) => (line === '…' ? '[\\s\\S]*' : line.split('…').map(literal).join('.*'));
  return new RegExp(`^${lines.map(of).join('\\n')}$`);
}
