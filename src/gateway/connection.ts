import type { Duplex } from 'node:stream';
import type { MessageMappingProperties } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import type { GatewayNumbers } from '../core/config/gateway-numbers.js';
import { Command, type CommandCallback, type CommandPlan, type Sender } from './commands/command.js';
import { type Dispatch, eventOf, type GatewayEvent } from './protocol/event.js';
import type { EventType, EventTypes } from './protocol/event-types.js';
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
import { Outgoing } from './sending/outgoing.queue.js';
import type { UnsentBytes } from './sending/unsent-bytes.service.js';
import type { GatewaySession } from './sessions/session.js';
import type { SessionHolder } from './sessions/session-holder.js';

/** What a connection needs of the process that it is a part of. */
export interface ConnectionHost {
  readonly numbers: GatewayNumbers;
  readonly fanOut: FanOut;
  readonly unsent: UnsentBytes;
  /** Monotonic milliseconds. */
  now(): number;
  /** Charges one payload to the connection's budgets. False when one is spent. */
  admits(connection: Connection): boolean | Promise<boolean>;
  /** What answers a message, if anything does. */
  planOf(payload: Payload): CommandPlan | undefined;
  serve(command: Command, callback: CommandCallback): Promise<void>;
  /** Sends an event to a session alone. */
  tell(session: GatewaySession, event: GatewayEvent): void;
  /** The client has processed what the session dispatched up to `seq`. */
  acknowledged(session: GatewaySession, seq: number): void;
  /** The connection holds its session no longer. */
  released(session: GatewaySession): void;
  /** More waits to be sent than the budgets of accounts and of the process allow. */
  relieve(): void;
  /** Something threw that should not have. */
  failed(error: unknown): void;
}

const RESUMED = eventOf('RESUMED', {}, true);

/** One socket: messages strictly one after another, heartbeats, and what is sent (contract/gateway.md sections 2 to 6). */
export class Connection implements SessionHolder, Sender {
  session: GatewaySession | null = null;
  isClosed = false;
  readonly payloads = new RollingWindow();
  private readonly openedAt: number;
  private lastHeartbeat: number;
  private nextTick: number;
  private isPrompted = false;
  private isBusy = false;
  private isStarting = false;
  private handlers: readonly MessageMappingProperties[] = [];
  /** Called once, when the socket has ended. */
  onGone: () => void = () => {};
  private waiting: (Buffer | Closing)[] = [];
  private readonly outgoing: Outgoing;

  constructor(
    private readonly socket: WebSocket,
    transport: Duplex,
    readonly address: string,
    readonly use: AddressUse,
    /** What foreign pages have opened from the address, if one of them opened this. */
    readonly foreign: AddressUse | null,
    private readonly host: ConnectionHost,
  ) {
    this.outgoing = new Outgoing(socket, transport, host.fanOut, host.unsent, this);
    this.openedAt = host.now();
    this.lastHeartbeat = this.openedAt;
    this.nextTick = this.openedAt + host.numbers.heartbeat_tick_ms;
  }

  get isForeign(): boolean {
    return this.foreign !== null;
  }

  /** Takes what the framework calls for each message, of every gateway there is. */
  bind(handlers: readonly MessageMappingProperties[]): void {
    this.handlers = this.handlers.length === 0 ? handlers : [...this.handlers, ...handlers];
  }

  /** Says Hello unless the address has too many sockets or the version is wrong; what comes before it waits. */
  greet(hasRoom: boolean | Promise<boolean>, isVersionRight: boolean): void {
    if (typeof hasRoom === 'boolean') this.welcome(hasRoom, isVersionRight);
    else this.work(hasRoom.then((is) => this.welcome(is, isVersionRight)));
  }

  private welcome(hasRoom: boolean, isVersionRight: boolean): void {
    if (!hasRoom) this.close(CLOSING.tooManyConnections);
    else if (!isVersionRight) this.close(CLOSING.invalidVersion);
    else this.send(helloFrame(this.host.numbers.heartbeat_interval_ms));
  }

  /** Takes the text of a message, or why it is none. */
  receive(message: Buffer | Closing): void {
    if (this.isClosed) return;
    if (!this.isBusy) this.handle(message);
    else if (this.waiting.length < this.host.numbers.waiting_messages) this.waiting.push(message);
    else if (this.isStarting) this.close(CLOSING.rateLimited);
    else {
      // What has been read already still comes.
      this.socket.pause();
      this.waiting.push(message);
    }
  }

