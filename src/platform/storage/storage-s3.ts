import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { bytesOf, openSpool } from './spool.js';
import { type Bucket, type ByteRange, diskFault, objectName, Storage, StorageFault, writeWhole } from './storage.js';

export type S3Settings = NonNullable<Config['media']['s3']>;

const CONNECT_MS = 5_000;
/** Timeout in milliseconds until a response begins, including retries. */
export const ANSWER_MS = 15_000;
/** Longer for copies, because a server may copy byte by byte before it responds. */
const COPY_MS = 60_000;
/** Milliseconds without data after which a read fails. Detection may take up to twice as long. */
export const SILENCE_MS = 20_000;
const WRITE_MS = 60_000;
const WRITE_BYTES_PER_MS = 16;
const WRITES = 2;

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A request to the S3 server failed. The server's message is dropped because it contains keys and signatures. */
class S3Fault extends StorageFault {
  readonly status: number | undefined;
  readonly reason: string;

  constructor(
    error: unknown,
    readonly isLate: boolean,
  ) {
    const { name, code, $metadata } = error as Error & { code?: unknown; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    const reason = typeof code === 'string' ? code : /^\w{1,64}$/.test(name) ? name : 'Error';
    super(new Error(status === undefined ? reason : `${status} ${reason}`), false);
    this.status = status;
    this.reason = reason;
  }

  /** Whether the server worked correctly: the object or the requested range does not exist. */
  get isAnswer(): boolean {
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
interface Spooled {
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
      logger: SILENT,
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

  private place(bucket: Bucket, key: string): { Bucket: string; Key: string } {
    return { Bucket: this.settings.buckets[bucket], Key: objectName(key) };
  }

  private async ask<T>(
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
      if (!fault.isAnswer) this.log.error('the media store failed', { reason: fault.reason, status: fault.status });
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
    const file = await openSpool(this.root).catch(diskFault);
    try {
      const sha256 = createHash('sha256');
      let size = 0;
      for await (const chunk of bytes) {
        sha256.update(chunk);
        size += chunk.length;
        await writeWhole(file, chunk).catch(diskFault);
      }
      await this.put(bucket, key, { file, size, sha256: sha256.digest('hex') }, signal);
    } finally {
      await file.close();
    }
  }

  private async put(bucket: Bucket, key: string, spooled: Spooled, signal?: AbortSignal): Promise<void> {
    const milliseconds = WRITE_MS + Math.ceil(spooled.size / WRITE_BYTES_PER_MS);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.ask(milliseconds, (abort) => this.putOnce(bucket, key, spooled, abort), signal);
      } catch (error) {
        const isBroken = error instanceof S3Fault && error.status === undefined && !error.isLate;
        if (!isBroken || attempt === WRITES) throw error;
      }
    }
  }

  private async putOnce(
    bucket: Bucket,
    key: string,
    { file, size, sha256 }: Spooled,
    abortSignal: AbortSignal,
  ): Promise<void> {
    const body = Readable.from(bytesOf(file), { objectMode: false });
    const command = new PutObjectCommand({ ...this.place(bucket, key), Body: body, ContentLength: size });
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
      const { Body, ContentRange } = await this.ask(ANSWER_MS, (abortSignal) =>
        this.client.send(new GetObjectCommand({ ...this.place(bucket, key), ...part }), { abortSignal }),
      );
      const body = limitSilence(Body as IncomingMessage);
      if (!range || isPartOf(range, ContentRange)) return body;
      body.destroy();
      throw new StorageFault(new Error('the server sent another part'), false);
    } catch (error) {
      // The range starts after the end of the object.
      if (error instanceof S3Fault && error.status === 416) return Readable.from([], { objectMode: false });
      return nullIfMissing(error);
    }
  }

  async size(bucket: Bucket, key: string): Promise<number | null> {
    const answer = await this.ask(ANSWER_MS, (abortSignal) =>
      this.client.send(new HeadObjectCommand(this.place(bucket, key)), { abortSignal }),
    ).catch(nullIfMissing);
    return answer && (answer.ContentLength ?? 0);
  }

  async publish(from: string, to: string): Promise<boolean> {
    if ((await this.size('media', to)) !== null) return true;
    const { Bucket, Key } = this.place('uploads', from);
    const copy = new CopyObjectCommand({ ...this.place('media', to), CopySource: `${Bucket}/${Key}` });
    const answer = await this.ask(COPY_MS, (abortSignal) => this.client.send(copy, { abortSignal })).catch(
      nullIfMissing,
    );
    return answer !== null;
  }

  async remove(bucket: Bucket, key: string): Promise<void> {
    await this.ask(ANSWER_MS, (abortSignal) =>
      this.client.send(new DeleteObjectCommand(this.place(bucket, key)), { abortSignal }),
    ).catch(nullIfMissing);
  }

  /** Nothing to do: objects are written atomically, and spool files have no name. */
  async tidy(): Promise<void> {}
}

/** Whether the response has the requested range, or the part of it up to the end of the object. */
function isPartOf(range: ByteRange, contentRange = ''): boolean {
  const [, start, end] = /^bytes (\d+)-(\d+)\//.exec(contentRange) ?? [];
  return Number(start) === range.start && Number(end) <= range.end;
}

/** Destroys a body whose server stops sending. A slow reader does not count. */
function limitSilence(body: IncomingMessage): IncomingMessage {
  let seen = -1;
  let timer: NodeJS.Timeout;
  const watch = () => {
    timer = setTimeout(look, SILENCE_MS).unref();
  };
  const look = () => {
    const { bytesRead } = body.socket;
    const isSilent = bytesRead === seen && body.readableLength === 0;
    seen = bytesRead;
    if (isSilent) body.destroy(new StorageFault(new Error('the server went silent'), false));
    else watch();
  };
  watch();
  return body.once('close', () => clearTimeout(timer));
}
