import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { Call, ParsedBody } from './call.js';
import { invalid, Refusal } from './errors.js';

export const JSON_LIMIT = 256 * 1024;
const MAX_DROPPED = 8 * 1024 * 1024;
const MAX_DEPTH = 32;
const MAX_MEMBERS = 10_000;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The client went away while its body was read: no error of the service and no signal. */
export class ClientGone extends Error {}

/**
 * Reads a whole body of at most `limit` bytes. Counts while reading, so a missing or wrong
 * `Content-Length` cannot get past the limit.
 * @throws Refusal PAYLOAD_TOO_LARGE, ClientGone
 */
export function readBytes(call: Call, limit: number): Promise<Buffer> {
  const { req, res } = call;
  if (Number(req.headers['content-length'] ?? 0) > limit) {
    drop(req);
    return Promise.reject(new Refusal('PAYLOAD_TOO_LARGE'));
  }
  if (/^100-continue$/i.test(req.headers.expect ?? '')) res.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        drop(req);
        finish(() => reject(new Refusal('PAYLOAD_TOO_LARGE')));
      }
    };
    const onEnd = () => finish(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onGone = () => finish(() => reject(new ClientGone('the client went away')));
    const finish = (settle: () => void) => {
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** What comes beyond the limit is dropped, within reason, so that the client reads the answer and not a reset. */
export function drop(req: IncomingMessage): void {
  let rest = MAX_DROPPED;
  req.on('data', (chunk: Buffer) => {
    rest -= chunk.length;
    if (rest < 0) req.destroy();
  });
}

/**
 * The request's body apart from the request, so that an answer can still be sent when reading ends early. After
 * `deadlineMs` it breaks with `late`.
 */
export function bodyApart({ req, res }: Call, deadlineMs: number, late: Error): Readable {
  const body = new PassThrough();
  const timer = setTimeout(() => body.destroy(late), deadlineMs).unref();
  const onGone = () => req.complete || body.destroy(new ClientGone('the client went away'));
  body.once('close', () => {
    clearTimeout(timer);
    req.off('close', onGone);
    req.socket.off('end', onGone);
  });
  req.once('close', onGone);
  // A half-closed connection ends an unfinished body long before it is closed.
  req.socket.once('end', onGone);
  if (req.socket.readableEnded || req.destroyed) onGone();
  if (req.headers.expect) res.writeContinue();
  return req.pipe(body);
}

function assertShape(root: unknown): asserts root is Record<string, unknown> {
  if (typeof root !== 'object' || root === null || Array.isArray(root)) throw invalid('body', 'INVALID_FORMAT');
  let members = 0;
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalid('body', 'INVALID_FORMAT');
    const next: object[] = [];
    for (const node of level) {
      const keys = Object.keys(node);
      members += keys.length;
      if (members > MAX_MEMBERS) throw invalid('body', 'INVALID_FORMAT');
      for (const key of keys) {
        if (FORBIDDEN_KEYS.has(key) && !Array.isArray(node)) throw invalid('body', 'INVALID_FORMAT');
        const value = (node as Record<string, unknown>)[key];
        if (typeof value === 'object' && value !== null) next.push(value);
      }
    }
    level = next;
  }
}

/** UTF-8 JSON text to a plain object (conventions.md section 1: shape, depth, keys). */
export function parseJson(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw invalid('body', 'INVALID_FORMAT');
  }
  assertShape(value);
  return value;
}

/** `application/x-www-form-urlencoded` to names with every value that was sent for them. */
function parseForm(bytes: Buffer): Record<string, unknown> {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalid('body', 'INVALID_FORMAT');
  }
  const form: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const values = form[name];
    if (values) values.push(value);
    else form[name] = [value];
  }
  return form;
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 32 || (byte >= 9 && byte <= 13));

export const mediaType = (req: IncomingMessage): string =>
  (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

export function assertPlainEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
}

/**
 * A JSON body of at most `limit` bytes, for handlers that judge the caller by what they load before they read it.
 * @throws Refusal PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, FV(body: INVALID_FORMAT); ClientGone
 */
export async function readJson(call: Call, limit: number): Promise<Record<string, unknown>> {
  assertPlainEncoding(call.req);
  const bytes = hasBody(call.req) ? await readBytes(call, limit) : Buffer.alloc(0);
  if (isBlank(bytes)) return {};
  if (mediaType(call.req) !== 'application/json') throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  return parseJson(bytes);
}

async function readForm(call: Call, limit: number): Promise<Record<string, unknown>> {
  assertPlainEncoding(call.req);
  const bytes = hasBody(call.req) ? await readBytes(call, limit) : Buffer.alloc(0);
  if (mediaType(call.req) !== 'application/x-www-form-urlencoded') throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  return parseForm(bytes);
}

async function parse(call: Call, kind: 'json' | 'form', limit: number): Promise<ParsedBody> {
  try {
    return { value: await (kind === 'form' ? readForm : readJson)(call, limit) };
  } catch (fault) {
    if (fault instanceof ClientGone) throw fault;
    return { fault: fault as Error };
  }
}

/** The body of the call, read and parsed once, no earlier than the first guard that needs it. */
export function bodyOf(call: Call): Promise<ParsedBody> | ParsedBody {
  if (call.body) return call.body;
  const accepts = call.plan?.accepts;
  if (!accepts || accepts.kind === 'none') call.body = { value: {} };
  else if (accepts.kind === 'json' && !hasBody(call.req)) call.body = { value: {} };
  else call.body = parse(call, accepts.kind as 'json' | 'form', accepts.limit);
  return call.body;
}
