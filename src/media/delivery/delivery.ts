import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { EXPOSED } from '../../http/cross-origin.js';
import { isNotModified, mayServeRange } from '../../http/files/conditions.js';
import { requestDetails } from '../../http/recorder.js';
import { OutboundFault } from '../../platform/outbound/network.js';
import type { ByteRange } from '../../platform/storage/storage.js';
import { type Call, RESPONSE_HANDLED } from '../../policy/call.js';
import { contentDisposition, inlineName, isAudioOrVideo, isInline } from '../addresses/types.js';
import { exactLength, LengthFault } from './body-streams.js';

/** Content to send. */
export interface Content {
  readonly size: number;
  /** Opens all or part of the content. Returns `null` if it has been deleted. */
  open(range?: ByteRange): Promise<Readable | Uint8Array | null>;
}

/** Metadata of a stored or transformed object. */
export interface Representation {
  readonly contentType: string;
  readonly filename: string;
  /** A strong ETag with its quotes, or `null`. */
  readonly etag: string | null;
  /** Send as a download even if a browser could display it. */
  readonly download: boolean;
  /** Cache lifetime in seconds. */
  readonly maxAge: number;
}

export const YEAR_SECONDS = 31_536_000;

const INLINE_CSP = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";
const CSP = "default-src 'none'; sandbox";
const ROBOTS =
  'noindex, nofollow, nosnippet, noimageindex, notranslate, max-snippet:0, max-image-preview:none, max-video-preview:0';

/**
 * Parses a `Range` header for `size` bytes (media.md section 8). Returns `null` for the whole content, also if the
 * header is ignored.
 * Returns `unsatisfiable` if the range selects no bytes.
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

export const unsatisfiable = (size: number): ApiError =>
  new ApiError('RANGE_NOT_SATISFIABLE').withHeaders({ 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' });

type FoundContent = Readable | Uint8Array | undefined;

/** Sends media (media.md sections 8 and 9): conditional requests, ranges, headers and content. */
@Injectable()
export class Delivery {
  constructor(private readonly log: Log) {}

  /**
   * Sends an object. Does not call `load` for a 304 response.
   * @throws ApiError RANGE_NOT_SATISFIABLE, NOT_FOUND, RATE_LIMITED, and errors of `load`
   */
  async send(
    call: Call,
    item: Representation,
    load: () => Promise<Content> | Content,
  ): Promise<typeof RESPONSE_HANDLED> {
    const { req, res } = call;
    if (isNotModified(req, item.etag)) {
      this.setHeaders(call, item);
      res.writeHead(304).end();
      return RESPONSE_HANDLED;
    }
    const content = await load();
    const { size } = content;
    const range = mayServeRange(req, item.etag) ? rangeOf(req.headers.range, size) : null;
    if (range === 'unsatisfiable') throw unsatisfiable(size);
    const bytes = req.method === 'HEAD' ? undefined : await content.open(range ?? undefined);
    if (bytes === null) throw new ApiError('NOT_FOUND');
    return this.sendContent(call, item, { size, range, bytes });
  }

  /**
   * Sends the given content. `size` is the total size, or `null` if it is unknown.
   * @throws ApiError RATE_LIMITED
   */
  sendContent(
    call: Call,
    item: Representation,
    { size, range, bytes: found }: { size: number | null; range: ByteRange | null; bytes: FoundContent },
  ): typeof RESPONSE_HANDLED {
    const { res, transfers } = call;
    const length = range ? range.end - range.start + 1 : size;
    const bytes = found instanceof Readable && length !== null ? exactLength(found, length) : found;
    if (bytes) {
      try {
        transfers.beginResponse(call);
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
    if (bytes) transfers.send(call, bytes, (error) => this.onSent(call, error));
    else res.end();
    return RESPONSE_HANDLED;
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

  private onSent(call: Call, error: NodeJS.ErrnoException | null): void {
    // An aborted response of an origin is not an error of this service.
    if (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error instanceof OutboundFault) return;
    if (error instanceof LengthFault) {
      this.log.warn('media length differs from its Content-Length', { ...requestDetails(call), error });
      return;
    }
    this.log.error('sending media failed', { ...requestDetails(call), error });
  }
}
