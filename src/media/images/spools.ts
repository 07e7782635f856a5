import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { unavailable } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { ownWorker } from '../../core/workers/own-worker.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import type { Content } from '../delivery/delivery.js';

const MIB = 1024 * 1024;
/** Limit for the temporary image data of one process, in bytes. */
const SPOOL_BUDGETS = { files: 1024 * MIB, memory: 128 * MIB };
const READ_CHUNK_BYTES = 64 * 1024;

type StorageKind = keyof typeof SPOOL_BUDGETS;
/** Writes the next bytes; resolves once they are written. */
export type WriteChunk = (chunk: Buffer) => Promise<void>;

/** Directory of this process for cached transforms and temporary files. */
export const cacheDirectory = ({ dataDir }: Config): string =>
  join(dataDir, 'media-cache', ownWorker ? `worker-${ownWorker.number}` : '');

/** Bytes shared by any number of readers. They are released with the last holder. */
export class Spooled implements Content {
  private holders = 1;

  constructor(
    readonly size: number,
    private readonly bytes: FileHandle | readonly Buffer[],
    private readonly drop: () => void,
  ) {}

  async open({ start, end }: ByteRange = { start: 0, end: this.size - 1 }): Promise<Readable> {
    const pieces = 'fd' in this.bytes ? readFileRange(this.bytes, start, end) : readMemoryRange(this.bytes, start, end);
    return Readable.from(pieces, { objectMode: false });
  }

  hold(): void {
    this.holders++;
  }

  /** Holds it until a reader is gone. */
  holdUntil(gone: AbortSignal): void {
    if (gone.aborted) return;
    this.hold();
    gone.addEventListener('abort', () => this.release(), { once: true });
  }

  release(): void {
    if (--this.holders === 0) this.drop();
  }
}

async function* readFileRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; ) {
    const length = Math.min(READ_CHUNK_BYTES, end + 1 - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function* readMemoryRange(chunks: readonly Buffer[], start: number, end: number): Generator<Buffer> {
  let at = 0;
  for (const chunk of chunks) {
    const from = Math.max(0, start - at);
    const to = Math.min(chunk.length, end + 1 - at);
    for (let begin = from; begin < to; begin += READ_CHUNK_BYTES)
      yield chunk.subarray(begin, Math.min(to, begin + READ_CHUNK_BYTES));
    at += chunk.length;
  }
}

/**
 * Temporary storage for content that is too large to copy for each reader. Uses files that are deleted while open.
 * If a file cannot be written, uses memory, which has a smaller budget.
 */
@Injectable()
export class Spools {
  private readonly usedBytes = { files: 0, memory: 0 };
  private readonly directory: string;

  constructor(
    config: Config,
    private readonly log: Log,
  ) {
    this.directory = cacheDirectory(config);
  }

  /**
   * Stores the bytes that `work` writes. The caller releases the result. `settle` may move the file to keep it.
   * @throws ApiError SERVICE_UNAVAILABLE, and errors of `work`
   */
  async fill<T>(
    work: (take: WriteChunk) => Promise<T>,
    settle?: (path: string, size: number) => Promise<void>,
  ): Promise<{ spooled: Spooled; sha256: Buffer; value: T }> {
    const path = join(this.directory, `${randomUUID()}.tmp`);
    const filling = new Filling(this.usedBytes, await this.create(path), (error) => this.warn(error));
    try {
      const value = await work((chunk) => filling.take(chunk));
      if (filling.file) await settle?.(path, filling.size).catch((error) => this.warn(error));
      return { spooled: filling.end(), sha256: filling.digest(), value };
    } catch (error) {
      filling.drop();
      throw error;
    } finally {
      await rm(path, { force: true }).catch(() => {});
    }
  }

  private async create(path: string): Promise<FileHandle | undefined> {
    try {
      await mkdir(this.directory, { recursive: true });
      return await open(path, 'wx+', 0o600);
    } catch (error) {
      this.warn(error);
      return undefined;
    }
  }

  private warn(error: unknown): void {
    this.log.warn('writing an image to a temporary file failed', { error });
  }
}

/** Writes bytes to a file, or to memory after the file has failed. */
class Filling {
  size = 0;
  private counted = 0;
  private readonly chunks: Buffer[] = [];
  private readonly sha256 = createHash('sha256');
  private isDropped = false;

  constructor(
    private readonly usedBytes: Record<StorageKind, number>,
    public file: FileHandle | undefined,
    private readonly warn: (error: unknown) => void,
  ) {}

  private get storageKind(): StorageKind {
    return this.file ? 'files' : 'memory';
  }

  async take(chunk: Buffer): Promise<void> {
    if (this.isDropped) throw unavailable(1);
    this.count(chunk.length);
    this.sha256.update(chunk);
    await this.file?.appendFile(chunk).catch((error) => this.moveToMemory(error));
    if (!this.file) this.chunks.push(chunk);
    this.size += chunk.length;
  }

  private count(bytes: number): void {
    const { usedBytes, storageKind } = this;
    if (usedBytes[storageKind] + bytes > SPOOL_BUDGETS[storageKind]) throw unavailable(1);
    usedBytes[storageKind] += bytes;
    this.counted += bytes;
  }

  private uncount(): void {
    this.usedBytes[this.storageKind] -= this.counted;
    this.counted = 0;
  }

  /** Continues in memory with the bytes that are already in the file. */
  private async moveToMemory(error: unknown): Promise<void> {
    const { file, counted, isDropped } = this;
    if (!file || isDropped) throw error;
    this.warn(error);
    this.uncount();
    this.file = undefined;
    try {
      this.count(counted);
      for await (const piece of readFileRange(file, 0, this.size - 1)) this.chunks.push(piece);
    } finally {
      await file.close();
    }
  }

  digest(): Buffer {
    return this.sha256.digest();
  }

  end(): Spooled {
    return new Spooled(this.size, this.file ?? this.chunks, () => this.drop());
  }

  drop(): void {
    this.isDropped = true;
    this.uncount();
    void this.file?.close().catch(() => {});
  }
}
