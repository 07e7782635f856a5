import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A block of a guide. */
export interface Block {
  readonly page: string;
  /** Of its first line, from 1. */
  readonly line: number;
  readonly language: string;
  /** The words behind the language. */
  readonly words: readonly string[];
  readonly code: string;
  /** Why no test runs it, where the page says so. */
  readonly reason?: string;
  /** What it prints: the block of text that follows at once. */
  readonly prints?: string;
}

function* markdown(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* markdown(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}

const FENCE = /(?:^<!-- not run: ([^>]+) -->\n)?^```(\w+)((?: \w+)*)\n([\s\S]*?)^```$/gm;

/** Every block of a page, in its order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const found = [...text.matchAll(FENCE)];
  return found.map((match, index) => {
    const [whole, reason, language = '', words = '', code = ''] = match;
    const next = found[index + 1];
    const isFollowed = next?.[2] === 'text' && text.slice((match.index ?? 0) + whole.length, next.index).trim() === '';
    return {
      page,
      line: text.slice(0, match.index).split('\n').length,
      language,
      words: words.trim().split(' ').filter(Boolean),
      code,
      ...(reason ? { reason } : {}),
      ...(isFollowed && language !== 'text' ? { prints: next?.[4] ?? '' } : {}),
    };
  });
}

/** Of the manual; what the other pages of it show is compared with what their own tests run. */
const MANUAL = ['docs/client.md', 'docs/description.md', 'docs/operating.md'];

/** Every page of the guides, by its path, then of the manual. */
export const guidePages = (): string[] => [...[...markdown('docs/guides')].sort(), ...MANUAL];

/** What a block is said to print, as a pattern: `…` stands for anything, on a line of its own for any lines. */
export function patternOf(prints: string): RegExp {
  const lines = prints.trimEnd().split('\n');
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const of = (line: string) => (line === '…' ? '[\\s\\S]*' : line.split('…').map(literal).join('.*'));
  return new RegExp(`^${lines.map(of).join('\\n')}$`);
}
