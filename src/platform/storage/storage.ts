import { hash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Log } from '../../core/log.js';

/** `uploads` holds what the relay stored and is never readable over HTTP; `media` is what routes serve. */
export type Bucket = 'uploads' | 'media';

/** The first and the last byte of a part, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The store failed, whatever was asked of it. `full`: it has no room left. */
export class StorageFault extends Error {
  constructor(
    cause: unknown,
    readonly full: boolean,
  ) {
    super(full ? 'the media store is full' : 'the media store failed', { cause });
  }
}

/** Where the bytes of media objects are. What is known of an object stands in the database (media.md section 2). */
export abstract class Storage {
  /**
   * Stores an object: whole, or not at all when `bytes` throws or `signal` ends the time for it. Replaces one of the
   * same key.
   * @throws StorageFault, and whatever `bytes` throws
   */
  abstract write(bucket: Bucket, key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /**
   * The bytes of an object or of a part of it, or `null` if there is none. The caller must consume or destroy it. A
   * stream that breaks is a failure of the store, too.
   */
  abstract read(bucket: Bucket, key: string, range?: ByteRange): Promise<Readable | null>;
  /** The size in bytes, or `null`. */
  abstract size(bucket: Bucket, key: string): Promise<number | null>;
  /** Makes the object `from` in `uploads` also the object `to` in `media`. False if there is none. */
  abstract publish(from: string, to: string): Promise<boolean>;
  abstract remove(bucket: Bucket, key: string): Promise<void>;
  /** Removes what writers that died left behind more than an hour before `now` (milliseconds). */
  abstract tidy(now: number): Promise<void>;
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const ABANDONED_MS = 3_600_000;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

const faultOf = (error: unknown): StorageFault => new StorageFault(error, FULL.has(codeOf(error) ?? ''));

/** @throws StorageFault for what a disk answered */
export const diskFault = (error: unknown): never => {
  throw faultOf(error);
};

/** Objects are named by the digest of their key, so that a key reaches neither a file system nor a store's log. */
export function objectName(key: string): string {
  const name = hash('sha256', key, 'hex');
  return `${name.slice(0, 2)}/${name}`;
}

/** Objects as files. */
export class LocalStorage extends Storage {
  constructor(
    private readonly root: string,
    private readonly log: Log,
  ) {
    super();
  }

  /** What a disk answered, which the log tells with its path: keys stand there as digests. */
  private failed(error: unknown): StorageFault {
    const { code: errno, syscall, path } = error as NodeJS.ErrnoException;
    this.log.error('the media store failed', { errno, syscall, path: path ?? this.root });
    return faultOf(error);
  }

  private path(bucket: Bucket, key: string): string {
    return join(this.root, bucket, objectName(key));
  }

  async write(bucket: Bucket, key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const spool = join(this.root, bucket, 'tmp', randomUUID());
    try {
      const file = await this.attempt(() => this.create(spool));
      try {
        for await (const chunk of bytes) await this.attempt(() => writeWhole(file, chunk));
        await this.attempt(() => file.sync());
      } finally {
        await file.close();
      }
      await this.attempt(() => this.settle(spool, this.path(bucket, key), signal));
    } catch (error) {
      await rm(spool, { force: true }).catch(() => {});
      throw error;
    }
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.failed(error);
    }
  }

  private async create(path: string): Promise<FileHandle> {
    await mkdir(dirname(path), { recursive: true });
    return open(path, 'wx', 0o600);
  }

  private async settle(spool: string, path: string, signal?: AbortSignal): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    signal?.throwIfAborted();
    await rename(spool, path);
    await syncDirectory(dirname(path));
  }

  async read(bucket: Bucket, key: string, range?: ByteRange): Promise<Readable | null> {
    try {
      const file = await open(this.path(bucket, key), constants.O_RDONLY | constants.O_NOFOLLOW);
      return file.createReadStream(range ? { start: range.start, end: range.end } : {});
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw this.failed(error);
    }
  }

  async size(bucket: Bucket, key: string): Promise<number | null> {
    try {
      return (await stat(this.path(bucket, key))).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw this.failed(error);
    }
  }

  async publish(from: string, to: string): Promise<boolean> {
    const target = this.path('media', to);
    try {
      await mkdir(dirname(target), { recursive: true });
      await link(this.path('uploads', from), target);
      await syncDirectory(dirname(target));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return (await this.size('media', to)) !== null;
      if (codeOf(error) !== 'EEXIST') throw this.failed(error);
    }
    return true;
  }

  async remove(bucket: Bucket, key: string): Promise<void> {
    try {
      await rm(this.path(bucket, key), { force: true });
    } catch (error) {
      throw this.failed(error);
    }
  }

  async tidy(now: number): Promise<void> {
    for (const bucket of ['uploads', 'media'] as const) {
      const directory = join(this.root, bucket, 'tmp');
      const names = await readdir(directory).catch(() => []);
      for (const name of names) {
        const path = join(directory, name);
        const modified = await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => now,
        );
        if (modified < now - ABANDONED_MS) await rm(path, { force: true });
      }
    }
  }
}

export async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}

/** Makes a rename or a link durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
