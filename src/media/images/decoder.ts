import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../../core/errors.js';
import type { WriteChunk } from './spools.js';

export const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;
export type ImageFormat = (typeof FORMATS)[number];
export type Quality = 'low' | 'auto' | 'high' | 'lossless';

/** Image metadata, read without decoding pixels. Width and height are after rotation by EXIF orientation. */
export interface ImageFacts {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/** A rendering request for a decoder process. */
export interface RenderRequest {
  readonly format: ImageFormat;
  readonly quality: Quality;
  /** True: all frames; false: only the first. */
  readonly moves: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly fit: 'cover' | 'inside';
}

/** The bytes are not an image of a supported format, or exceed a limit. */
export class ImageFault extends Error {}

/** The decoder process ended for a reason other than its image. */
export class DecoderCrashed extends Error {}

/** A message from a decoder process: ready, image facts, the size of the following result, or an error. */
interface DecoderMessage {
  readonly ready?: true;
  readonly facts?: ImageFacts;
  readonly size?: number;
  readonly fault?: true;
  /** Resident memory of the process in bytes. */
  readonly memory?: number;
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const SCRIPT = fileURLToPath(new URL('./decoder-process.mjs', import.meta.url));
/** JavaScript heap limit. Image data is outside the heap. */
const HEAP_MB = 64;
/** Signal with which the process ends itself when it exceeds its memory limit. */
const MEMORY_EXCEEDED_SIGNAL = 'SIGUSR2';
const MAX_STDERR_LENGTH = 2000;
/** Limit for results, for example lossless versions of large photographs. */
const MAX_RESULT_BYTES = 50 * 1024 * 1024;

/**
 * A process that decodes and encodes images, one at a time (`decoder-process.mjs`).
 * It inherits no environment. It ends when this process ends, even after a crash.
 */
export class Decoder {
  private readonly child: ChildProcess;
  /** Why the process ended. `waiting` contains the callbacks to notify. */
  private failure: Error | undefined;
  private readonly waiting = new Set<(failure: Error) => void>();
  private resolveResponse: (response: DecoderMessage) => void = () => {};
  private isReady = false;
  private stderrTail = '';
  isAlive = true;
  /** True if it exceeded its memory limit. */
  hasExceededMemory = false;
  /** Last reported memory of the process in bytes. */
  memory = 0;

  constructor(memoryBytes: number, onEnd: () => void) {
    const child = fork(SCRIPT, [String(memoryBytes)], {
      env: { PATH: process.env.PATH },
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    child.on('message', (response: DecoderMessage) => this.onMessage(response));
    child.stderr?.on('data', (chunk) => {
      this.stderrTail = `${this.stderrTail}${chunk}`.slice(0, MAX_STDERR_LENGTH);
    });
    // Writes after the end fail. The exit handlers below report the end.
    child.stdin?.on('error', () => {});
    const over = (signal: NodeJS.Signals | null) => {
      this.isAlive = false;
      this.failure ??= this.lossError(signal);
      for (const fail of this.waiting) fail(this.failure);
      onEnd();
    };
    child.once('exit', (_code, signal) => over(signal));
    child.once('error', (error) => {
      this.stderrTail ||= error.message;
      over(null);
    });
    for (const handle of [child, child.channel, child.stdin, child.stdout, child.stderr]) {
      (handle as { unref?(): void } | null | undefined)?.unref?.();
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Sends an image of `size` bytes and returns its metadata.
   * @throws ImageFault, DecoderLost, errors of `bytes`, and the reason of `signal`
   */
  read(bytes: Bytes, size: number, signal: AbortSignal): Promise<ImageFacts> {
    return this.runInterruptibly(signal, async () => {
      const response = this.sendRequest({ size });
      await this.send(bytes, size);
      const { facts } = await response;
      if (!facts) throw new ImageFault('not decodable');
      return facts;
    });
  }

  /**
   * Renders the last image and passes the result to `take`.
   * @throws ImageFault, DecoderLost, ApiError PAYLOAD_TOO_LARGE, errors of `take`, and the reason of `signal`
   */
  render(rendering: RenderRequest, take: WriteChunk, signal: AbortSignal): Promise<void> {
    return this.runInterruptibly(signal, async () => {
      const { size } = await this.sendRequest({ rendering });
      if (size === undefined) throw new ImageFault('not decodable');
      if (size > MAX_RESULT_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
      await this.receive(size, take);
    });
  }

  end(): void {
    this.isAlive = false;
    this.child.kill('SIGKILL');
  }

  /**
   * Runs work until it is done or interrupted. After an interruption the process is in an unknown state, so it is
   * killed.
   */
  private async runInterruptibly<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let fail: (failure: Error) => void = () => {};
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const stop = () => fail(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    this.waiting.add(fail);
    try {
      signal.throwIfAborted();
      if (this.failure) throw this.failure;
      return await Promise.race([work(), failed]);
    } catch (error) {
      if (!(error instanceof ImageFault)) this.end();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      this.waiting.delete(fail);
    }
  }

  private async waitForLoss(): Promise<never> {
    if (this.failure) throw this.failure;
    return new Promise<never>((_, reject) => this.waiting.add(reject));
  }

  private sendRequest(request: { size: number } | { rendering: RenderRequest }): Promise<DecoderMessage> {
    return new Promise((resolve) => {
      this.resolveResponse = resolve;
      if (this.child.connected) this.child.send(request, () => {});
    });
  }

  private async send(bytes: Bytes, size: number): Promise<void> {
    let sent = 0;
    const { stdin } = this.child;
    for await (const chunk of bytes) {
      sent += chunk.length;
      if (sent > size || !this.isAlive) break;
      if (stdin?.write(chunk) === false) await once(stdin, 'drain').catch(() => this.waitForLoss());
    }
    if (sent === size) return;
    this.end();
    throw new ImageFault('not whole');
  }

  private async receive(size: number, take: WriteChunk): Promise<void> {
    const stdout = this.child.stdout as Readable;
    for (let at = 0; at < size; ) {
      const chunk: Buffer | null = stdout.read();
      if (chunk === null) await once(stdout, 'readable');
      else {
        at += chunk.length;
        await take(chunk);
      }
    }
  }

  private onMessage(response: DecoderMessage): void {
    this.memory = response.memory ?? this.memory;
    if (response.ready) this.isReady = true;
    else this.resolveResponse(response);
  }

  /** Any signal other than SIGKILL means that the image crashed the process, so the image counts as undecodable. */
  private lossError(signal: NodeJS.Signals | null): Error {
    if (!this.isReady) return new DecoderCrashed(`an image process did not start: ${this.stderrTail}`);
    this.hasExceededMemory = signal === MEMORY_EXCEEDED_SIGNAL;
    return signal === 'SIGKILL' ? new DecoderCrashed('an image process was ended') : new ImageFault('not decodable');
  }
}
