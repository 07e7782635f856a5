import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { ApiError, validationError } from '../core/errors.js';
import { isWithinFormLimits, JsonShape } from '../core/text/json-shape.js';
import { type Call, ClientGone, type ParsedBody } from '../policy/call.js';

export const JSON_LIMIT = 256 * 1024;
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a whole body of at most `limit` bytes in pieces. Counts while reading, so that a missing or incorrect
 * `Content-Length` cannot bypass the limit.
 * @throws ApiError PAYLOAD_TOO_LARGE. For an incomplete body: RATE_LIMITED, BAD_REQUEST, SERVICE_UNAVAILABLE, ClientGone
 */
async function readChunks(call: Call, limit: number, take: (piece: Buffer) => void): Promise<void> {
  const { req, res, transfers } = call;
  if (Number(req.headers['content-length'] ?? 0) > limit) {
    discardBody(req);
    throw new ApiError('PAYLOAD_TOO_LARGE');
  }
  let giveUp: (apiError: ApiError) => void = () => {};
  const isWhole = req.complete;
  if (!isWhole) transfers.waitForBody(call, (apiError) => giveUp(apiError));
  if (/^100-continue$/i.test(req.headers.expect ?? '')) res.writeContinue();
  const whole = new Promise<void>((resolve, reject) => {
    giveUp = (apiError) => finish(() => reject(apiError));
    let size = 0;
    const onData = (piece: Buffer) => {
      size += piece.length;
      if (size <= limit) take(piece);
      else {
        discardBody(req);
        finish(() => reject(new ApiError('PAYLOAD_TOO_LARGE')));
      }
    };
    const onEnd = () => finish(resolve);
    const onGone = () => finish(() => reject(new ClientGone()));
    const finish = (settle: () => void) => {
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
  if (isWhole) return whole;
  try {
    await whole;
  } catch (error) {
    transfers.endBodyWait(call);
    throw error;
  }
  transfers.resumeWork(call);
}

/**
 * Reads a whole body of at most `limit` bytes.
 * @throws ApiError PAYLOAD_TOO_LARGE. For an incomplete body: RATE_LIMITED, BAD_REQUEST, SERVICE_UNAVAILABLE, ClientGone
 */
export async function readBytes(call: Call, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await readChunks(call, limit, (piece) => void pieces.push(piece));
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

/** Discards what the client still sends, up to 8 MiB, so that it receives the response and not a connection reset. */
export function discardBody(req: IncomingMessage): void {
  let rest = MAX_DISCARDED_BYTES;
  req.on('data', (chunk: Buffer) => {
    rest -= chunk.length;
    if (rest < 0) req.destroy();
  });
}

/**
 * Pipes the body into a separate stream, so that a response can still be sent when reading ends early. After
 * `deadlineMs` the stream fails with `late`.
 */
export function streamBody(call: Call, deadlineMs: number, late: Error): Readable {
  const { req, res, transfers } = call;
  const body = new PassThrough();
  if (!req.complete) transfers.waitForBody(call, (apiError) => body.destroy(apiError));
  const goOn = () => transfers.endBodyWait(call);
  req.once('end', goOn);
  const timer = setTimeout(() => body.destroy(late), deadlineMs).unref();
  const onGone = () => req.complete || body.destroy(new ClientGone());
  body.once('close', () => {
    clearTimeout(timer);
    goOn();
    req.off('end', goOn).off('close', onGone);
    req.socket.off('end', onGone);
  });
  req.once('close', onGone);
  // A half-closed connection ends an unfinished body long before the connection closes.
  req.socket.once('end', onGone);
  if (req.socket.readableEnded || req.destroyed) onGone();
  if (req.headers.expect) res.writeContinue();
  return req.pipe(body);
}

/**
 * Rejects invalid UTF-8 and does not replace it with U+FFFD, because two different passwords could become one. Drops a
 * byte order mark.
 */
const decoder = () => new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder().decode(bytes);
  } catch {
    throw validationError('body', 'INVALID_FORMAT');
  }
}

/** Checks and decodes JSON while it arrives, so that megabytes of JSON do not block the event loop at the end. */
class JsonAccumulator {
  private readonly shape: JsonShape;
  private readonly decoder = decoder();
  private text = '';
  private isBroken = false;

  constructor(maxMembers?: number) {
    this.shape = new JsonShape(maxMembers);
  }

  get isBlank(): boolean {
    return this.shape.isBlank;
  }

  append(piece: Uint8Array): void {
    this.shape.take(piece);
    this.decode(() => this.decoder.decode(piece, { stream: true }));
  }

  /** @throws ApiError FV(body: INVALID_FORMAT) */
  end(): Record<string, unknown> {
    this.decode(() => this.decoder.decode());
    if (this.isBroken) throw validationError('body', 'INVALID_FORMAT');
    return parseObject(this.text);
  }

  private decode(next: () => string): void {
    if (this.isBroken) return;
    try {
      if (this.shape.isWithinLimits) this.text += next();
      else this.isBroken = true;
    } catch {
      this.isBroken = true;
    }
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Checks parsed JSON, which inherits no keys, without `Object.entries`, which would take several times as long. */
function hasForbiddenKey(root: object): boolean {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Array.isArray(node)) {
      for (const value of node) if (isObject(value)) waiting.push(value);
      continue;
    }
    for (const key in node) {
      if (FORBIDDEN_KEYS.has(key)) return true;
      const value = (node as Record<string, unknown>)[key];
      if (isObject(value)) waiting.push(value);
    }
  }
  return false;
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw validationError('body', 'INVALID_FORMAT');
  }
  return toPlainObject(value);
}

/** Asserts that parsed JSON is an object without forbidden keys. @throws ApiError FV(body: INVALID_FORMAT) */
export function toPlainObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || hasForbiddenKey(value))
    throw validationError('body', 'INVALID_FORMAT');
  return value as Record<string, unknown>;
}

