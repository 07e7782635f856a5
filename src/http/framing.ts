import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../core/errors.js';
import { replaceClosing } from '../core/machine/node-internals.js';
import type { Call } from '../policy/call.js';

const MAX_HEADER_LINES = 100;
/** How long a client may keep sending while its connection closes, so that it receives the response and not a reset. */
export const LINGER_MS = 1500;

/** Half-closes the socket and destroys it after LINGER_MS. */
export function halfClose(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Closes the connection of a request after its response. Data that still arrives is not parsed as a request. */
export function closeAfterResponse({ req, res }: Call): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
  const { socket } = req;
  replaceClosing(socket, () => {
    req.unpipe();
    req.resume();
    halfClose(socket);
  });
}

/**
 * Rejects requests that Node's parser accepts although two servers in a row could read them differently (RFC 9112
 * sections 3.2 and 6). The connection closes with the response.
 */
export function assertFraming({ req, res, headerLines, hosts }: Call): void {
  const encoding = req.headers['transfer-encoding'];
  const isCurrent = req.httpVersionMinor > 0;
  const hasOneHost = hosts === 1 || (hosts === 0 && !isCurrent);
  const isPlain = encoding === undefined || (isCurrent && encoding.toLowerCase() === 'chunked');
  if (hasOneHost && isPlain && headerLines <= MAX_HEADER_LINES) return;
  res.shouldKeepAlive = false;
  throw new ApiError('BAD_REQUEST');
}

const ABSOLUTE = /^https?:\/\/[^/?#]*(\/.*)?$/i;
const ENCODED_UNRESERVED = /%(?:2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** The result is used because build tools treat the call as pure and drop it if its result is unused. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path).length > 0;
  } catch {
    return false;
  }
}

/** Removes the scheme and the host of an absolute `req.url`. */
export function toOriginForm(req: IncomingMessage): void {
  const { url = '' } = req;
  if (url.startsWith('/')) return;
  const absolute = ABSOLUTE.exec(url);
  if (!absolute) throw new ApiError('BAD_REQUEST');
  req.url = absolute[1] ?? '/';
}

/**
 * Returns the path for routing and writes it to `req.url`: origin form, decodable, and with unreserved characters
 * decoded. One of the two routers would decode them, the other would not.
 */
export function normalizePath(req: IncomingMessage): string {
  toOriginForm(req);
  const { url = '' } = req;
  if (url.includes('#')) throw new ApiError('BAD_REQUEST');
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return path;
  if (!isDecodable(path)) throw new ApiError('BAD_REQUEST');
  const normal = path.replace(ENCODED_UNRESERVED, (code) => decodeURIComponent(code));
  req.url = end < 0 ? normal : normal + url.slice(end);
  return normal;
}

/** Since Node 26, the `upgrade` event is emitted while the parser still reads the body of the request. */
const PARSER_READS_UPGRADE_BODY = Number.parseInt(process.versions.node, 10) >= 26;
/** The largest such body that is buffered. */
const MAX_UPGRADE_BODY_BYTES = 64 * 1024;

/**
 * Declines a protocol upgrade and serves the request normally. Passes it to the server's parser again without the
 * upgrade headers, together with its body and later requests of the connection.
 */
export function declineUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (!PARSER_READS_UPGRADE_BODY) {
    replayThroughParser(server, req, socket, [head], /^(?:upgrade|http2-settings)$/i);
    return;
  }
  // Until the body is read, a separate stream represents the connection. It also needs the remote IP address.
  if (socket !== req.socket) Object.assign(socket, { remoteAddress: req.socket.remoteAddress });
  const body: Buffer[] = [];
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_UPGRADE_BODY_BYTES) socket.destroy();
    else body.push(chunk);
  });
  req.on('end', () => {
    const frame = size > 0 ? [`Content-Length: ${size}`] : [];
    const gone = /^(?:upgrade|http2-settings|content-length|transfer-encoding)$/i;
    if (size <= MAX_UPGRADE_BODY_BYTES) replayThroughParser(server, req, socket, [...body, head], gone, frame);
  });
}

function replayThroughParser(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  rest: Buffer[],
  gone: RegExp,
  frame: string[] = [],
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!gone.test(name)) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${[...lines, ...frame].join('\r\n')}\r\n\r\n`, 'latin1'), ...rest]));
  server.emit('connection', socket);
}
