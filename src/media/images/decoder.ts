import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Refusal } from '../../core/errors.js';
import type { Take } from './spools.js';

export const FORMATS = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;
export type ImageFormat = (typeof FORMATS)[number];
export type Quality = 'low' | 'auto' | 'high' | 'lossless';

/** What an image says of itself before any pixel is decoded; width and height as it is meant to be seen. */
export interface ImageFacts {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/** What a decoder makes of an image. */
export interface DecoderOrder {
  readonly format: ImageFormat;
  readonly quality: Quality;
  /** All frames; else the first. */
  readonly moves: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly fit: 'cover' | 'inside';
}

/** The bytes are no image that may be decoded. */
export class ImageFault extends Error {}

/** The process of a decoder is no more, and the image that it had is not why. */
export class DecoderLost extends Error {}

/** What a decoder says: it is ready, the facts of an image, the size of the result that follows, or a fault. */
interface Answer {
  readonly ready?: true;
  readonly facts?: ImageFacts;
  readonly size?: number;
  readonly fault?: true;
  /** Bytes that its process holds. */
  readonly memory?: number;
}

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const SCRIPT = fileURLToPath(new URL('./decoder-process.mjs', import.meta.url));
/** Of the script itself; images lie outside of it. */
const HEAP_MB = 64;
/** How it ends itself when it holds too much. */
const TOO_LARGE = 'SIGUSR2';
const MAX_WORDS = 2000;
/** Larger results are nobody's wish: a lossless form of a photograph that nothing makes smaller. */
const MAX_RESULT_BYTES = 50 * 1024 * 1024;

/**
 * A process that decodes and encodes images, one at a time (`decoder-process.mjs`). It inherits no environment, and ends by
 * itself when this process does, however that ends.
 */
export class Decoder {
  private readonly child: ChildProcess;
  /** Why there is no process any more, and who waits to hear of that. */
  private failure: Error | undefined;
  private readonly waiting = new Set<(failure: Error) => void>();
  private hear: (answer: Answer) => void = () => {};
  private isReady = false;
  private lastWords = '';
  isAlive = true;
  /** It held more than it may. */
  isTooLarge = false;
  /** What its process held when it last said something. */
  memory = 0;

  constructor(memoryBytes: number, onEnd: () => void) {
    const child = fork(SCRIPT, [String(memoryBytes)], {
      env: { PATH: process.env.PATH },
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    child.on('message', (answer: Answer) => this.listen(answer));
    child.stderr?.on('data', (chunk) => {
      this.lastWords = `${this.lastWords}${chunk}`.slice(0, MAX_WORDS);
    });
    // Written to after its end, which is told below.
    child.stdin?.on('error', () => {});
    const over = (signal: NodeJS.Signals | null) => {
      this.isAlive = false;
      this.failure ??= this.lossBy(signal);
      for (const fail of this.waiting) fail(this.failure);
      onEnd();
    };
    child.once('exit', (_code, signal) => over(signal));
    child.once('error', (error) => {
      this.lastWords ||= error.message;
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
   * Sends an image of `size` bytes.
   * @throws ImageFault, DecoderLost, what the bytes break with, and the reason of `signal`
   */
  read(bytes: Bytes, size: number, signal: AbortSignal): Promise<ImageFacts> {
    return this.during(signal, async () => {
      const answer = this.ask({ size });
      await this.send(bytes, size);
      const { facts } = await answer;
      if (!facts) throw new ImageFault('not decodable');
      return facts;
    });
  }

  /**
   * Renders the image that was read last, and gives the result to `take`.
   * @throws ImageFault, DecoderLost, Refusal PAYLOAD_TOO_LARGE, what `take` throws, and the reason of `signal`
   */
  render(rendering: DecoderOrder, take: Take, signal: AbortSignal): Promise<void> {
    return this.during(signal, async () => {
      const { size } = await this.ask({ rendering });
      if (size === undefined) throw new ImageFault('not decodable');
      if (size > MAX_RESULT_BYTES) throw new Refusal('PAYLOAD_TOO_LARGE');
      await this.receive(size, take);
    });
  }

  end(): void {
    this.isAlive = false;
    this.child.kill('SIGKILL');
  }

  /** Whatever interrupts work leaves the process in the middle of it, so that it is of no use for another image. */
  private async during<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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

  private async lost(): Promise<never> {
    if (this.failure) throw this.failure;
    return new Promise<never>((_, reject) => this.waiting.add(reject));
  }

  private ask(question: { size: number } | { rendering: DecoderOrder }): Promise<Answer> {
    return new Promise((resolve) => {
      this.hear = resolve;
      if (this.child.connected) this.child.send(question, () => {});
    });
  }

  private async send(bytes: Bytes, size: number): Promise<void> {
    let sent = 0;
    const { stdin } = this.child;
    for await (const chunk of bytes) {
      sent += chunk.length;
      if (sent > size || !this.isAlive) break;
      if (stdin?.write(chunk) === false) await once(stdin, 'drain').catch(() => this.lost());
    }
    if (sent === size) return;
    this.end();
    throw new ImageFault('not whole');
  }

  private async receive(size: number, take: Take): Promise<void> {
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

  private listen(answer: Answer): void {
    this.memory = answer.memory ?? this.memory;
    if (answer.ready) this.isReady = true;
    else this.hear(answer);
  }

  /** A process that an image ends has met what it cannot decode; one that others end has not. */
  private lossBy(signal: NodeJS.Signals | null): Error {
    if (!this.isReady) return new DecoderLost(`an image process did not start: ${this.lastWords}`);
    this.isTooLarge = signal === TOO_LARGE;
    return signal === 'SIGKILL' ? new DecoderLost('an image process was ended') : new ImageFault('not decodable');
  }
}
