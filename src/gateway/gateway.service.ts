import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { IpBans } from '../bans/ip-bans.service.js';
import { addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import type { GatewayNumbers } from '../core/config/gateway-numbers.js';
import { Refusal } from '../core/errors.js';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import { isFromForeignPage } from '../http/cross-origin.js';
import { declineUpgrade, LINGER_MS, routedPath } from '../http/framing.js';
import { FrontDoor } from '../http/front-door.js';
import { Load } from '../http/load.js';
import type { Call } from '../policy/call.js';
import { Connection, type ConnectionHost } from './connection.js';
import { Credentials } from './credentials.service.js';
import { GatewayLimits } from './limits/limits.js';
import { CLOSING, type Closing } from './protocol/protocol.js';
import { AddressUse } from './protocol/windows.js';
import { SessionStarts } from './session-starts.service.js';
import { SessionKeeping } from './sessions/keeping.js';
import { LiveSessions } from './sessions/live-sessions.service.js';
import { Presence } from './sessions/presence.service.js';
import type { GatewaySession } from './sessions/session.js';
import { readInPieces } from './small-reads.js';

const PATH = '/gateway';
const TICK_MS = 250;
const BAN_CHECK_MS = 500;
// An honest message comes in one piece or a few; what is unfinished is kept, and ten thousand sockets must not pile it up.
const MAX_FRAGMENTS = 16;
const MAX_CHUNKS = 32;
const NOTHING = Buffer.alloc(0);
const DRAIN_STEP_MS = 50;
const DRAIN_PER_STEP = 50;

/** Close codes with which the WebSocket library answers a message that it does not take, and ours in their place. */
const NO_MESSAGE: Readonly<Record<number, Closing>> = {
  1007: CLOSING.undecodable,
  1008: CLOSING.tooLarge,
  1009: CLOSING.tooLarge,
};

/** A socket of the library with its connection; a message that cannot be read waits its turn like any other. */
class GatewaySocket extends WebSocket {
  connection?: Connection;

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

/** The realtime gateway: sockets from the upgrade to their end (contract/gateway.md). */
@Injectable()
export class Gateway implements ConnectionHost, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly numbers: GatewayNumbers;
  private readonly sockets: WebSocketServer;
  private readonly connections = new Set<Connection>();
  private readonly addresses = new Map<string, AddressUse>();
  private ticker: NodeJS.Timeout | undefined;
  private bansCheckedAt = Number.NEGATIVE_INFINITY;
  private drained: Promise<void> | undefined;

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly door: FrontDoor,
    private readonly load: Load,
    private readonly bans: IpBans,
    private readonly sessions: LiveSessions,
    private readonly keeping: SessionKeeping,
    private readonly presence: Presence,
    private readonly starts: SessionStarts,
    private readonly limits: GatewayLimits,
    private readonly credentials: Credentials,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    this.numbers = config.gateway;
    const options = {
      noServer: true,
      WebSocket: GatewaySocket,
      clientTracking: false,
      perMessageDeflate: false,
      // No subprotocol is spoken.
      handleProtocols: () => false as const,
      maxPayload: this.numbers.message_bytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_CHUNKS,
      closeTimeout: this.numbers.close_ms,
    };
    this.sockets = new WebSocketServer(options);
  }

  onApplicationBootstrap(): void {
    const server = this.http.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (this.door.isAnswering(socket)) socket.destroy();
      else if (isForGateway(req)) this.upgrade(req, socket, head);
      else declineUpgrade(server, req, socket, head);
    });
    this.sockets.on('wsClientError', (_error: Error, socket: Duplex, req: IncomingMessage) => {
      const refusal = new Refusal('BAD_REQUEST').with({ 'Sec-WebSocket-Version': '13' });
      if (req.call) this.door.refuseUpgrade(req.call, socket, refusal);
    });
    this.ticker = setInterval(() => this.tick(), TICK_MS).unref();
  }

  private upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const call = this.door.admitUpgrade(req, socket);
    if (!call) return;
    readInPieces(socket, head);
    this.sockets.handleUpgrade(req, socket, NOTHING, (ws) =>
      this.open(ws as GatewaySocket, call, speaksOurVersion(req.url ?? '')),
    );
  }

  private open(socket: GatewaySocket, { address, req }: Call, isVersionRight: boolean): void {
    const use = this.useOf(addressKey(address));
    const foreign = isFromForeignPage(req.headers, this.config) ? this.useOf(`foreign/${use.key}`) : null;
    const connection = new Connection(socket, address, use, foreign, this);
    socket.connection = connection;
    use.sockets++;
    if (foreign) foreign.sockets++;
    this.connections.add(connection);
    this.metrics.sockets.set(this.connections.size);
    socket.on('error', onError);
    socket.on('message', onMessage);
    socket.on('close', () => this.gone(connection));
    connection.greet(this.limits.hasRoom(use, foreign), isVersionRight);
  }

  private gone(connection: Connection): void {
    connection.ended();
    for (const use of [connection.use, connection.foreign]) {
      if (!use) continue;
      use.sockets--;
      this.limits.left(use);
    }
    this.connections.delete(connection);
    this.metrics.sockets.set(this.connections.size);
  }

  private useOf(key: string): AddressUse {
    const known = this.addresses.get(key);
    if (known) return known;
    const use = new AddressUse(key);
    this.addresses.set(key, use);
    return use;
  }

  now(): number {
    return this.clock.monotonic();
  }

  admits({ payloads, session, use }: Connection): boolean | Promise<boolean> {
    if (!this.config.rateLimits) return true;
    const { payloads_per_socket, window_ms } = this.numbers;
    return payloads.take(this.now(), payloads_per_socket, window_ms) && this.limits.takePayload(use, session);
  }

  identify(connection: Connection, d: unknown): Promise<void> {
    return this.starts.identify(connection, d);
  }

  resume(connection: Connection, d: unknown): Promise<void> {
    return this.starts.resume(connection, d);
  }

  acknowledged(session: GatewaySession, seq: number): void {
    session.log.acknowledge(seq);
    this.sessions.of(session.accountId)?.writer?.touch(session);
  }

  released(session: GatewaySession): void {
    this.sessions.retain(session);
  }

  failed(error: unknown): void {
    this.log.error('a gateway message could not be handled', { error });
  }

  /** Looks at the time, for all sockets at once: heartbeats, deadlines, retention, bans, credentials. */
  tick(): void {
    const now = this.now();
    for (const connection of this.connections) if (!connection.isClosed) connection.tick(now);
    this.sessions.tick(now);
    this.presence.tick(now);
    this.keeping.tick(now);
    this.limits.tick(now, this.addresses.values());
    this.starts.tick(now);
    this.credentials.tick(now);
    if (now - this.bansCheckedAt < BAN_CHECK_MS) return;
    this.bansCheckedAt = now;
    for (const connection of this.connections) {
      if (!connection.isClosed && this.bans.find(connection.address)) connection.close(CLOSING.unavailable);
    }
    for (const [key, use] of this.addresses) if (use.isIdle(now)) this.addresses.delete(key);
  }

  /** Asks every client to come back later or elsewhere, quickly when they are few (contract/gateway.md section 13). */
  drain(): Promise<void> {
    this.load.draining = true;
    this.drained ??= this.drainAll();
    return this.drained;
  }

  private async drainAll(): Promise<void> {
    const steps = Math.max(1, this.numbers.drain_ms / DRAIN_STEP_MS);
    const perStep = Math.max(DRAIN_PER_STEP, Math.ceil(this.connections.size / steps));
    while (this.connections.size > 0) {
      const open = [...this.connections].filter(({ isClosed }) => !isClosed);
      for (const connection of open.slice(0, perStep)) connection.drain();
      if (open.length <= perStep) return;
      await delay(DRAIN_STEP_MS);
    }
  }

  /** The HTTP server closes only when no socket is left. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
    clearInterval(this.ticker);
    const deadline = this.now() + LINGER_MS;
    while (this.connections.size > 0 && this.now() < deadline) await delay(5);
    for (const connection of this.connections) connection.terminate();
    await this.limits.leave(this.addresses.values());
    await this.keeping.leave();
  }
}

/** Everything else that asks for another protocol gets the one that it has. */
function isForGateway(req: IncomingMessage): boolean {
  if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  try {
    return routedPath(req) === PATH;
  } catch {
    return false;
  }
}

/** `v` may be absent; it is never anything but `1`, and never there twice. */
function speaksOurVersion(url: string): boolean {
  const versions = new URLSearchParams(url.slice(PATH.length + 1)).getAll('v');
  return versions.length === 0 || (versions.length === 1 && versions[0] === '1');
}
