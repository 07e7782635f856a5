import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { addressKey } from '../../core/address.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError, unavailable } from '../../core/errors.js';
import { mayServeRange } from '../../http/files/conditions.js';
import { OutboundFault, type OutboundReason } from '../../platform/outbound/network.js';
import { Outbound, type UserFetchResponse } from '../../platform/outbound/outbound.js';
import { getOwnHosts, type TargetRules } from '../../platform/outbound/targets.js';
import type { Call, RESPONSE_HANDLED } from '../../policy/call.js';
import { decodeOnce, plainFilename, rawPath } from '../addresses/keys.js';
import { isSignedBy, splitExpiry, urlOfTarget } from '../addresses/signature.js';
import { declaredType, isAudioOrVideo, isRaster, SNIFF_BYTES, typeOfBytes, typeOfPart } from '../addresses/types.js';
import { MediaUrlService } from '../addresses/urls.service.js';
import { peek, replayChunks, takeRange } from '../delivery/body-streams.js';
import { Delivery, type Representation, rangeOf, unsatisfiable, YEAR_SECONDS } from '../delivery/delivery.js';
import { ImageFault, MAX_INPUT_BYTES } from '../images/images.service.js';
import { parseFormat, Selectors, withFormatExtension } from '../images/selectors.js';
import { Spools } from '../images/spools.js';
import { clientGoneSignal, Transforms } from '../images/transforms.service.js';
import { parseReceivedPart, parseRequestedRange, type RequestedRange } from './origin-range.js';

export const EXTERNAL_PREFIX = '/media/external/';

const ACCEPT = 'image/*, video/*, audio/*, */*;q=0.1';
const FETCH_MS = 30_000;
/** Error statuses of an origin that are passed on. All others become 502. */
const FORWARDED_STATUSES = new Set([
  400,
  401,
  ...[403, 404, 405, 406],
  ...[408, 409, 410, 411, 412, 413, 414, 415, 416],
  428,
  429,
]);

const ERROR_BY_REASON: Readonly<Record<OutboundReason, () => ApiError>> = {
  target: () => new ApiError('BAD_REQUEST'),
  redirect: () => new ApiError('BAD_GATEWAY'),
  unreachable: () => new ApiError('BAD_GATEWAY'),
  certificate: () => new ApiError('BAD_GATEWAY'),
  slow: () => new ApiError('GATEWAY_TIMEOUT'),
  headers: () => new ApiError('GATEWAY_TIMEOUT'),
  size: () => new ApiError('PAYLOAD_TOO_LARGE'),
  busy: () => unavailable(1),
};

/** A target whose signature has been verified. */
interface VerifiedTarget {
  readonly url: string;
  /** Cache lifetime in seconds. */
  readonly maxAge: number;
  /** Deadline for the last byte, on the monotonic clock. A second fetch has only the remaining time. */
  readonly until: number;
}

/** A complete external object. `size` is null if the origin did not send it. */
interface ExternalObject {
  readonly contentType: string;
  readonly size: number | null;
  readonly body: Readable;
}

/** External media. The signature in the path authorizes the request (media.md sections 5 to 9). */
@Injectable()
export class ExternalService {
  private readonly rules: TargetRules;

  constructor(
    private readonly outbound: Outbound,
    private readonly urls: MediaUrlService,
    private readonly delivery: Delivery,
    private readonly transforms: Transforms,
    private readonly spools: Spools,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    this.rules = { ports: config.media.externalPorts, ownHosts: getOwnHosts(config) };
  }

  /**
   * Sends external media.
   * @throws ApiError with the errors of sections 5, 6 and 7
   */
  async serve(call: Call): Promise<typeof RESPONSE_HANDLED> {
    const target = this.requireTarget(rawPath(originForm(call.target), EXTERNAL_PREFIX));
    const selectors = new Selectors(call.req.url ?? '');
    const wanted = selectors.transform();
    try {
      if (wanted) return await this.serveTransformed(call, target, selectors, wanted);
      return await this.serveUnchanged(call, target, selectors.download);
    } catch (error) {
      if (error instanceof OutboundFault) throw ERROR_BY_REASON[error.reason]();
      throw error instanceof ImageFault ? new ApiError('BAD_REQUEST') : error;
    }
  }