  private handle(message: Buffer | Closing): void {
    try {
      if (!Buffer.isBuffer(message)) this.close(message);
      else this.obey(parsePayload(message));
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (!(error instanceof ClosingError)) this.host.failed(error);
    this.close(error instanceof ClosingError ? error.closing : CLOSING.unavailable);
  }

  private obey(payload: Payload): void {
    const admitted = this.host.admits(this);
    this.work(typeof admitted === 'boolean' ? this.act(payload, admitted) : this.actLater(payload, admitted));
  }

  private async actLater(payload: Payload, admitted: Promise<boolean>): Promise<void> {
    const isAdmitted = await admitted;
    if (!this.isClosed) await this.act(payload, isAdmitted);
  }

  /** First match decides (contract/gateway.md section 3, steps 4 to 10). */
  private act(payload: Payload, isAdmitted: boolean): Promise<void> {
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

  /** Lets messages wait until one is dealt with: a session has started, been resumed, or neither. */
  private work(task: Promise<void>): void {
    this.workThrough(task).catch((error) => this.host.failed(error));
  }

  private async workThrough(task: Promise<void>): Promise<void> {
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

  beat(d: unknown): void {
    if (this.session && d !== null && d !== undefined) {
      if (!Number.isInteger(d) || (d as number) < 0) throw new ClosingError('invalidSequence');
      this.host.acknowledged(this.session, d as number);
    }
    this.lastHeartbeat = this.host.now();
    this.isPrompted = false;
    this.send(FRAME.heartbeatAck);
  }

  /** Looks at the time: a silent client is prompted once, then given up; one that never identified as well. */
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

  /** Sends what is no dispatch, past those that wait. */
  send(frame: string): void {
    if (this.isClosed) return;
    this.socket.send(frame);
    this.exceeded();
  }

  get unsentBytes(): number {
    return this.outgoing.bytes;
  }

  /** Whether its account or the process has too much to send. */
  get isOver(): boolean {
    return this.outgoing.isOver;
  }

  exceeded(): void {
    if (this.unsentBytes > this.host.numbers.unsent_bytes) this.giveUp();
    else if (this.isOver) this.host.relieve();
  }

  /** The peer takes too little: what waits for it is forgotten; the session can be resumed. */
  giveUp(): void {
    if (this.isClosed) this.terminate();
    else this.close(CLOSING.unavailable);
  }

  dispatch<T extends EventType>(type: T, d: EventTypes[T]): void {
    if (this.session) this.host.tell(this.session, eventOf(type, d, true));
  }

  /** Sends a dispatch of the session, in its turn. */
  deliver(dispatch: Dispatch): void {
    if (!this.isClosed) this.outgoing.push(dispatch);
  }

  /** Takes a new session whose READY is not sent yet: dispatches wait for it. */
  hold(session: GatewaySession): void {
    this.session = session;
    this.outgoing.hold(session.accountId);
  }

  ready(event: GatewayEvent): void {
    this.outgoing.begin({ s: 1, event });
  }

  /** Takes a session over: what it missed, what comes meanwhile, RESUMED. */
  async replay(session: GatewaySession, missed: Dispatch[]): Promise<void> {
    this.hold(session);
    await this.outgoing.replay(missed, () => ({ s: session.seq, event: RESUMED }));
  }

  /** Asks the client to come back, and ends: the service stops, or another connection took the session over. */
  drain(): void {
    this.send(FRAME.reconnect);
    this.close(CLOSING.drained);
  }

  close([code, reason]: Closing): void {
    if (this.isClosed) return;
    // The answer to the close has to be read.
    if (this.socket.isPaused) this.socket.resume();
    this.socket.close(code, reason);
    this.ended();
  }

  /** Cuts the transport, whatever state it is in. */
  terminate(): void {
    this.socket.terminate();
  }

  /** The socket has ended. */
  gone(): void {
    this.ended();
    this.onGone();
  }

  /** Nothing is taken or sent any more; the session stays behind. */
  ended(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.waiting = [];
    this.outgoing.drop();
    const { session } = this;
    this.session = null;
    if (session?.holder === this) {
      session.holder = null;
      this.host.released(session);
    }
  }
}
