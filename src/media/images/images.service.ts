import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { ApiError, unavailable } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { cores, fitting, imageBytes } from '../../core/machine/machine.cjs';
import { Metrics } from '../../core/metrics.js';
import { Decoder, DecoderCrashed, type ImageFacts, type RenderRequest } from './decoder.js';
import { ImageSlots } from './image-slots.js';
import type { WriteChunk } from './spools.js';

export { FORMATS, type ImageFacts, ImageFault, type ImageFormat, type Quality } from './decoder.js';

export interface Rendering extends Omit<RenderRequest, 'moves'> {
  readonly animated: boolean;
}

/** The bytes of an image, or a function that opens them, so that queued jobs need no memory for bytes. */
export type ImageSource =
  | Uint8Array
  | { readonly size: number; open(): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>> };

export const MAX_INPUT_BYTES = 50 * 1024 * 1024;
const MAX_PIXELS = 256_000_000;
const MAX_AVIF_PIXELS = 4_000_000;
/** Encoding a pixel as AVIF takes about this many times as long as decoding one. */
const AVIF_WORK = 8;
const IDLE_MS = 30_000;

/**
 * Number of concurrent jobs per process. The decoders of all workers together use at most half of the memory.
 * At least two, so that small images can pass a large one.
 */
const slotsPerProcess = (workers: number, bytes: number): number =>
  Math.max(2, Math.floor(Math.min(8, cores(), fitting(bytes, 1 / 2)) / workers));
export const IMAGE_SLOTS = slotsPerProcess(1, imageBytes());
/** Queue length per slot. */
const QUEUE_PER_SLOT = 8;
export const IMAGE_QUEUE = IMAGE_SLOTS * QUEUE_PER_SLOT;

type Work<T> = (decoder: Decoder) => Promise<T>;

/**
 * Decodes and encodes images in child processes, with limits for input, pixels, memory, time and concurrency (media.md
 * 7.2).
 */
