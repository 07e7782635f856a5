import { Readable } from 'node:stream';
import type { ByteRange } from '../../platform/storage/storage.js';

/** The first bytes of a stream and, from the beginning again, all of it. */
export interface Peeked {
  readonly head: Buffer;
  /** Whether `head` is everything. */
  readonly isWhole: boolean;
  readonly body: Readable;
}

/**
 * Reads until `length` bytes are there.
 * @throws whatever the stream breaks with
 */
export async function peek(source: Readable, length: number): Promise<Peeked> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const read: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (size < length && !isWhole) {
    const { value, done } = await chunks.next();
    if (done) isWhole = true;
    else {
      read.push(value);
      size += value.length;
    }
  }
  const body = Readable.from(again(read, chunks), { objectMode: false });
  body.once('close', () => source.destroy());
  return { head: Buffer.concat(read), isWhole, body };
}

async function* again(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* read;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The chunks of a stream, which breaks with `fault`. */
export async function* breakingWith(source: Readable, fault: (error: unknown) => Error): AsyncGenerator<Buffer> {
  try {
    yield* source as AsyncIterable<Buffer>;
  } catch (error) {
    throw fault(error);
  }
}

/** Only a part of a stream; what follows is not read. */
export function cut(source: Readable, { start, end }: ByteRange): Readable {
  const part = Readable.from(between(source, start, end), { objectMode: false });
  part.once('close', () => source.destroy());
  return part;
}

async function* between(source: Readable, start: number, end: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const from = Math.max(0, start - at);
    const to = Math.min(chunk.length, end + 1 - at);
    at += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    if (at > end) return;
  }
}
