import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { halfClose, LINGER_MS } from '../framing.js';
import { LiveRequests } from '../live-requests.js';
import { Load } from '../load.js';
import { ErrorResponder, JSON_TYPE } from './error-responder.js';
import { FixedHeaders } from './fixed-headers.js';

/** Poll interval while waiting for connections to close. */
const DRAIN_POLL_INTERVAL_MS = 20;
/** Idle keep-alive connections are closed after this long once a successor has taken over. */
const IDLE_CONNECTION_GRACE_MS = 3000;

const PARSER_ERROR_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The HTTP connections of the server: the responses that they wait for, their parser errors and their end. */
@Injectable()
export class ConnectionRegistry {
  private readonly lastResponses = new WeakMap<Duplex, ServerResponse>();

  constructor(
    private readonly live: LiveRequests,
    private readonly load: Load,
    private readonly errors: ErrorResponder,
    private readonly fixedHeaders: FixedHeaders,
  ) {}

  /** Records the response to the last request of a connection. */
  setLastResponse(socket: Socket, res: ServerResponse): void {
    this.lastResponses.set(socket, res);
  }

  /** Forgets a connection that switches to another protocol. */
  forget(socket: Duplex): void {
    this.lastResponses.delete(socket);
    this.live.disconnect(socket as Socket);
  }

  /** Whether an earlier request of the connection still waits for its response, which must be written first. */
  hasPendingResponse(socket: Duplex): boolean {
    const last = this.lastResponses.get(socket);
    return last !== undefined && !last.writableFinished;
  }

  /** Sends JSON error responses to requests that do not reach a handler, and closes their connections. */
  handleParserErrors(server: Server): void {
    const answered = new WeakSet<Duplex>();
    server.on('connection', (socket: Socket) => void this.live.connect(socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const last = this.lastResponses.get(socket);
      if (answered.has(socket) || (last?.headersSent && !last.shouldKeepAlive)) return;
      const isBroken = this.hasPendingResponse(socket) && last?.headersSent && !last.req.complete;
      if (error.code === 'ECONNRESET' || !socket.writable || isBroken) socket.destroy();
      else {
        answered.add(socket);
        const status = PARSER_ERROR_STATUS[error.code ?? ''] ?? '400 Bad Request';
        this.sendUnparsedError(socket, status, new ApiError('BAD_REQUEST'));
      }
    });
    server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy());
      this.sendUnparsedError(socket, '404 Not Found', new ApiError('NOT_FOUND'));
    });
  }

  /** Waits for the responses to earlier requests of the connection, whose handlers may still run. */
  private sendUnparsedError(socket: Duplex, status: string, apiError: ApiError): void {
    const last = this.lastResponses.get(socket);
    if (last?.req.complete && this.hasPendingResponse(socket)) {
      last.once('finish', () => socket.writable && this.writeUnparsedError(socket, status, apiError));
    } else this.writeUnparsedError(socket, status, apiError);
  }

  private writeUnparsedError(socket: Duplex, status: string, apiError: ApiError): void {
    const body = this.errors.bodyOf(apiError);
    const headers = [
      ...this.fixedHeaders.of(randomUUID()),
      ...['Content-Type', JSON_TYPE],
      ...['Content-Length', String(Buffer.byteLength(body))],
      ...['Connection', 'close'],
    ];
    const lines = headers.flatMap((name, i) => (i % 2 === 0 ? `${name}: ${headers[i + 1]}` : []));
    socket.write([`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n'));
    halfClose(socket as Socket);
  }

  /**
   * Closes each connection with the response to its next request, and idle connections after a grace period. Waits until
   * none is left or `deadline` has passed.
   */
  async retire(deadline: number): Promise<void> {
    this.load.retiring = true;
    const unusedFrom = performance.now() + IDLE_CONNECTION_GRACE_MS;
    while (this.live.isConnected && performance.now() < deadline) {
      if (performance.now() > unusedFrom) this.closeIdleConnections();
      await delay(DRAIN_POLL_INTERVAL_MS);
    }
  }

  /**
   * Closes idle keep-alive connections with FIN, not RST, so that a client that is sending a request gets a clean end.
   */
  async drainIdleConnections(): Promise<void> {
    this.closeIdleConnections();
    const deadline = performance.now() + LINGER_MS;
    while (this.live.isConnected && performance.now() < deadline) await delay(5);
  }

  private closeIdleConnections(): void {
    for (const { socket } of this.live.connections())
      if (!this.hasPendingResponse(socket) && socket.writable) halfClose(socket);
  }
}
