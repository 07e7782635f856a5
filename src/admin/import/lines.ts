import { isUtf8 } from 'node:buffer';

/** Maximum bytes of a line, without its line break. */
export const MAX_LINE_BYTES = 32_768;

export type LineFault = 'LINE_TOO_LONG' | 'INVALID_UTF8';

/** A line of a file. Numbers start at 1. */
export interface Line {
  readonly number: number;
  /** The offset in the file at which the line ends, in bytes. */
  readonly end: number;
  readonly text: string;
  readonly fault?: LineFault;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** Collects the bytes of one line and discards them if the line is too long. */
class LineCollector {
  private readonly parts: Buffer[] = [];
  private length = 0;

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length <= MAX_LINE_BYTES) this.parts.push(part);
    else this.parts.length = 0;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  take(number: number, end: number): Line {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    const isTooLong = this.length > MAX_LINE_BYTES;
    this.parts.length = 0;
    this.length = 0;
    if (isTooLong) return { number, end, text: '', fault: 'LINE_TOO_LONG' };
    if (!isUtf8(bytes)) return { number, end, text: '', fault: 'INVALID_UTF8' };
    const text = bytes.toString('utf8');
    return { number, end, text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
  }
}

/** Splits a file into lines and skips blank lines. Memory use is limited to one line and one chunk. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const collector = new LineCollector();
  let [number, position] = [0, 0];
  const isTold = ({ text, fault }: Line) => fault !== undefined || text.trim() !== '';
  for await (const chunk of chunks) {
    let begin = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, begin)) {
      collector.add(chunk.subarray(begin, at));
      begin = at + 1;
      const line = collector.take(++number, position + begin);
      if (isTold(line)) yield line;
    }
    collector.add(chunk.subarray(begin));
    position += chunk.length;
  }
  if (collector.isEmpty) return;
  const last = collector.take(++number, position);
  if (isTold(last)) yield last;
}
