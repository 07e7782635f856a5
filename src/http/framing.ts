import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '../core/errors.js';
import type { Call } from '../policy/call.js';

const MAX_HEADER_LINES = 100;
/** How long a client whose connection ends may go on sending, so that it reads the answer and not a reset. */
export const LINGER_MS = 1500;

/** Ends a connection: nothing more is said on it, but what comes is taken for a while. */
export function linger(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Ends the connection of a request with its answer. What it still sends is not read as a request. */
export function closeGently({ req, res }: Call): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
  const { socket } = req;
  socket.destroySoon = () => {
    req.unpipe();
    req.resume();
    linger(socket);
  };
}

/**
 * What Node's parser lets through although two servers in a row could read it differently (RFC 9112, sections 3.2
 * and 6): it is refused, and the connection with it.
 */
export function assertFraming({ req, res, headerLines, hosts }: Call): void {
  const encoding = req.headers['transfer-encoding'];
  const isCurrent = req.httpVersionMinor > 0;
  const hasOneHost = hosts === 1 || (hosts === 0 && !isCurrent);
  const isPlain = encoding === undefined || (isCurrent && encoding.toLowerCase() === 'chunked');
  if (hasOneHost && isPlain && headerLines <= MAX_HEADER_LINES) return;
  res.shouldKeepAlive = false;
  throw new Refusal('BAD_REQUEST');
}

const ABSOLUTE = /^https?:\/\/[^/?#]*(\/.*)?$/i;
const ENCODED_UNRESERVED = /%(?:2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** The result is used: tools that transform code consider the call pure, and drop it if nothing reads its result. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path).length > 0;
  } catch {
    return false;
  }
}

/**
 * The path that routing sees, also left in `req.url`: origin form, decodable, and with the letters that need no
 * encoding decoded, because one router would do that and the other would not.
 */
export function routedPath(req: IncomingMessage): string {
  let url = req.url ?? '';
  if (!url.startsWith('/')) {
    const absolute = ABSOLUTE.exec(url);
    if (!absolute) throw new Refusal('BAD_REQUEST');
    url = absolute[1] ?? '/';
    req.url = url;
  }
  if (url.includes('#')) throw new Refusal('BAD_REQUEST');
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return path;
  if (!isDecodable(path)) throw new Refusal('BAD_REQUEST');
  const normal = path.replace(ENCODED_UNRESERVED, (code) => decodeURIComponent(code));
  req.url = end < 0 ? normal : normal + url.slice(end);
  return normal;
}

/** From Node 26 on an offer to switch protocols is made once its request's body is on its way through the parser. */
const IS_BODY_PARSED = Number.parseInt(process.versions.node, 10) >= 26;
/** More than this of such a body is not kept. */
const MAX_OFFERED = 64 * 1024;

/**
 * Serves a request whose offer to switch protocols is declined like any other: without the offer it goes through the
 * server's parser once more, body and further requests of the connection included.
 */
export function declineUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (!IS_BODY_PARSED) {
    serveAgain(server, req, socket, [head], /^(?:upgrade|http2-settings)$/i);
    return;
  }
  // A stream of its own stands for the connection until the body is read: it too has somebody at its other end.
  if (socket !== req.socket) Object.assign(socket, { remoteAddress: req.socket.remoteAddress });
  const body: Buffer[] = [];
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OFFERED) socket.destroy();
    else body.push(chunk);
  });
  req.on('end', () => {
    const frame = size > 0 ? [`Content-Length: ${size}`] : [];
    const gone = /^(?:upgrade|http2-settings|content-length|transfer-encoding)$/i;
    if (size <= MAX_OFFERED) serveAgain(server, req, socket, [...body, head], gone, frame);
  });
}

function serveAgain(
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
