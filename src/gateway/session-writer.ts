import type { Holding, SessionStore, SessionWrite, StoredEvent } from '../platform/session-store.js';
import { Cursor, type Position } from './event-journal.js';
import type { GatewayEvent, GatewaySession } from './session.js';

/** An event that was heard of, or null where there is nothing to tell; events of this process have no position. */
export interface Heard {
  readonly event: GatewayEvent | null;
  readonly position?: Position | undefined;
}

export interface WriterHost {
  readonly store: SessionStore;
  /** Another process owns the session. */
  moved(session: GatewaySession): void;
  /** Nobody may go on with what is stored of the session. */
  lost(session: GatewaySession): Promise<void>;
  /** The session is in the store no longer, or for no longer than it takes to expire there. */
  ended(session: GatewaySession): void;
  /** Work that the end of the process waits for. */
  busy(work: Promise<void>): void;
}

const ATTEMPTS = 3;
const MAX_BATCH = 256;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Writes what a session dispatches into the store before anybody sees it, one step after another. A session that cannot
 * be written goes on in the memory of its process alone, and is never resumed again.
 */
export class SessionWriter {
  private pending: Heard[] = [];
  private isDirty = false;
  private isHeld = true;
  private isLost = false;
  private ending: 'retain' | 'remove' | null = null;
  private isOver = false;
  private running: Promise<void> | null = null;
  private cursor = Cursor.of(0, []);

  constructor(
    private readonly session: GatewaySession,
    private readonly host: WriterHost,
  ) {}

  /** Writes from now on: first what was missed, then what was heard meanwhile. */
  begin(cursor: Cursor, missed: readonly Heard[]): void {
    this.cursor = cursor;
    this.pending = [...missed, ...this.pending];
    this.isHeld = false;
    this.touch();
  }

  push(heard: Heard): void {
    this.pending.push(heard);
    this.start();
  }

  /** Something of the session has changed that is stored with it. */
  touch(): void {
    this.isDirty = true;
    this.start();
  }

  /** An event is missing from the order. */
  lose(): void {
    this.isLost = true;
    this.start();
  }

  retain(): void {
    this.ending = 'retain';
    this.start();
  }

  reclaim(): void {
    this.ending = null;
  }

  remove(): void {
    this.ending = 'remove';
    this.isHeld = false;
    this.start();
  }

  /** Writes nothing any more. */
  abandon(): void {
    this.isOver = true;
    this.session.writer = null;
  }

  /** Waits until everything that was heard is written. */
  async settled(): Promise<void> {
    while (this.running) await this.running;
  }

  private start(): void {
    if (this.running || this.isOver || (this.isHeld && !this.isLost)) return;
    this.running = Promise.resolve()
      .then(() => this.run())
      .finally(() => {
        this.running = null;
      });
    this.host.busy(this.running);
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      if (this.ending === 'remove') await this.end();
      else if (this.isLost) await this.giveUp();
      else if (this.pending.length > 0 || this.isDirty) await this.step();
      else if (this.ending === 'retain') await this.release();
      else return;
    }
  }

  private async release(): Promise<void> {
    this.ending = null;
    try {
      await this.host.store.retain(this.session);
    } catch {
      // It expires.
    }
  }

  private async end(): Promise<void> {
    this.abandon();
    try {
      const holding = await this.host.store.remove(this.session, this.session.accountId);
      if (holding !== 'held' && !this.isLost) return;
    } catch {
      // It expires.
    }
    this.host.ended(this.session);
  }

  private async step(): Promise<void> {
    this.isDirty = false;
    const batch = this.takeBatch();
    const write = this.writeOf(batch);
    const holding = await this.attempt(write);
    if (this.isOver) return;
    if (holding === 'held') {
      for (const event of batch) this.session.commit(event);
      if (this.session.state.floor > write.floor) this.isDirty = true;
    } else if (holding === 'moved') this.host.moved(this.session);
    else {
      this.pending = [...batch.map((event) => ({ event })), ...this.pending];
      this.isLost = true;
    }
  }

  private async attempt(write: SessionWrite): Promise<Holding> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.host.store.write(this.session, write);
      } catch {
        // An answer that came too late is no reason to give the session up.
      }
    }
    return 'gone';
  }

  private takeBatch(): GatewayEvent[] {
    const batch: GatewayEvent[] = [];
    let bytes = 0;
    let taken = 0;
    for (const { event, position } of this.pending) {
      if (batch.length >= MAX_BATCH || bytes > MAX_BATCH_BYTES) break;
      taken++;
      if ((position && !this.cursor.take(position)) || !event || !this.session.wants(event)) continue;
      batch.push(event);
      bytes += event.bytes;
    }
    this.pending.splice(0, taken);
    return batch;
  }

  private writeOf(batch: readonly GatewayEvent[]): SessionWrite {
    const { seq, acknowledged, floor } = this.session.state;
    const events: StoredEvent[] = [];
    let highest = floor;
    for (const [index, event] of batch.entries()) {
      const s = seq + 1 + index;
      if (this.session.isTooLarge(event)) highest = s;
      else if (!event.isPersonal) events.push({ s, type: event.type, json: event.json });
    }
    return { from: seq, seq: seq + batch.length, acknowledged, floor: highest, cursor: `${this.cursor}`, events };
  }

  /** From here on the session is as if nothing was shared. */
  private async giveUp(): Promise<void> {
    this.session.breakReplay();
    await this.host.lost(this.session);
    if (this.isOver || this.ending === 'remove') return;
    const { pending } = this;
    this.pending = [];
    this.abandon();
    for (const { event, position } of pending) {
      if (event && (!position || this.cursor.take(position)) && this.session.wants(event)) this.session.commit(event);
    }
  }
}
