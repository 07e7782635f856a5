import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from './storage.js';

const CHUNK_BYTES = 64 * 1024;

/** Opens an unlinked temporary file, which disappears with the process. */
export async function openSpool(root: string): Promise<FileHandle> {
  const directory = join(root, 'spool');
  const path = join(directory, randomUUID());
  await mkdir(directory, { recursive: true });
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Yields the bytes of a file from its beginning. Unlike `createReadStream`, it leaves the handle open. */
export async function* readFileBytes(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES), position });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes text in chunks, and returns the number of bytes. */
export async function writeText(file: FileHandle, pieces: AsyncIterable<string>): Promise<number> {
  let size = 0;
  let text = '';
  const flush = async () => {
    const bytes = Buffer.from(text);
    text = '';
    size += bytes.length;
    await writeWhole(file, bytes);
  };
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= CHUNK_BYTES) await flush();
  }
  await flush();
  return size;
}

/** Yields the lines of a file. Only a line feed ends a line. */
export async function* readFileLines(file: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of readFileBytes(file)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
