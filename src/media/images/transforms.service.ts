import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Call, ClientGone } from '../../policy/call.js';
import type { Content } from '../delivery/delivery.js';
import { type ImageFacts, type ImageSource, Images, type Quality, type Rendering } from './images.service.js';
import type { Transform } from './selectors.js';
import { Spooled, Spools } from './spools.js';
import { TransformCache } from './transform-cache.js';

/** Increment when the same selectors produce different bytes. */
const PIPELINE_VERSION = 2;

export interface TransformRequest {
  /** SHA-256 of the source, in hexadecimal digits. */
  readonly sha256: string;
  readonly transform: Transform;
  readonly source: ImageSource;
  /** True to store the result in the cache. */
  readonly keep: boolean;
}

/** A hash that identifies a result. Equal hashes mean equal bytes (media.md section 9, ETag of transformed images). */
export function transformHash({ sha256, transform }: Pick<TransformRequest, 'sha256' | 'transform'>): string {
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

/** JPEG has no lossless mode, and lossless animations are too large and slow. */
function defaultQuality({ format, animated }: Transform, { frames }: ImageFacts): Quality {
  if (format === 'jpeg') return 'high';
  return format === 'webp' && animated && frames > 1 ? 'auto' : 'lossless';
}

/** A transform that one or more callers wait for. It is aborted when the last caller leaves. */
interface RunningTransform {
  readonly result: Promise<Spooled>;
  readonly ended: AbortController;
  waiting: number;
}

/** A signal that aborts when the client disconnects before the response is complete. */
export function clientGoneSignal({ res }: Call): AbortSignal {
  const gone = new AbortController();
  const leave = () => gone.abort(new ClientGone());
  if (res.destroyed) leave();
  else res.once('close', leave);
  return gone.signal;
}

/** Transforms images (media.md section 7). Concurrent requests for the same result share one computation. */
@Injectable()
export class Transforms {
  private readonly running = new Map<string, RunningTransform>();

  constructor(
    private readonly images: Images,
    private readonly cache: TransformCache,
    private readonly spools: Spools,
  ) {}

  /**
   * Returns the result. It remains available at least until `gone`.
   * @throws ImageFault, ApiError BAD_REQUEST, PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT, ClientGone, and
   * errors of the source
   */
  async get(request: TransformRequest, gone: AbortSignal): Promise<Content> {
    gone.throwIfAborted();
    const name = transformHash(request);
    const running = this.running.get(name) ?? this.startTransform(name, request);
    running.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (--running.waiting === 0) {
          this.forget(name, running);
          running.ended.abort(gone.reason);
        }
        reject(gone.reason);
      };
      gone.addEventListener('abort', leave, { once: true });
      const take = (result: Spooled) => {
        result.holdUntil(gone);
        resolve(result);
      };
      const settled = () => gone.removeEventListener('abort', leave);
      running.result.then(settled, settled);
      running.result.then(take).catch(reject);
    });
  }

  private startTransform(name: string, request: TransformRequest): RunningTransform {
    const ended = new AbortController();
    const running = { result: this.computeResult(name, request, ended.signal), ended, waiting: 0 };
    this.running.set(name, running);
    const { source } = request;
    if (source instanceof Spooled) source.hold();
    const settled = () => {
      this.forget(name, running);
      if (source instanceof Spooled) source.release();
    };
    // Release only after all waiting callers have taken a hold.
    running.result.then((result) => setImmediate(() => result.release())).then(settled, settled);
    return running;
  }

  private forget(name: string, running: RunningTransform): void {
    if (this.running.get(name) === running) this.running.delete(name);
  }

  private async computeResult(
    name: string,
    { transform, source, keep }: TransformRequest,
    ended: AbortSignal,
  ): Promise<Spooled> {
    const known = keep ? await this.cache.get(name) : null;
    if (known) return known;
    const { spooled } = await this.spools.fill(
      (take) => this.images.render(source, (facts) => renderingOf(transform, facts), take, ended),
      keep ? (path, size) => this.cache.adopt(name, path, size) : undefined,
    );
    return spooled;
  }
}
