import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import type { MessageMappingProperties } from '@nestjs/websockets';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { ApiError } from '../core/errors.js';
import { declineUpgrade, normalizePath } from '../http/framing.js';
import { ConnectionRegistry } from '../http/front-door/connection-registry.js';
import { FrontDoor } from '../http/front-door/front-door.js';
import { GATEWAY_PATH } from './commands/decorators.js';
import type { Connection } from './connection.js';
import { Gateway } from './gateway.service.js';
import { CLOSING, type Closing } from './protocol/protocol.js';
import { corkForTick } from './sending/cork-for-tick.js';
import { readInPieces } from './small-reads.js';

// Legitimate messages have one or a few fragments. Unfinished messages use memory, so many sockets must not accumulate
// them.
const MAX_FRAGMENTS = 16;
const MAX_CHUNKS = 32;
const EMPTY_BUFFER = Buffer.alloc(0);

/** Maps the close codes of the WebSocket library for unreadable messages to the codes of the contract. */
const CLOSING_BY_LIBRARY_CODE: Readonly<Record<number, Closing>> = {
  1007: CLOSING.undecodable,
  1008: CLOSING.tooLarge,
  1009: CLOSING.tooLarge,
};

/** A WebSocket of the library with its connection. An unreadable message waits in the queue like any other. */
class GatewaySocket extends WebSocket {
  connection?: Connection;
  /** The underlying TCP or TLS stream. */
  transport?: Duplex;

  override send(data: Parameters<WebSocket['send']>[0], ...more: never[]): void {
    if (this.transport) corkForTick(this.transport);
    super.send(data, ...(more as [never]));
  }

  override close(code?: number, reason?: string | Buffer): void {
    // Only the library closes without a reason.
    const closing = reason === undefined && code !== undefined ? CLOSING_BY_LIBRARY_CODE[code] : undefined;
    if (closing && this.connection && !this.connection.isClosed) this.connection.receive(closing);
    else super.close(code, reason);
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  (this as GatewaySocket).connection?.receive(isBinary ? CLOSING.undecodable : (data as Buffer));
}

/** Ignores transport errors, because the `close` event follows. */
function onError(): void {}

function onClose(this: WebSocket): void {
  (this as GatewaySocket).connection?.onClose();
}

/**
 * The WebSocket adapter for Nest. Turns upgraded sockets into connections, which are Nest's clients.
 * The front door checks upgrade requests. A connection calls its handlers directly, without RxJS streams.
 */
@Injectable()
export class GatewayAdapter extends WsAdapter {
  constructor(
    private readonly http: HttpAdapterHost,
    private readonly door: FrontDoor,
    private readonly connections: ConnectionRegistry,
    private readonly gateway: Gateway,
  ) {
    super();
  }

  /** Called once, because all gateways share one path. */
  override create(): WebSocketServer {
    const { message_bytes, close_ms } = this.gateway.numbers;
    const options = {
      noServer: true,
      WebSocket: GatewaySocket,
      clientTracking: false,
      perMessageDeflate: false,
      // Subprotocols are not supported.
      handleProtocols: () => false as const,
      maxPayload: message_bytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_CHUNKS,
      closeTimeout: close_ms,
    };
    const sockets = new WebSocketServer(options);
    const server = this.http.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (this.connections.hasPendingResponse(socket)) socket.destroy();
      else if (isForGateway(req)) this.upgrade(sockets, req, socket, head);
      else declineUpgrade(server, req, socket, head);
    });
    sockets.on('wsClientError', (_error: Error, socket: Duplex, req: IncomingMessage) => {
      const apiError = new ApiError('BAD_REQUEST').withHeaders({ 'Sec-WebSocket-Version': '13' });
      if (req.call) this.door.rejectUpgrade(req.call, socket, apiError);
    });
    return sockets;
  }

  private upgrade(sockets: WebSocketServer, req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const call = this.door.admitUpgrade(req, socket);
    if (!call) return;
    readInPieces(socket, head);
    // Send the upgrade response in one write with the first frame.
    corkForTick(socket);
    sockets.handleUpgrade(req, socket, EMPTY_BUFFER, (client) => {
      const opened = client as GatewaySocket;
      opened.transport = socket;
      opened.connection = this.gateway.connect(opened, socket, call);
      opened.on('error', onError);
      opened.on('message', onMessage);
      opened.on('close', onClose);
      sockets.emit('connection', opened.connection, req);
    });
  }

  override bindMessageHandlers(connection: Connection, handlers: MessageMappingProperties[]): void {
    connection.bind(handlers);
  }

  override bindClientDisconnect(connection: Connection, callback: () => void): void {
    connection.onClosed = callback;
  }
}

/** True for WebSocket upgrades of the gateway path. Other upgrade requests are handled as plain HTTP. */
function isForGateway(req: IncomingMessage): boolean {
  if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  try {
    return normalizePath(req) === GATEWAY_PATH;
  } catch {
    return false;
  }
}
