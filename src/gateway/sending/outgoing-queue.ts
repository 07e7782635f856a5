import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { type Dispatch, frameEnd } from '../protocol/event.js';
import type { Closing } from '../protocol/protocol.js';
import type { FanOut } from './fan-out.service.js';
import { writeText } from './text-frame.js';
import type { UnsentBytes } from './unsent-bytes.service.js';

/** The next event is written only while less than this is buffered in the socket. */
const WRITE_AHEAD_BYTES = 64 * 1024;

/** The part of a connection that its queue uses. */
interface QueueOwner {
  readonly isClosed: boolean;
  close(closing: Closing): void;
  /** Called when the unsent data may exceed the budgets. */
  enforceBudgets(): void;
}

/** The ordered queue of dispatches for one socket. */
export class OutgoingQueue {
  private waiting: Dispatch[] = [];
  private waitingBytes = 0;
  private isHeld = false;
  private accountId = '';

  constructor(
    private readonly socket: WebSocket,
    private readonly transport: Duplex,
    private readonly fanOut: FanOut,
    private readonly unsent: UnsentBytes,
    private readonly queueOwner: QueueOwner,
  ) {}

  get bytes(): number {
    return this.waitingBytes + this.socket.bufferedAmount;
  }

  get isOverBudget(): boolean {
    return this.unsent.isOverBudget(this.accountId);
  }

  /** Starts queueing the dispatches of a session. They wait until `begin` or the end of `replay`. */
  hold(accountId: string): void {
    this.drop();
    this.accountId = accountId;
    this.isHeld = true;
  }

  /** Sends a dispatch, then releases the queued ones. */
  begin(first: Dispatch): void {
    this.send(first);
    this.isHeld = false;
    this.fanOut.add(this);
  }

  push(dispatch: Dispatch): void {
    this.waiting.push(dispatch);
    this.waitingBytes += dispatch.event.bytes;
    this.unsent.add(this.accountId, dispatch.event);
    this.queueOwner.enforceBudgets();
    this.fanOut.add(this);
  }

  write(until: number): boolean {
    while (this.waiting.length > 0 && !this.isHeld && !this.isFull) {
      if (performance.now() >= until) return true;
      const dispatch = this.waiting.shift() as Dispatch;
      this.waitingBytes -= dispatch.event.bytes;
      this.writeDispatch(dispatch);
    }
    return false;
  }

  private get isFull(): boolean {
    return this.socket.bufferedAmount >= WRITE_AHEAD_BYTES;
  }

  /** Sends the missed dispatches, then those queued in the meantime, then the last dispatch. */
  async replay(missed: readonly Dispatch[], last: () => Dispatch): Promise<void> {
    for (let batch = missed; batch.length > 0; batch = this.takeQueued()) {
      for (const dispatch of batch) {
        if (this.queueOwner.isClosed) return;
        const isFull = this.isFull && !dispatch.event.closing;
        const sent = new Promise<void>((resolve) => this.send(dispatch, resolve));
        if (isFull) await sent;
      }
    }
    this.begin(last());
  }

  private takeQueued(): Dispatch[] {
    const held = this.waiting;
    this.drop();
    return held;
  }

  private send(dispatch: Dispatch, sent: () => void = () => {}): void {
    this.unsent.add(this.accountId, dispatch.event);
    this.writeDispatch(dispatch, sent);
  }

  private writeDispatch(dispatch: Dispatch, sent: () => void = () => {}): void {
    const { accountId } = this;
    const { event } = dispatch;
    const done = () => {
      this.unsent.remove(accountId, event);
      if (this.waiting.length > 0) this.fanOut.add(this);
      sent();
    };
    // The peer may have just closed the connection.
    if (this.socket.readyState === WebSocket.OPEN) writeText(this.transport, event.frame, frameEnd(dispatch), done);
    else done();
    if (event.closing) this.queueOwner.close(event.closing);
  }

  drop(): void {
    for (const { event } of this.waiting) this.unsent.remove(this.accountId, event);
    this.waiting = [];
    this.waitingBytes = 0;
  }
}
