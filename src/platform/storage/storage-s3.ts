import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { openSpool, readFileBytes } from './spool.js';
import {
  type Bucket,
  type ByteRange,
  objectName,
  Storage,
  StorageFault,
  throwStorageFault,
  writeWhole,
} from './storage.js';

export type S3Settings = NonNullable<Config['media']['s3']>;

const CONNECT_MS = 5_000;
/** Timeout in milliseconds until a response begins, including retries. */
export const S3_RESPONSE_TIMEOUT_MS = 15_000;
/** Longer for copies, because a server may copy byte by byte before it responds. */
const S3_COPY_TIMEOUT_MS = 60_000;
/** Milliseconds without data after which a read fails. Detection may take up to twice as long. */
export const S3_READ_IDLE_TIMEOUT_MS = 20_000;
const S3_WRITE_BASE_TIMEOUT_MS = 60_000;
const WRITE_BYTES_PER_MS = 16;
const WRITES = 2;

const SILENT_LOGGER = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A request to the S3 server failed. The server's message is dropped because it contains keys and signatures. */
class S3Fault extends StorageFault {
  readonly status: number | undefined;
  readonly reason: string;

  constructor(
    error: unknown,
    readonly isTimeout: boolean,
  ) {
    const { name, code, $metadata } = error as Error & { code?: unknown; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    const reason = typeof code === 'string' ? code : /^\w{1,64}$/.test(name) ? name : 'Error';
    super(new Error(status === undefined ? reason : `${status} ${reason}`), false);
    this.status = status;
    this.reason = reason;
  }

  /** Whether the server worked correctly: the object or the requested range does not exist. */
  get isExpected(): boolean {
    return this.isMissing || this.status === 416;
  }

  /** Whether the object does not exist. A missing bucket is a failure of the store. */
  get isMissing(): boolean {
    return this.status === 404 && this.reason !== 'NoSuchBucket';
  }
}

const nullIfMissing = (error: unknown): null => {
  if (error instanceof S3Fault && error.isMissing) return null;
  throw error;
};

/** Data on the local disk, written there until its length and digest are known. */
interface SpooledObject {
  readonly file: FileHandle;
  readonly size: number;
  readonly sha256: string;
}

/** Stores objects in two buckets of an S3-compatible server, under the same names as local files. */
export class S3Storage extends Storage implements OnApplicationShutdown {
  private readonly client: S3Client;

  constructor(
    private readonly settings: S3Settings,
    private readonly root: string,
    private readonly log: Log,
    ca?: readonly string[],
  ) {
    super();
    const { accessKeyId, secretAccessKey, endpoint, region, forcePathStyle } = settings;
    const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
    this.client = new S3Client({
      region,
      forcePathStyle,
      logger: SILENT_LOGGER,
      // S3-compatible servers other than AWS do not support its newer checksums and trailers.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        httpAgent: agent,
        httpsAgent: ca ? { ...agent, ca: [...ca] } : agent,
      },
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    });
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  private locate(bucket: Bucket, key: string): { Bucket: string; Key: string } {
    return { Bucket: this.settings.buckets[bucket], Key: objectName(key) };
  }

  private async runWithTimeout<T>(
    milliseconds: number,
    work: (abortSignal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), milliseconds);
    const end = signal ? AbortSignal.any([late.signal, signal]) : late.signal;
    try {
      return await work(end);
    } catch (error) {
      const fault = new S3Fault(error, end.aborted);
      if (!fault.isExpected) this.log.error('media storage failed', { reason: fault.reason, status: fault.status });
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Spools the bytes first, because S3 needs the length and digest before them, and a broken connection must not fail
   * the client's upload.
   */
  async write(bucket: Bucket, key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const file = await openSpool(this.root).catch(throwStorageFault);
    try {
      const sha256 = createHash('sha256');
      let size = 0;
      for await (const chunk of bytes) {
        sha256.update(chunk);
        size += chunk.length;
        await writeWhole(file, chunk).catch(throwStorageFault);
      }
      await this.put(bucket, key, { file, size, sha256: sha256.digest('hex') }, signal);
    } finally {
      await file.close();
    }
  }

  private async put(bucket: Bucket, key: string, spooled: SpooledObject, signal?: AbortSignal): Promise<void> {
    const milliseconds = S3_WRITE_BASE_TIMEOUT_MS + Math.ceil(spooled.size / WRITE_BYTES_PER_MS);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runWithTimeout(milliseconds, (abort) => this.putOnce(bucket, key, spooled, abort), signal);
      } catch (error) {
        const isBroken = error instanceof S3Fault && error.status === undefined && !error.isTimeout;
        if (!isBroken || attempt === WRITES) throw error;
      }
    }
  }