  /** The steps of 5.1 in order. `signed` is not decoded before the signature is verified. */
  private requireTarget(path: string): VerifiedTarget {
    if (path === '') throw new ApiError('NOT_FOUND');
    const end = path.indexOf('/');
    const [signature, signed] = [path.slice(0, Math.max(0, end)), path.slice(end + 1)];
    if (signature === '' || signed === '') throw new ApiError('BAD_REQUEST');
    if (!isSignedBy(this.urls.signingSecrets, signature, signed)) throw new ApiError('UNAUTHORIZED');
    const parts = splitExpiry(signed);
    if (!parts) throw new ApiError('BAD_REQUEST');
    const left = parts.expires === null ? YEAR_SECONDS : parts.expires - this.clock.seconds();
    if (left <= 0) throw new ApiError('UNAUTHORIZED');
    const url = urlOfTarget(parts.target);
    if (url === null) throw new ApiError('BAD_REQUEST');
    return { url, maxAge: Math.min(YEAR_SECONDS, left), until: this.clock.monotonic() + FETCH_MS };
  }

  private async fetch(call: Call, { url, until }: VerifiedTarget, range?: string): Promise<UserFetchResponse> {
    const { externalMaxBytes: maxBytes } = this.config.media;
    const { rules } = this;
    const timeoutMs = Math.max(1, Math.ceil(until - this.clock.monotonic()));
    const response = await this.outbound.fetchForUser({
      ...{ url, rules, client: addressKey(call.address), accept: ACCEPT, maxBytes, timeoutMs },
      ...(range === undefined ? {} : { range }),
    });
    call.res.once('close', () => response.body.destroy());
    const { status } = response;
    if (status === 200 || (status === 206 && range !== undefined)) return response;
    response.body.destroy();
    // The status of the origin (media.md section 6).
    throw FORWARDED_STATUSES.has(status)
      ? new ApiError('UPSTREAM_FETCH_FAILED').withStatus(status)
      : new ApiError('BAD_GATEWAY');
  }

  /**
   * Sends the object unchanged. Requests a range from the origin; if the origin does not return it correctly, cuts the
   * range here.
   */
  private async serveUnchanged(
    call: Call,
    target: VerifiedTarget,
    download: boolean,
  ): Promise<typeof RESPONSE_HANDLED> {
    const header = mayServeRange(call.req, null) ? call.req.headers.range : undefined;
    const requested = parseRequestedRange(header);
    const response = await this.fetch(call, target, requested?.header);
    const item = (contentType: string) => representation(target, contentType, download);
    if (requested && response.status === 206) {
      const part = await this.relayPart(call, response, requested, item);
      if (part) return part;
      response.body.destroy();
      return this.serveWhole(call, await this.fetch(call, target), header, item);
    }
    return this.serveWhole(call, response, header, item);
  }

  /** Sends the part from the origin if it is the requested range and its type is known. Otherwise returns null. */
  private async relayPart(
    call: Call,
    response: UserFetchResponse,
    requested: RequestedRange,
    item: (contentType: string) => Representation,
  ): Promise<typeof RESPONSE_HANDLED | null> {
    const part = parseReceivedPart(requested, response.headers);
    if (!part) return null;
    const { start, end } = part.range;
    const { head, body } = await peek(response.body, start === 0 ? Math.min(SNIFF_BYTES, end + 1) : 0);
    const isEnough = head.length >= Math.min(SNIFF_BYTES, part.size);
    const type = start === 0 ? await typeOfPart(head, isEnough) : declaredType(response.headers['content-type']);
    if (type === null) return null;
    return this.send(call, item(type), part.size, part.range, body);
  }

  private async serveWhole(
    call: Call,
    response: UserFetchResponse,
    header: string | undefined,
    item: (contentType: string) => Representation,
  ): Promise<typeof RESPONSE_HANDLED> {
    const { contentType, size, body } = await openObject(response);
    if (size === null && parseRequestedRange(header) !== null)
      return this.serveCollected(call, body, item(contentType));
    const range = size === null ? null : rangeOf(header, size);
    if (range === 'unsatisfiable') {
      body.destroy();
      throw unsatisfiable(size ?? 0);
    }
    return this.send(call, item(contentType), size, range, range ? takeRange(body, range) : body);
  }

