import { cpus } from 'node:os';
import { Injectable } from '@nestjs/common';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { BoundedQueue } from '../auth/passwords.service.js';
import { Clock } from '../clock.js';
import { Refusal } from '../errors.js';

// Only what the contract names may ever be parsed (media.md 7.2).
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    ...['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
    'VipsForeignLoadHeif',
  ],
});
sharp.cache(false);
sharp.concurrency(1);

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

export interface Rendering {
  readonly format: ImageFormat;
  readonly quality: Quality;
  readonly animated: boolean;
  readonly width?: number;
  readonly height?: number;
  /** `cover` crops to both sides, `inside` keeps the whole image. */
  readonly fit: 'cover' | 'inside';
}

/** The bytes of an image, or how to get them once it is their turn, so that nothing is held in a queue. */
export type ImageSource = Uint8Array | (() => Promise<Uint8Array>);

/** The bytes are no image that may be decoded. */
export class ImageFault extends Error {}

export const MAX_INPUT_BYTES = 50 * 1024 * 1024;
const MAX_EDGE = 16384;
const MAX_FRAME_PIXELS = 64_000_000;
const MAX_FRAMES = 1000;
const MAX_PIXELS = 256_000_000;
const DEADLINE_SECONDS = 15;
const QUALITY = { low: 65, auto: 75, high: 85, lossless: 100 } as const;

const OPTIONS: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error', unlimited: false };
export const IMAGE_SLOTS = Math.min(8, Math.max(2, cpus().length));
export const IMAGE_QUEUE = IMAGE_SLOTS * 8;

function encode(image: Sharp, format: ImageFormat, quality: Quality): Sharp {
  const lossless = quality === 'lossless';
  switch (format) {
    case 'png':
      return image.png();
    case 'jpeg':
      return image
        .flatten({ background: '#ffffff' })
        .jpeg({ quality: QUALITY[quality], ...(lossless ? { chromaSubsampling: '4:4:4' } : {}) });
    case 'webp':
      return image.webp({ quality: QUALITY[quality], lossless });
    case 'gif':
      return image.gif();
    case 'avif':
      return image.avif({ quality: QUALITY[quality], lossless, effort: 2 });
  }
}

/** Decoding and encoding of images: bounded in input, pixels, time and number at once (media.md 7.2). */
@Injectable()
export class Images {
  private readonly queue = new BoundedQueue(IMAGE_SLOTS, IMAGE_QUEUE);

  constructor(private readonly clock: Clock) {}

  /** @throws ImageFault, Refusal SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT */
  inspect(bytes: Uint8Array): Promise<ImageFacts> {
    return this.work(() => this.factsOf(bytes));
  }

  /** @throws ImageFault, Refusal SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT, and whatever the source throws */
  render(source: ImageSource, choose: (facts: ImageFacts) => Rendering): Promise<{ bytes: Buffer; facts: ImageFacts }> {
    return this.work(async (secondsLeft) => {
      const bytes = typeof source === 'function' ? await source() : source;
      const facts = await this.factsOf(bytes);
      const { format, quality, animated, width, height, fit } = choose(facts);
      const moves = animated && facts.frames > 1 && (format === 'webp' || format === 'gif');
      const image = sharp(bytes, { ...OPTIONS, pages: moves ? -1 : 1 })
        .autoOrient()
        .resize({ width, height, fit, position: 'centre', withoutEnlargement: true })
        .timeout({ seconds: secondsLeft() });
      return { bytes: await encode(image, format, quality).toBuffer().catch(asFault), facts };
    });
  }

  /** The deadline covers the time in the queue. */
  private async work<T>(task: (secondsLeft: () => number) => Promise<T>): Promise<T> {
    const deadline = this.clock.monotonic() + DEADLINE_SECONDS * 1000;
    const secondsLeft = () => {
      const left = Math.ceil((deadline - this.clock.monotonic()) / 1000);
      if (left <= 0) throw new Refusal('GATEWAY_TIMEOUT');
      return left;
    };
    return this.queue.run(() => {
      secondsLeft();
      return task(secondsLeft);
    });
  }

  private async factsOf(bytes: Uint8Array): Promise<ImageFacts> {
    const meta = await sharp(bytes, OPTIONS).metadata().catch(asFault);
    const format = meta.format === 'heif' ? 'avif' : FORMATS.find((name) => name === meta.format);
    const frames = meta.pages ?? 1;
    const pixels = meta.width * meta.height;
    const fits =
      meta.width <= MAX_EDGE &&
      meta.height <= MAX_EDGE &&
      pixels <= MAX_FRAME_PIXELS &&
      frames <= MAX_FRAMES &&
      pixels * frames <= MAX_PIXELS;
    if (!format || !fits || (meta.format === 'heif' && meta.compression !== 'av1'))
      throw new ImageFault('not decodable');
    return { format, width: meta.autoOrient.width, height: meta.autoOrient.height, frames };
  }
}

function asFault(error: unknown): never {
  if (error instanceof Error && /timeout/i.test(error.message)) throw new Refusal('GATEWAY_TIMEOUT');
  throw new ImageFault('not decodable', { cause: error });
}
