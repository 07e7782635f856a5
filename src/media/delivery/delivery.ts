import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Refusal } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { asksForPart, callerHas } from '../../http/conditions.js';
import { EXPOSED } from '../../http/cross-origin.js';
import { OutboundFault } from '../../platform/outbound/network.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import { ANSWERED, type Call } from '../../policy/call.js';
import { contentDisposition, inlineName, isAudioOrVideo, isInline } from '../addresses/types.js';
import { exactly, LengthFault } from './foreign-body.js';

/** The bytes that are sent. */
export interface Content {
  readonly size: number;
  /** Whole or in part; `null` when they are gone. */
  open(range?: ByteRange): Promise<Readable | Uint8Array | null>;
}

/** What is said of an object, or of what a transform made of it. */
export interface Representation {
  readonly contentType: string;
  readonly filename: string;
  /** Strong, with its quotes; `null` for what has none. */
  readonly etag: string | null;
  /** Offered for saving even if a browser could show it. */
  readonly download: boolean;
  /** Seconds that caches may keep it. */
  readonly maxAge: number;
}

export const YEAR_SECONDS = 31_536_000;

const INLINE_CSP = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";
const CSP = "default-src 'none'; sandbox";
const ROBOTS =
  'noindex, nofollow, nosnippet, noimageindex, notranslate, max-snippet:0, max-image-preview:none, max-video-preview:0';

/**
 * The part of `size` bytes that a `Range` header asks for (media.md section 8): `null` for the whole, also where the
 * header is ignored; `unsatisfiable` where nothing can be sent.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end || start >= size ? 'unsatisfiable' : { start, end };
}

export const unsatisfiable = (size: number): Refusal =>
  new Refusal('RANGE_NOT_SATISFIABLE').with({ 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' });

type Found = Readable | Uint8Array | undefined;

/** Sends media (media.md sections 8 and 9): conditions, ranges, headers, bytes. */
@Injectable()
export class Delivery {
  constructor(private readonly log: Log) {}

  /**
   * Nobody loads the content for an answer without it.
   * @throws Refusal RANGE_NOT_SATISFIABLE, NOT_FOUND, RATE_LIMITED, and whatever `load` throws
   */
  async send(call: Call, item: Representation, load: () => Promise<Content> | Content): Promise<typeof ANSWERED> {
    const { req, res } = call;
    if (callerHas(req, item.etag)) {
      this.setHeaders(call, item);
      res.writeHead(304).end();
      return ANSWERED;
    }
    const content = await load();
    const { size } = content;
    const range = asksForPart(req, item.etag) ? rangeOf(req.headers.range, size) : null;
    if (range === 'unsatisfiable') throw unsatisfiable(size);
    const bytes = req.method === 'HEAD' ? undefined : await content.open(range ?? undefined);
    if (bytes === null) throw new Refusal('NOT_FOUND');
    return this.begin(call, item, { size, range, bytes });
  }

  /**
   * Sends what was found: `size` is that of the whole, `null` where nobody knows it.
   * @throws Refusal RATE_LIMITED
   */
  begin(
    call: Call,
    item: Representation,
    { size, range, bytes: found }: { size: number | null; range: ByteRange | null; bytes: Found },
  ): typeof ANSWERED {
    const { res, transfers } = call;
    const length = range ? range.end - range.start + 1 : size;
    const bytes = found instanceof Readable && length !== null ? exactly(found, length) : found;
    if (bytes) {
      try {
        transfers.beginAnswer(call);
      } catch (error) {
        if (bytes instanceof Readable) bytes.destroy();
        throw error;
      }
    }
    this.setHeaders(call, item);
    this.describe(call, item);
    if (range) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${size ?? '*'}`);
    if (length !== null) res.setHeader('Content-Length', length);
    res.writeHead(range ? 206 : 200);
    if (bytes instanceof Readable) bytes.once('error', () => (call.outcome ??= 'BROKEN_OFF'));
    if (bytes) transfers.send(call, bytes, (error) => this.sent(call, error));
    else res.end();
    return ANSWERED;
  }

  private setHeaders({ res }: Call, { contentType, download, etag, maxAge }: Representation): void {
    const caching = `public, max-age=${maxAge}${isAudioOrVideo(contentType) ? ', no-transform' : ''}`;
    res.setHeader('Cache-Control', caching);
    res.setHeader('CDN-Cache-Control', caching);
    if (etag) res.setHeader('ETag', etag);
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Access-Control-Expose-Headers', EXPOSED);
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.setHeader('Accept-Ranges', 'bytes');
    res.setHeader('Vary', 'Accept-Encoding');
    res.setHeader('Content-Security-Policy', isInline(contentType) && !download ? INLINE_CSP : CSP);
    res.setHeader('X-Robots-Tag', ROBOTS);
  }

  private describe({ res }: Call, { contentType, download, filename }: Representation): void {
    const disposition = isInline(contentType) && !download ? 'inline' : 'attachment';
    const name = isInline(contentType) ? inlineName(filename, contentType) : filename;
    res.setHeader('Content-Type', contentType);
    res.setHeader('Content-Disposition', contentDisposition(disposition, name));
  }

  private sent(call: Call, error: NodeJS.ErrnoException | null): void {
    // What an origin breaks off is no fault of this service.
    if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error instanceof OutboundFault) return;
    if (error instanceof LengthFault) {
      this.log.warn('media was not as long as declared', { route: call.pattern, request_id: call.id, error });
      return;
    }
    this.log.error('media could not be sent', { route: call.pattern, request_id: call.id, error });
  }
}
