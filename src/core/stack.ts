import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const SOURCE_POSITION = /(file:\/\/\/[^\s():]+\.js):(\d+):(\d+)/g;
const maps = new Map<string, SourceMap | undefined>();

function readSourceMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    // Most dependencies have no source map.
    return undefined;
  }
}

function getSourceMap(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readSourceMap(file));
  return maps.get(file);
}

function toSourcePosition(place: string, file: string, line: string, column: string): string {
  const found = getSourceMap(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!found || !('originalSource' in found) || !URL.canParse(found.originalSource, file)) return place;
  const source = new URL(found.originalSource, file);
  return source.protocol === 'file:' ? `${fileURLToPath(source)}:${found.originalLine + 1}` : place;
}

/**
 * The stack of an error with source files and lines. `--enable-source-maps` would read the map of every module during
 * startup. This function reads a map only when an error is logged. The message can contain text of a caller and is not
 * changed.
 */
export function sourceMappedStack({ stack = '', message }: Error): string {
  const messageStart = stack.indexOf(message);
  const frames = stack.indexOf('\n    at ', messageStart < 0 ? 0 : messageStart + message.length);
  return frames < 0 ? stack : stack.slice(0, frames) + stack.slice(frames).replace(SOURCE_POSITION, toSourcePosition);
}
