import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ImageFacts, type ImageSource, Images, type Quality, type Rendering } from './images.service.js';
import type { Transform } from './selectors.js';
import { TransformCache } from './transform-cache.js';

/** Changes whenever the same selectors would give other bytes. */
const PIPELINE_VERSION = 1;

/** What an image becomes, and where it comes from. */
export interface TransformRequest {
  /** SHA-256 of the source, in hexadecimal digits. */
  readonly sha256: string;
  readonly transform: Transform;
  readonly source: ImageSource;
  /** Whether the result stays in the cache. */
  readonly keep: boolean;
}

/** Names one result: equal names are equal bytes (media.md section 9, ETag of the transformed). */
export function nameOf({ sha256, transform }: Pick<TransformRequest, 'sha256' | 'transform'>): string {
  const effective = Object.entries(transform).filter(([, value]) => value !== undefined);
  const selectors = effective.map(([name, value]) => `${name}=${value}`).sort();
  return hash('sha256', `${sha256}|${selectors.join('&')}|${PIPELINE_VERSION}`, 'hex');
}

function renderingOf(transform: Transform, facts: ImageFacts): Rendering {
  const { format, animated, size, width = size, height = size } = transform;
  return {
    ...{ format, animated, fit: size === undefined ? 'cover' : 'inside' },
    quality: transform.quality ?? defaultQuality(transform, facts),
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  };
}

/** JPEG knows no lossless form, and an animation without loss is larger than anyone wants to wait for. */
function defaultQuality({ format, animated }: Transform, { frames }: ImageFacts): Quality {
  if (format === 'jpeg') return 'high';
  return format === 'webp' && animated && frames > 1 ? 'auto' : 'lossless';
}

/** Images in other sizes and formats (media.md section 7): each is computed once, however many ask for it. */
@Injectable()
export class Transforms {
  private readonly running = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly images: Images,
    private readonly cache: TransformCache,
  ) {}

  /** @throws ImageFault, Refusal SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT, and whatever the source throws */
  of(request: TransformRequest): Promise<Buffer> {
    const name = nameOf(request);
    const running = this.running.get(name);
    if (running) return running;
    const work = this.make(name, request).finally(() => this.running.delete(name));
    this.running.set(name, work);
    return work;
  }

  private async make(name: string, { transform, source, keep }: TransformRequest): Promise<Buffer> {
    const known = keep ? await this.cache.get(name) : null;
    if (known) return known;
    const { bytes } = await this.images.render(source, (facts) => renderingOf(transform, facts));
    if (keep) await this.cache.put(name, bytes);
    return bytes;
  }
}