  /**
   * Handles a range of an object with unknown size. Small objects are collected and cut; larger ones are sent whole.
   */
  private async serveCollected(call: Call, body: Readable, item: Representation): Promise<typeof RESPONSE_HANDLED> {
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const { spooled, value: isWhole } = await this.spools.fill(async (take) => {
      for (let size = 0; size <= MAX_INPUT_BYTES; ) {
        const { value, done } = await chunks.next();
        if (done) return true;
        size += value.length;
        await take(value);
      }
      return false;
    });
    spooled.holdUntil(clientGoneSignal(call));
    spooled.release();
    if (isWhole) return this.delivery.send(call, item, () => spooled);
    return this.send(call, item, null, null, replayChunks(await spooled.open(), chunks, body));
  }

  private send(
    call: Call,
    item: Representation,
    size: number | null,
    range: { start: number; end: number } | null,
    body: Readable,
  ): typeof RESPONSE_HANDLED {
    const isHead = call.req.method === 'HEAD';
    if (isHead) body.destroy();
    return this.delivery.sendContent(call, item, { size, range, bytes: isHead ? undefined : body });
  }

  private async serveTransformed(
    call: Call,
    target: VerifiedTarget,
    selectors: Selectors,
    wanted: NonNullable<ReturnType<Selectors['transform']>>,
  ): Promise<typeof RESPONSE_HANDLED> {
    const response = await this.fetch(call, target);
    const { contentType, size, body } = await openObject(response);
    if (isAudioOrVideo(contentType)) {
      const range = size === null ? null : rangeOf(call.req.headers.range, size);
      const requested = range !== 'unsatisfiable' && mayServeRange(call.req, null) ? range : null;
      const item = representation(target, contentType, selectors.download);
      return this.send(call, item, size, requested, requested ? takeRange(body, requested) : body);
    }
    const format = wanted.format ?? parseFormat(contentType.replace(/^image\//, ''));
    if (!isRaster(contentType) || !format) {
      body.destroy();
      throw new ApiError('BAD_REQUEST');
    }
    const { spooled, sha256 } = await this.collectImage(body, size);
    try {
      const transform = { ...wanted, format };
      const item = representation(target, `image/${format}`, selectors.download);
      const request = { sha256: sha256.toString('hex'), transform, source: spooled, keep: false };
      return await this.delivery.send(call, { ...item, filename: withFormatExtension(item.filename, format) }, () =>
        this.transforms.get(request, clientGoneSignal(call)),
      );
    } finally {
      spooled.release();
    }
  }

  private collectImage(body: Readable, size: number | null) {
    return this.spools.fill(async (take) => {
      let left = MAX_INPUT_BYTES;
      if (size !== null && size > left) {
        body.destroy();
        throw new ApiError('PAYLOAD_TOO_LARGE');
      }
      for await (const chunk of body as AsyncIterable<Buffer>) {
        left -= chunk.length;
        if (left < 0) throw new ApiError('PAYLOAD_TOO_LARGE');
        await take(chunk);
      }
    });
  }
}

/** Removes the scheme and authority from an absolute-form request target, as proxies send it. */
const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '');

async function openObject({ body: source, headers }: UserFetchResponse): Promise<ExternalObject> {
  const { head, isWhole, body } = await peek(source, SNIFF_BYTES);
  const declared = headers['content-length'];
  const size = isWhole ? head.length : /^\d{1,15}$/.test(declared ?? '') ? Number(declared) : null;
  return { contentType: await typeOfBytes(head), size, body };
}

const representation = ({ url, maxAge }: VerifiedTarget, contentType: string, download: boolean): Representation => ({
  ...{ contentType, download, maxAge, etag: null },
  filename: plainFilename(decodeOnce(new URL(url).pathname.split('/').at(-1) ?? '') ?? ''),
});
