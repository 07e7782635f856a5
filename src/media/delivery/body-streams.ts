import { Readable } from 'node:stream';
import type { ByteRange } from '../../platform/storage/storage.js';

/** The first bytes of a stream, and the complete stream including them. */
export interface Peeked {
  readonly head: Buffer;
  /** True if `head` is the complete content. */
  readonly isWhole: boolean;
  readonly body: Readable;
}

/**
 * Reads the first `length` bytes.
 * @throws errors of the stream
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
  return { head: Buffer.concat(read), isWhole, body: replayChunks(read, chunks, source) };
}

/** A stream of the bytes already read, followed by the rest. */
export function replayChunks(
  read: Iterable<Buffer> | AsyncIterable<Buffer>,
  rest: AsyncIterator<Buffer>,
  source: Readable,
): Readable {
  const body = Readable.from(concatenate(read, rest), { objectMode: false });
  body.once('close', () => source.destroy());
  return body;
}

async function* concatenate(
  read: Iterable<Buffer> | AsyncIterable<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* read;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Yields the chunks of a stream and maps its error with `fault`. */
export async function* mapStreamError(source: Readable, fault: (error: unknown) => Error): AsyncGenerator<Buffer> {
  try {
    yield* source as AsyncIterable<Buffer>;
  } catch (error) {
    throw fault(error);
  }
}

/** A stream had more or fewer bytes than declared. */
export class LengthFault extends Error {}

/**
 * A stream of exactly `length` bytes. Fails if the source has more or fewer.
 * The last chunk is sent only after the source has ended, so that a client never gets a complete response for a wrong
 * length.
 */
export function exactLength(source: Readable, length: number): Readable {
  const whole = Readable.from(checkLength(source, length), { objectMode: false });
  whole.once('close', () => source.destroy());
  return whole;
}

async function* checkLength(source: Readable, length: number): AsyncGenerator<Buffer> {
  let left = length;
  let last: Buffer | undefined;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    left -= chunk.length;
    if (left < 0) throw new LengthFault('more bytes than declared');
    if (left === 0) last ??= chunk;
    else yield chunk;
  }
  if (left > 0) throw new LengthFault('fewer bytes than declared');
  if (last) yield last;
}

/** A range of a stream. Bytes after it are not read. */
export function takeRange(source: Readable, { start, end }: ByteRange): Readable {
  const part = Readable.from(sliceStream(source, start, end), { objectMode: false });
  part.once('close', () => source.destroy());
  return part;
}

async function* sliceStream(source: Readable, start: number, end: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const from = Math.max(0, start - at);
    const to = Math.min(chunk.length, end + 1 - at);
    at += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    if (at > end) return;
  }
}
