import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { IpBans } from '../bans/ip-bans.service.js';
import { addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import { isFromExternalPage } from '../http/cross-origin.js';
import { LINGER_MS } from '../http/framing.js';
import { Load } from '../http/load.js';
import { ReplicaDrain } from '../platform/replicas/replica-drain.js';
import type { Call } from '../policy/call.js';
import type { Command, CommandCallback, CommandPlan } from './commands/command.js';
import { Commands } from './commands/commands.service.js';
import { Connection, type ConnectionHost } from './connection.js';
import { Credentials } from './credentials.service.js';
import { GatewayLimits } from './limits/limits.js';
import type { GatewayEvent } from './protocol/event.js';
import { CLOSING, type Payload } from './protocol/protocol.js';
import { AddressUse } from './protocol/windows.js';
import { FanOut } from './sending/fan-out.service.js';
import { UnsentBytes } from './sending/unsent-bytes.service.js';
import { SessionStarts } from './session-starts.service.js';
import { LiveSessions } from './sessions/live-sessions.service.js';
import { Presence } from './sessions/presence.service.js';
import type { GatewaySession } from './sessions/session.js';
import { SessionPersistence } from './sessions/session-persistence.js';
import type { GatewayNumbers } from './settings/gateway.settings.js';

const TICK_MS = 250;
const BAN_CHECK_MS = 500;
const DRAIN_STEP_MS = 50;
const DRAIN_PER_STEP = 50;

/** Owns the connections of this process: shared services, periodic checks and shutdown (contract/gateway.md). */
@Injectable()
export class Gateway implements ConnectionHost, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly numbers: GatewayNumbers;
  private readonly connections = new Set<Connection>();
  private readonly addresses = new Map<string, AddressUse>();
  private ticker: NodeJS.Timeout | undefined;
  private bansCheckedAt = Number.NEGATIVE_INFINITY;
  private drained: Promise<void> | undefined;

  constructor(
    private readonly load: Load,
    private readonly bans: IpBans,
    private readonly sessions: LiveSessions,
    private readonly sessionPersistence: SessionPersistence,
    private readonly presence: Presence,
    private readonly starts: SessionStarts,
    private readonly limits: GatewayLimits,
    readonly fanOut: FanOut,
    readonly unsent: UnsentBytes,
    private readonly credentials: Credentials,
    private readonly commands: Commands,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
    private readonly replicaDrain: ReplicaDrain,
  ) {
    this.numbers = config.gateway;
  }

  onApplicationBootstrap(): void {
    this.ticker = setInterval(() => this.tick(), TICK_MS).unref();
    this.replicaDrain.onChange(() => {
      if (this.replicaDrain.until) this.drainConnections().catch((error) => this.reportError(error));
    });
  }

  connect(socket: WebSocket, transport: Duplex, { address, req }: Call): Connection {
    const use = this.getAddressUse(addressKey(address));
    const foreign = isFromExternalPage(req.headers, this.config) ? this.getAddressUse(`foreign/${use.key}`) : null;
    return new Connection(socket, transport, address, use, foreign, this);
  }

  /** Registers a new connection. Returns false if its IP address already has the maximum number of sockets. */
  addConnection(connection: Connection): boolean | Promise<boolean> {
    const { use, thirdPartyUse } = connection;
    use.sockets++;
    if (thirdPartyUse) thirdPartyUse.sockets++;
    this.connections.add(connection);
    this.metrics.set('gatehouse_gateway_sockets', {}, this.connections.size);
    return this.limits.allowsSocket(use, thirdPartyUse);
  }

  removeConnection(connection: Connection): void {
    for (const use of [connection.use, connection.thirdPartyUse]) {
      if (!use) continue;
      use.sockets--;
      this.limits.onSocketClosed(use);
    }
    this.connections.delete(connection);
    this.metrics.set('gatehouse_gateway_sockets', {}, this.connections.size);
  }

  private getAddressUse(key: string): AddressUse {
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

  planOf(payload: Payload): CommandPlan | undefined {
    return this.commands.find(payload);
  }

  serve(command: Command, callback: CommandCallback): Promise<void> {
    return this.commands.serve(command, callback);
  }

  sendEvent(session: GatewaySession, event: GatewayEvent): void {
    this.sessions.sendEvent(session, event);
  }

  onAcknowledged(session: GatewaySession, seq: number): void {
    session.log.acknowledge(seq);
    this.sessions.getAccount(session.accountId)?.writer?.scheduleWrite(session);
  }

  onSessionReleased(session: GatewaySession): void {
    this.sessions.retain(session);
  }

  /**
   * Disconnects connections until the budgets are met: first closed ones that still have unsent data, then the slowest.
   */
  enforceUnsentBudgets(): void {
    const slowest = [...this.connections].filter(({ unsentBytes }) => unsentBytes > 0);
    slowest.sort((a, b) => Number(b.isClosed) - Number(a.isClosed) || b.unsentBytes - a.unsentBytes);
    for (const connection of slowest) if (connection.isOverBudget) connection.dropSlowClient();
  }

  reportError(error: unknown, traceId?: string): void {
    this.log.error('handling a gateway message failed', { ...(traceId && { trace_id: traceId }), error });
  }

  /** Runs the periodic checks of all sockets in one timer: heartbeats, deadlines, retention, bans and credentials. */
  tick(): void {
    const now = this.now();
    for (const connection of this.connections) if (!connection.isClosed) connection.tick(now);
    this.sessions.tick(now);
    this.presence.tick(now);
    this.sessionPersistence.tick(now);
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

  /**
   * Rejects new connections and asks all clients to reconnect elsewhere, spread over time (contract/gateway.md section
   * 13).
   */
  drain(): Promise<void> {
    this.load.draining = true;
    this.drained ??= this.drainConnections();
    return this.drained;
  }

  /** Asks all clients to reconnect. New connections are still accepted. */
  async drainConnections(): Promise<void> {
    const steps = Math.max(1, this.numbers.drain_ms / DRAIN_STEP_MS);
    const perStep = Math.max(DRAIN_PER_STEP, Math.ceil(this.connections.size / steps));
    while (this.connections.size > 0) {
      const open = [...this.connections].filter(({ isClosed }) => !isClosed);
      for (const connection of open.slice(0, perStep)) connection.drain();
      if (open.length <= perStep) return;
      await delay(DRAIN_STEP_MS);
    }
  }

  /** The HTTP server closes only after the last socket. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
    clearInterval(this.ticker);
    const deadline = this.now() + LINGER_MS;
    while (this.connections.size > 0 && this.now() < deadline) await delay(5);
    for (const connection of this.connections) connection.terminate();
    await this.limits.removeOwnCounts(this.addresses.values());
    await this.sessionPersistence.leave();
  }
}
