import type { Duplex } from 'node:stream';
import type { MessageMappingProperties } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import type { EventData, EventType } from '../core/names.js';
import { mintTraceId } from '../core/secrets.js';
import { Command, type CommandCallback, type CommandPlan, type Sender } from './commands/command.js';
import { type Dispatch, eventOf, type GatewayEvent } from './protocol/event.js';
import {
  CLOSING,
  type Closing,
  ClosingError,
  FRAME,
  helloFrame,
  type Payload,
  parsePayload,
} from './protocol/protocol.js';
import { type AddressUse, RollingWindow } from './protocol/windows.js';
import type { FanOut } from './sending/fan-out.service.js';
import { OutgoingQueue } from './sending/outgoing-queue.js';
import type { UnsentBytes } from './sending/unsent-bytes.service.js';
import type { GatewaySession } from './sessions/session.js';
import type { SessionHolder } from './sessions/session-holder.js';
import type { GatewayNumbers } from './settings/gateway.settings.js';

/** The services of the process that a connection uses. */
export interface ConnectionHost {
  readonly numbers: GatewayNumbers;
  readonly fanOut: FanOut;
  readonly unsent: UnsentBytes;
  /** Monotonic milliseconds. */
  now(): number;
  /** Charges one payload to the rate limits of the connection. Returns false if a limit is exceeded. */
  admits(connection: Connection): boolean | Promise<boolean>;
  /** The command that handles a message, if there is one. */
  planOf(payload: Payload): CommandPlan | undefined;
  serve(command: Command, callback: CommandCallback): Promise<void>;
  /** Sends an event to one session. */
  sendEvent(session: GatewaySession, event: GatewayEvent): void;
  /** Called when the client has processed all dispatches of the session up to `seq`. */
  onAcknowledged(session: GatewaySession, seq: number): void;
  /** Called when the connection no longer holds the session. */
  onSessionReleased(session: GatewaySession): void;
  /** Called when the unsent data exceeds the budget of an account or of the process. */
  enforceUnsentBudgets(): void;
  /** Called for an unexpected error. */
  reportError(error: unknown, traceId: string): void;
}

const RESUMED = eventOf('RESUMED', {}, true);

/**
 * One socket. Handles messages strictly one at a time, tracks heartbeats and sends events (contract/gateway.md sections
 * 2 to 6).
 */
export class Connection implements SessionHolder, Sender {
  session: GatewaySession | null = null;
  isClosed = false;
  readonly payloads = new RollingWindow();
  /** The trace ID of its lines in the log. */
  readonly traceId = mintTraceId();
  private readonly openedAt: number;
  private lastHeartbeat: number;
  private nextTick: number;
  private isPrompted = false;
  private isBusy = false;
  private isStarting = false;
  private handlers: readonly MessageMappingProperties[] = [];
  /** Called once, after the socket has closed. */
  onClosed: () => void = () => {};
  private waiting: (Buffer | Closing)[] = [];
  private readonly outgoing: OutgoingQueue;

  constructor(
    private readonly socket: WebSocket,
    transport: Duplex,
    readonly address: string,
    readonly use: AddressUse,
    /** Usage by third-party pages from this IP address. Null if this socket was not opened by such a page. */
    readonly thirdPartyUse: AddressUse | null,
    private readonly host: ConnectionHost,
  ) {
    this.outgoing = new OutgoingQueue(socket, transport, host.fanOut, host.unsent, this);
    this.openedAt = host.now();
    this.lastHeartbeat = this.openedAt;
    this.nextTick = this.openedAt + host.numbers.heartbeat_tick_ms;
  }

  get isThirdParty(): boolean {
    return this.thirdPartyUse !== null;
  }

  /** Registers message handlers. Nest calls this once per gateway class. */
  bind(handlers: readonly MessageMappingProperties[]): void {
    this.handlers = this.handlers.length === 0 ? handlers : [...this.handlers, ...handlers];
  }