/**
 * Parses UTF-8 JSON text to a plain object (conventions.md section 1: shape, depth, keys).
 * @throws ApiError FV(body: INVALID_FORMAT)
 */
export function parseJson(bytes: Uint8Array): Record<string, unknown> {
  const text = new JsonAccumulator();
  text.append(bytes);
  return text.end();
}

/** Parses `application/x-www-form-urlencoded` to names, each with all the values that were sent for it. */
function parseForm(bytes: Buffer): Record<string, unknown> {
  if (!isWithinFormLimits(bytes)) throw validationError('body', 'INVALID_FORMAT');
  const form: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(decodeUtf8(bytes))) {
    const values = form[name];
    if (values) values.push(value);
    else form[name] = [value];
  }
  return form;
}

/** Parses query parameters to text. A repeated parameter becomes a list, which scalar fields reject. */
export function parseQuery(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const start = url.indexOf('?');
  if (start < 0) return query;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else query[name] = [known, value];
  }
  return query;
}

export const mediaType = (req: IncomingMessage): string =>
  (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

export function assertPlainEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
}

/**
 * Reads a JSON body of at most `limit` bytes, for handlers that check the caller against loaded data before they read
 * the body.
 * @param maxMembers maximum number of members and elements, if it differs from the default (conventions.md section 1)
 * @throws ApiError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, FV(body: INVALID_FORMAT); ClientGone
 */
export async function readJson(call: Call, limit: number, maxMembers?: number): Promise<Record<string, unknown>> {
  assertPlainEncoding(call.req);
  const text = new JsonAccumulator(maxMembers);
  if (hasBody(call.req)) await readChunks(call, limit, (piece) => text.append(piece));
  if (text.isBlank) return {};
  if (mediaType(call.req) !== 'application/json') throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
  return text.end();
}

async function readForm(call: Call, limit: number): Promise<Record<string, unknown>> {
  assertPlainEncoding(call.req);
  const bytes = hasBody(call.req) ? await readBytes(call, limit) : Buffer.alloc(0);
  if (mediaType(call.req) !== 'application/x-www-form-urlencoded') throw new ApiError('UNSUPPORTED_MEDIA_TYPE');
  return parseForm(bytes);
}

async function parse(call: Call, kind: 'json' | 'form', limit: number): Promise<ParsedBody> {
  try {
    return { value: await (kind === 'form' ? readForm(call, limit) : readJson(call, limit)) };
  } catch (fault) {
    if (fault instanceof ClientGone) throw fault;
    return { fault: fault as Error };
  }
}

/** The body of the call. It is read and parsed once, when the first guard needs it. */
export function getBody(call: Call): Promise<ParsedBody> | ParsedBody {
  if (call.body) return call.body;
  const accepts = call.plan?.accepts;
  if (!accepts || accepts.kind === 'none') call.body = { value: {} };
  else if (accepts.kind === 'json' && !hasBody(call.req)) call.body = { value: {} };
  else call.body = parse(call, accepts.kind as 'json' | 'form', accepts.limit);
  return call.body;
}