@Injectable()
export class Images implements OnApplicationShutdown {
  private readonly slots: ImageSlots;
  private readonly decoders = new Set<Decoder>();
  /** Idle decoders, the most recently used one last. */
  private readonly idle: Decoder[] = [];
  private readonly retiring = new Map<Decoder, NodeJS.Timeout>();
  private readonly running = new Set<AbortController>();

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    const slots = slotsPerProcess(config.workers, config.media.imageMemoryBytes);
    this.slots = new ImageSlots(slots, slots * QUEUE_PER_SLOT, MAX_PIXELS);
    metrics.startAtZero('gatehouse_shed_total', { queue: ['images'] });
    metrics.measure('gatehouse_image_processes', async () => this.decoders.size);
    metrics.measure('gatehouse_image_memory_bytes', async () =>
      [...this.decoders].reduce((sum, { memory }) => sum + memory, 0),
    );
    metrics.measure('gatehouse_image_running', async () => this.slots.runningCount);
    metrics.measure('gatehouse_image_waiting', async () => this.slots.waiting);
  }

  /** Process IDs of the current decoders. */
  get processes(): number[] {
    return [...this.decoders].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Reads the metadata of an image.
   * @throws ImageFault, ApiError SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT, and errors of the source
   */
  inspect(source: ImageSource): Promise<ImageFacts> {
    return this.runUntilDeadline(undefined, async (signal) => {
      const place = await this.slots.acquire(0, signal);
      return this.withDecoder((decoder) => read(decoder, source, signal)).finally(() => place.release());
    });
  }

  /**
   * Renders an image and passes the result to `take`. `gone` aborts the work when no caller waits for it.
   * @throws ImageFault, ApiError BAD_REQUEST, PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT, the reason of
   * `gone`, and errors of the source
   */
  render(
    source: ImageSource,
    choose: (facts: ImageFacts) => Rendering,
    take: WriteChunk,
    gone?: AbortSignal,
  ): Promise<ImageFacts> {
    return this.runUntilDeadline(gone, async (signal) => {
      let place = await this.slots.acquire(0, signal);
      try {
        const first = await this.withDecoder(async (decoder) => {
          const facts = await read(decoder, source, signal);
          const order = toRenderRequest(choose(facts), facts);
          const weight = jobWeight(order, facts);
          if (!place.fits(weight)) return { weight };
          await decoder.render(order, take, signal);
          return { facts };
        });
        if (first.facts) return first.facts;
        // Release the slot and the process while waiting for enough capacity.
        place.release();
        place = await this.slots.acquire(first.weight, signal);
        return await this.withDecoder(async (decoder) => {
          const facts = await read(decoder, source, signal);
          await decoder.render(toRenderRequest(choose(facts), facts), take, signal);
          return facts;
        });
      } finally {
        place.release();
      }
    });
  }

  /** Runs `task` until the deadline, which includes the time in the queue, or until `gone`. */
  private async runUntilDeadline<T>(
    gone: AbortSignal | undefined,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new ApiError('GATEWAY_TIMEOUT')),
      this.config.media.imageSeconds * 1000,
    );
    const signal = gone ? AbortSignal.any([deadline.signal, gone]) : deadline.signal;
    this.running.add(deadline);
    try {
      return await task(signal);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE')
        this.metrics.add('gatehouse_shed_total', { queue: 'images' });
      throw error;
    } finally {
      clearTimeout(timer);
      this.running.delete(deadline);
    }
  }

  private async withDecoder<T>(task: Work<T>): Promise<T> {
    const decoder = this.takeDecoder();
    try {
      return await task(decoder);
    } catch (error) {
      if (!(error instanceof DecoderCrashed)) throw error;
      this.log.error('an image decoder process exited unexpectedly', { error });
      throw unavailable(1);
    } finally {
      this.returnDecoder(decoder);
    }
  }

  private takeDecoder(): Decoder {
    const waiting = this.idle.pop();
    if (waiting) {
      clearTimeout(this.retiring.get(waiting));
      return waiting;
    }
    const decoder = new Decoder(this.config.media.imageMemoryBytes, () => this.forget(decoder));
    this.decoders.add(decoder);
    return decoder;
  }

  private returnDecoder(decoder: Decoder): void {
    if (!decoder.isAlive) return;
    this.idle.push(decoder);
    this.retiring.set(decoder, setTimeout(() => this.retire(decoder), IDLE_MS).unref());
  }

  private retire(decoder: Decoder): void {
    this.idle.splice(this.idle.indexOf(decoder), 1);
    decoder.end();
  }

  private forget(decoder: Decoder): void {
    this.decoders.delete(decoder);
    clearTimeout(this.retiring.get(decoder));
    this.retiring.delete(decoder);
    const at = this.idle.indexOf(decoder);
    if (at >= 0) this.idle.splice(at, 1);
    if (decoder.hasExceededMemory) this.log.warn('image rejected: it needs more memory than MEDIA_IMAGE_MEMORY_BYTES');
  }

  onApplicationShutdown(): void {
    for (const work of this.running) work.abort(unavailable(1));
    for (const decoder of this.decoders) decoder.end();
  }
}

async function read(decoder: Decoder, source: ImageSource, signal: AbortSignal): Promise<ImageFacts> {
  if (source instanceof Uint8Array) return decoder.read([source], source.length, signal);
  return decoder.read(openSource(source), source.size, signal);
}

async function* openSource(source: Exclude<ImageSource, Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* await source.open();
}

function toRenderRequest({ animated, ...rendering }: Rendering, { frames }: ImageFacts): RenderRequest {
  const { format } = rendering;
  return { ...rendering, moves: animated && frames > 1 && (format === 'webp' || format === 'gif') };
}

/** Pixels per frame of the result. Images are never enlarged. */
function resultPixels({ width, height, fit }: RenderRequest, source: ImageFacts): number {
  const scales = [(width ?? source.width) / source.width, (height ?? source.height) / source.height];
  if (fit === 'cover' && width !== undefined && height !== undefined) {
    return Math.min(width, source.width) * Math.min(height, source.height);
  }
  return Math.round(source.width * source.height * Math.min(1, ...scales) ** 2);
}

/**
 * The weight of a job in pixels.
 * @throws ApiError BAD_REQUEST for an AVIF that is too large to encode in time
 */
function jobWeight(order: RenderRequest, facts: ImageFacts): number {
  const result = resultPixels(order, facts);
  const isAvif = order.format === 'avif';
  if (isAvif && result > MAX_AVIF_PIXELS) throw new ApiError('BAD_REQUEST');
  return facts.width * facts.height * (order.moves ? facts.frames : 1) + result * (isAvif ? AVIF_WORK : 1);
}