  /** Sends Hello, or closes if the IP address has too many sockets or the version is wrong. Earlier messages wait. */
  startHandshake(hasRoom: boolean | Promise<boolean>, isVersionRight: boolean): void {
    if (typeof hasRoom === 'boolean') this.completeHandshake(hasRoom, isVersionRight);
    else this.runExclusively(hasRoom.then((is) => this.completeHandshake(is, isVersionRight)));
  }

  private completeHandshake(hasRoom: boolean, isVersionRight: boolean): void {
    if (!hasRoom) this.close(CLOSING.tooManyConnections);
    else if (!isVersionRight) this.close(CLOSING.invalidVersion);
    else this.send(helloFrame(this.host.numbers.heartbeat_interval_ms));
  }

  /** Receives a message or the close reason for an unreadable one. */
  receive(message: Buffer | Closing): void {
    if (this.isClosed) return;
    if (!this.isBusy) this.handle(message);
    else if (this.waiting.length < this.host.numbers.waiting_messages) this.waiting.push(message);
    else if (this.isStarting) this.close(CLOSING.rateLimited);
    else {
      // Messages that were already read from the socket still arrive.
      this.socket.pause();
      this.waiting.push(message);
    }
  }

  private handle(message: Buffer | Closing): void {
    try {
      if (!Buffer.isBuffer(message)) this.close(message);
      else this.handlePayload(parsePayload(message));
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (!(error instanceof ClosingError)) this.host.reportError(error, this.traceId);
    this.close(error instanceof ClosingError ? error.closing : CLOSING.unavailable);
  }

  private handlePayload(payload: Payload): void {
    const admitted = this.host.admits(this);
    this.runExclusively(
      typeof admitted === 'boolean'
        ? this.runCommand(payload, admitted)
        : this.runCommandWhenAdmitted(payload, admitted),
    );
  }

  private async runCommandWhenAdmitted(payload: Payload, admitted: Promise<boolean>): Promise<void> {
    const isAdmitted = await admitted;
    if (!this.isClosed) await this.runCommand(payload, isAdmitted);
  }

  /** The first matching check decides (contract/gateway.md section 3, steps 4 to 10). */
  private runCommand(payload: Payload, isAdmitted: boolean): Promise<void> {
    if (!isAdmitted) throw new ClosingError('rateLimited');
    const plan = this.host.planOf(payload);
    if (!this.session && !plan?.isOurs) throw new ClosingError('notAuthenticated');
    const handler = plan && this.handlers.find(({ message }) => message === plan.message);
    if (!handler) throw new ClosingError('unknownOpcode');
    if (plan.isBeforeIdentify && this.session) throw new ClosingError('alreadyAuthenticated');
    return this.serve(new Command(this, plan, payload.d), handler.callback);
  }

  private async serve(command: Command, callback: CommandCallback): Promise<void> {
    this.isStarting = command.plan.isSessionStart;
    try {
      await this.host.serve(command, callback);
    } finally {
      this.isStarting = false;
    }
  }

  /** Queues further messages until the current one is handled completely. */
  private runExclusively(task: Promise<void>): void {
    this.runAndDrainQueue(task).catch((error) => this.host.reportError(error, this.traceId));
  }

  private async runAndDrainQueue(task: Promise<void>): Promise<void> {
    this.isBusy = true;
    try {
      await task;
    } catch (error) {
      this.fail(error);
    }
    this.isBusy = false;
    while (!this.isBusy && !this.isClosed && this.waiting.length > 0) this.handle(this.waiting.shift() as Buffer);
    if (this.socket.isPaused && !this.isClosed && this.waiting.length === 0) this.socket.resume();
  }

  onHeartbeat(d: unknown): void {
    if (this.session && d !== null && d !== undefined) {
      if (!Number.isInteger(d) || (d as number) < 0) throw new ClosingError('invalidSequence');
      this.host.onAcknowledged(this.session, d as number);
    }
    this.lastHeartbeat = this.host.now();
    this.isPrompted = false;
    this.send(FRAME.heartbeatAck);
  }

  /**
   * Checks deadlines. A silent client is prompted once and then disconnected. A client that does not identify in time
   * is also disconnected.
   */
  tick(now: number): void {
    const { numbers } = this.host;
    const isIdle = !this.session && !this.isBusy;
    if (isIdle && now - this.openedAt >= numbers.identify_deadline_ms) this.close(CLOSING.heartbeatTimeout);
    if (this.isClosed || now < this.nextTick) return;
    const missed = Math.floor((now - this.nextTick) / numbers.heartbeat_tick_ms);
    const due = this.nextTick + missed * numbers.heartbeat_tick_ms;
    this.nextTick = due + numbers.heartbeat_tick_ms;
    const silence = due - this.lastHeartbeat;
    if (silence > numbers.heartbeat_timeout_ms) this.close(CLOSING.heartbeatTimeout);
    else if (silence >= numbers.heartbeat_prompt_ms && !this.isPrompted) {
      this.isPrompted = true;
      this.send(FRAME.heartbeat);
    }
  }

  /** Sends a frame that is not a dispatch, ahead of queued dispatches. */
  send(frame: string): void {
    if (this.isClosed) return;
    this.socket.send(frame);
    this.enforceBudgets();
  }

  get unsentBytes(): number {
    return this.outgoing.bytes;
  }

  /** True if the unsent data exceeds the budget of the account or of the process. */
  get isOverBudget(): boolean {
    return this.outgoing.isOverBudget;
  }

  enforceBudgets(): void {
    if (this.unsentBytes > this.host.numbers.unsent_bytes) this.dropSlowClient();
    else if (this.isOverBudget) this.host.enforceUnsentBudgets();
  }

  /** Disconnects a client that reads too slowly. Queued data is dropped; the client can resume the session. */
  dropSlowClient(): void {
    if (this.isClosed) this.terminate();
    else this.close(CLOSING.unavailable);
  }

  dispatch<T extends EventType>(type: T, d: EventData<T>): void {
    if (this.session) this.host.sendEvent(this.session, eventOf(type, d, true));
  }

  /** Queues a dispatch of the session. */
  deliver(dispatch: Dispatch): void {
    if (!this.isClosed) this.outgoing.push(dispatch);
  }

  /** Attaches a new session. Dispatches wait until READY is sent. */
  attachSession(session: GatewaySession): void {
    this.session = session;
    this.outgoing.hold(session.accountId);
  }

  sendReady(event: GatewayEvent): void {
    this.outgoing.begin({ s: 1, event });
  }

  /** Attaches a resumed session. Sends the missed dispatches, those that arrive in the meantime, and then RESUMED. */
  async resumeSession(session: GatewaySession, missed: Dispatch[]): Promise<void> {
    this.attachSession(session);
    await this.outgoing.replay(missed, () => ({ s: session.seq, event: RESUMED }));
  }

  /**
   * Asks the client to reconnect, then closes. Used on shutdown and when another connection has resumed the session.
   */
  drain(): void {
    this.send(FRAME.reconnect);
    this.close(CLOSING.drained);
  }

  close([code, reason]: Closing): void {
    if (this.isClosed) return;
    // A paused socket would never read the close frame of the peer.
    if (this.socket.isPaused) this.socket.resume();
    this.socket.close(code, reason);
    this.detach();
  }

  /** Destroys the transport in any state. */
  terminate(): void {
    this.socket.terminate();
  }

  /** Called when the socket has closed. */
  onClose(): void {
    this.detach();
    this.onClosed();
  }

  /** Stops receiving and sending, and detaches the session. */
  detach(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.waiting = [];
    this.outgoing.drop();
    const { session } = this;
    this.session = null;
    if (session?.holder === this) {
      session.holder = null;
      this.host.onSessionReleased(session);
    }
  }
}
