import { hash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Log } from '../../core/log.js';

/** `uploads` contains uploaded files and is never readable over HTTP. `media` contains what routes serve. */
export type Bucket = 'uploads' | 'media';

/** First and last byte of a range, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The store failed, whatever the operation. `full`: no space is left. */
export class StorageFault extends Error {
  constructor(
    cause: unknown,
    readonly full: boolean,
  ) {
    super(full ? 'the media store is full' : 'media storage failed', { cause });
  }
}

/** Stores the bytes of media objects. Their metadata is in the database (media.md section 2). */
export abstract class Storage {
  /**
   * Stores an object completely, or not at all if `bytes` throws or `signal` aborts. Replaces an object with the same
   * key.
   * @throws StorageFault, and whatever `bytes` throws
   */
  abstract write(bucket: Bucket, key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /**
   * Returns the bytes of an object or of a range, or `null` if there is none. The caller must consume or destroy the
   * stream. A stream error is also a failure of the store.
   */
  abstract read(bucket: Bucket, key: string, range?: ByteRange): Promise<Readable | null>;
  /** Returns the size in bytes, or `null` if there is no object. */
  abstract size(bucket: Bucket, key: string): Promise<number | null>;
  /** Copies or links the object `from` in `uploads` to `to` in `media`. Returns false if `from` does not exist. */
  abstract publish(from: string, to: string): Promise<boolean>;
  abstract remove(bucket: Bucket, key: string): Promise<void>;
  /** Removes all objects of a bucket whose names (`objectName`) are not kept. Returns their number. */
  abstract removeOthers(bucket: Bucket, kept: ReadonlySet<string>): Promise<number>;
  /** Removes temporary files that crashed writers left more than an hour before `now` (milliseconds). */
  abstract removeAbandonedFiles(now: number): Promise<void>;
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);
const ABANDONED_AFTER_MS = 3_600_000;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

const toStorageFault = (error: unknown): StorageFault =>
  new StorageFault(error, DISK_FULL_CODES.has(codeOf(error) ?? ''));

/** @throws StorageFault for an error of the disk */
export const throwStorageFault = (error: unknown): never => {
  throw toStorageFault(error);
};

/** Names an object by the digest of its key, so that keys never appear in a file system or in a log. */
export function objectName(key: string): string {
  const name = hash('sha256', key, 'hex');
  return `${name.slice(0, 2)}/${name}`;
}

/** Stores objects as local files. */
export class LocalStorage extends Storage {
  constructor(
    private readonly root: string,
    private readonly log: Log,
  ) {
    super();
  }

  /** Logs a disk error with its path, which contains keys only as digests. */
  private logFailure(error: unknown): StorageFault {
    const { code: errno, syscall, path } = error as NodeJS.ErrnoException;
    this.log.error('media storage failed', { errno, syscall, path: path ?? this.root });
    return toStorageFault(error);
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
      await this.attempt(() => this.moveIntoPlace(spool, this.path(bucket, key), signal));
    } catch (error) {
      await rm(spool, { force: true }).catch(() => {});
      throw error;
    }
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.logFailure(error);
    }
  }

  private async create(path: string): Promise<FileHandle> {
    await mkdir(dirname(path), { recursive: true });
    return open(path, 'wx', 0o600);
  }

  private async moveIntoPlace(spool: string, path: string, signal?: AbortSignal): Promise<void> {
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
      throw this.logFailure(error);
    }
  }

  async size(bucket: Bucket, key: string): Promise<number | null> {
    try {
      return (await stat(this.path(bucket, key))).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw this.logFailure(error);
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
      if (codeOf(error) !== 'EEXIST') throw this.logFailure(error);
    }
    return true;
  }

  async remove(bucket: Bucket, key: string): Promise<void> {
    try {
      await rm(this.path(bucket, key), { force: true });
    } catch (error) {
      throw this.logFailure(error);
    }
  }

  async removeOthers(bucket: Bucket, kept: ReadonlySet<string>): Promise<number> {
    let count = 0;
    try {
      const root = join(this.root, bucket);
      await mkdir(root, { recursive: true });
      for (const folder of (await readdir(root)).filter((name) => name !== 'tmp')) {
        for (const name of await readdir(join(root, folder))) {
          if (kept.has(`${folder}/${name}`)) continue;
          await rm(join(root, folder, name), { force: true });
          count++;
        }
      }
    } catch (error) {
      throw this.logFailure(error);
    }
    return count;
  }

  async removeAbandonedFiles(now: number): Promise<void> {
    for (const bucket of ['uploads', 'media'] as const) {
      const directory = join(this.root, bucket, 'tmp');
      const names = await readdir(directory).catch(() => []);
      for (const name of names) {
        const path = join(directory, name);
        const modified = await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => now,
        );
        if (modified < now - ABANDONED_AFTER_MS) await rm(path, { force: true });
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