  private async putOnce(
    bucket: Bucket,
    key: string,
    { file, size, sha256 }: SpooledObject,
    abortSignal: AbortSignal,
  ): Promise<void> {
    const body = Readable.from(readFileBytes(file), { objectMode: false });
    const command = new PutObjectCommand({ ...this.locate(bucket, key), Body: body, ContentLength: size });
    // Makes the signature cover the bytes, even without TLS.
    command.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
        return next(args);
      },
      { step: 'build' },
    );
    try {
      await this.client.send(command, { abortSignal });
    } finally {
      body.destroy();
    }
  }

  async read(bucket: Bucket, key: string, range?: ByteRange): Promise<Readable | null> {
    const part = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
    try {
      const { Body, ContentRange } = await this.runWithTimeout(S3_RESPONSE_TIMEOUT_MS, (abortSignal) =>
        this.client.send(new GetObjectCommand({ ...this.locate(bucket, key), ...part }), { abortSignal }),
      );
      const body = limitIdleTime(Body as IncomingMessage);
      if (!range || matchesRange(range, ContentRange)) return body;
      body.destroy();
      throw new StorageFault(new Error('The server sent a different part of the object'), false);
    } catch (error) {
      // The range starts after the end of the object.
      if (error instanceof S3Fault && error.status === 416) return Readable.from([], { objectMode: false });
      return nullIfMissing(error);
    }
  }

  async size(bucket: Bucket, key: string): Promise<number | null> {
    const response = await this.runWithTimeout(S3_RESPONSE_TIMEOUT_MS, (abortSignal) =>
      this.client.send(new HeadObjectCommand(this.locate(bucket, key)), { abortSignal }),
    ).catch(nullIfMissing);
    return response && (response.ContentLength ?? 0);
  }

  async publish(from: string, to: string): Promise<boolean> {
    if ((await this.size('media', to)) !== null) return true;
    const { Bucket, Key } = this.locate('uploads', from);
    const copy = new CopyObjectCommand({ ...this.locate('media', to), CopySource: `${Bucket}/${Key}` });
    const response = await this.runWithTimeout(S3_COPY_TIMEOUT_MS, (abortSignal) =>
      this.client.send(copy, { abortSignal }),
    ).catch(nullIfMissing);
    return response !== null;
  }

  async remove(bucket: Bucket, key: string): Promise<void> {
    await this.runWithTimeout(S3_RESPONSE_TIMEOUT_MS, (abortSignal) =>
      this.client.send(new DeleteObjectCommand(this.locate(bucket, key)), { abortSignal }),
    ).catch(nullIfMissing);
  }

  async removeOthers(bucket: Bucket, kept: ReadonlySet<string>): Promise<number> {
    const Bucket = this.settings.buckets[bucket];
    let count = 0;
    for (let StartAfter: string | undefined; ; ) {
      const { Contents = [], IsTruncated } = await this.runWithTimeout(S3_RESPONSE_TIMEOUT_MS, (abortSignal) =>
        this.client.send(new ListObjectsV2Command({ Bucket, StartAfter }), { abortSignal }),
      );
      for (const { Key } of Contents) {
        if (Key === undefined || kept.has(Key)) continue;
        await this.runWithTimeout(S3_RESPONSE_TIMEOUT_MS, (abortSignal) =>
          this.client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
        );
        count++;
      }
      StartAfter = Contents.at(-1)?.Key;
      if (!IsTruncated || StartAfter === undefined) return count;
    }
  }

  /** Nothing to do: objects are written atomically, and spool files have no name. */
  async removeAbandonedFiles(): Promise<void> {}
}

/** Whether the response has the requested range, or the part of it up to the end of the object. */
function matchesRange(range: ByteRange, contentRange = ''): boolean {
  const [, start, end] = /^bytes (\d+)-(\d+)\//.exec(contentRange) ?? [];
  return Number(start) === range.start && Number(end) <= range.end;
}

/** Destroys a body whose server stops sending. A slow reader does not count. */
function limitIdleTime(body: IncomingMessage): IncomingMessage {
  let seen = -1;
  let timer: NodeJS.Timeout;
  const watch = () => {
    timer = setTimeout(check, S3_READ_IDLE_TIMEOUT_MS).unref();
  };
  const check = () => {
    const { bytesRead } = body.socket;
    const isSilent = bytesRead === seen && body.readableLength === 0;
    seen = bytesRead;
    if (isSilent) body.destroy(new StorageFault(new Error('The server stopped sending data'), false));
    else watch();
  };
  watch();
  return body.once('close', () => clearTimeout(timer));
}
