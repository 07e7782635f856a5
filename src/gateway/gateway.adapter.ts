import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import type { MessageMappingProperties } from '@nestjs/websockets';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { Refusal } from '../core/errors.js';
import { declineUpgrade, routedPath } from '../http/framing.js';
import { FrontDoor } from '../http/front-door.js';
import { GATEWAY_PATH } from './commands/decorators.js';
import type { Connection } from './connection.js';
import { Gateway } from './gateway.service.js';
import { CLOSING, type Closing } from './protocol/protocol.js';
import { gather } from './sending/gathered-writes.js';
import { readInPieces } from './small-reads.js';

// An honest message comes in one piece or a few; what is unfinished is kept, and ten thousand sockets must not pile it up.
const MAX_FRAGMENTS = 16;
const MAX_CHUNKS = 32;
const NOTHING = Buffer.alloc(0);

/** Close codes with which the WebSocket library answers a message that it does not take, and ours in their place. */
const NO_MESSAGE: Readonly<Record<number, Closing>> = {
  1007: CLOSING.undecodable,
  1008: CLOSING.tooLarge,
  1009: CLOSING.tooLarge,
};

/** A socket of the library with its connection; a message that cannot be read waits its turn like any other. */
class GatewaySocket extends WebSocket {
  connection?: Connection;
  /** What it stands on. */
  transport?: Duplex;

  override send(data: Parameters<WebSocket['send']>[0], ...more: never[]): void {
    if (this.transport) gather(this.transport);
    super.send(data, ...(more as [never]));
  }

  override close(code?: number, reason?: string | Buffer): void {
    // A reason is there unless the library itself ends the connection.
    const closing = reason === undefined && code !== undefined ? NO_MESSAGE[code] : undefined;
    if (closing && this.connection && !this.connection.isClosed) this.connection.receive(closing);
    else super.close(code, reason);
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  (this as GatewaySocket).connection?.receive(isBinary ? CLOSING.undecodable : (data as Buffer));
}

/** A broken transport needs no answer: it is closed next. */
function onError(): void {}

function onClose(this: WebSocket): void {
  (this as GatewaySocket).connection?.gone();
}

/**
 * What carries Nest's gateways: sockets from the upgrade, which the front door judges, to connections, which are the
 * clients that Nest knows. A connection calls handlers itself; no stream stands between.
 */
@Injectable()
export class GatewayAdapter extends WsAdapter {
  constructor(
    private readonly http: HttpAdapterHost,
    private readonly door: FrontDoor,
    private readonly gateway: Gateway,
  ) {
    super();
  }

  /** Once: every gateway has the same path. */
  override create(): WebSocketServer {
    const { message_bytes, close_ms } = this.gateway.numbers;
    const options = {
      noServer: true,
      WebSocket: GatewaySocket,
      clientTracking: false,
      perMessageDeflate: false,
      // No subprotocol is spoken.
      handleProtocols: () => false as const,
      maxPayload: message_bytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_CHUNKS,
      closeTimeout: close_ms,
    };
    const sockets = new WebSocketServer(options);
    const server = this.http.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (this.door.isAnswering(socket)) socket.destroy();
      else if (isForGateway(req)) this.upgrade(sockets, req, socket, head);
      else declineUpgrade(server, req, socket, head);
    });
    sockets.on('wsClientError', (_error: Error, socket: Duplex, req: IncomingMessage) => {
      const refusal = new Refusal('BAD_REQUEST').with({ 'Sec-WebSocket-Version': '13' });
      if (req.call) this.door.refuseUpgrade(req.call, socket, refusal);
    });
    return sockets;
  }

  private upgrade(sockets: WebSocketServer, req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const call = this.door.admitUpgrade(req, socket);
    if (!call) return;
    readInPieces(socket, head);
    // The acceptance goes with the first frame.
    gather(socket);
    sockets.handleUpgrade(req, socket, NOTHING, (client) => {
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
    connection.onGone = callback;
  }
}

/** Everything else that asks for another protocol gets the one that it has. */
function isForGateway(req: IncomingMessage): boolean {
  if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  try {
    return routedPath(req) === GATEWAY_PATH;
  } catch {
    return false;
  }
}
