import { randomBytes } from 'node:crypto';
import type { Log } from '../../core/log.js';
import type { EventData, EventType } from '../../core/names.js';
import { Batcher } from '../database/batcher.js';
import { CoalescingRunner } from '../database/coalescing-runner.js';
import type { Database, Tx } from '../database/database.js';
import { DatabaseHistory } from './database-history.js';
import {
  appendMarker,
  createAppendStatement,
  JournalReader,
  type JournalRow,
  type RunStatement,
  type SerializedEntry,
} from './journal.js';
import {
  type EventPage,
  type EventPosition,
  type PastPosition,
  readEntriesAfter,
  readEventsAfter,
  readLastEventNumbers,
} from './journal-pages.js';
import { LastEventNumbers } from './last-event-numbers.js';
import { OwnEntries } from './own-entries.js';
import type { Hint } from './redis-hints.js';

/**
 * A notification between replicas after a commit. It contains IDs and never secrets. A notice with an `account_id` is
 * an event of that account and has a number.
 */
export interface Notice {
  readonly topic: string;
  readonly data: Record<string, unknown>;
}

/** The notice of an event: its data if they are small and public, otherwise the IDs with which they are read. */
export interface EventNotice<T extends EventType = EventType> {
  readonly type: T;
  readonly account_id: string;
  readonly d?: EventData<T>;
  readonly [id: string]: unknown;
}

export type NoticeHandler = (data: Record<string, unknown>) => void | Promise<void>;
export type JournalHandler = (row: JournalRow) => void;
export type ReadHandler = (startedAt: number) => void;

export const POLL_MS = 1000;
/** Pause between wake-ups or journal reads under load. All commits during the pause share one. */
export const WAKE_PAUSE_MS = 20;
/** Reads that return at least this many rows are made less often, because they cost more. */
const BUSY_ROWS = 16;
const BUSY_PAUSE_MS = 50;
const POSITIONS_PER_BATCH = 50;

/** Topic of the hint that there are new journal entries. */
export const WAKE_TOPIC = 'wake';

/**
 * Cross-replica notifications, and the worker ID of this process for snowflakes.
 *
 * A notice is a journal row that the transaction writes as its last statement. Replicas read new rows when they are
 * notified, and at least once a second. In the process that wrote it, a notice is delivered before the operation
 * returns. `resync` is delivered if changes may have happened without a notice, and `gap` if journal rows were lost
 * unread. `rewound` is delivered if the database went back to an earlier state.
 */
export abstract class ReplicaBus {
  private readonly listeners = new Map<string, NoticeHandler[]>();
  private readonly journalHandlers = new Map<string, JournalHandler[]>();
  private readonly readHandlers: ReadHandler[] = [];
  private readonly hintListeners = new Map<string, (data: Record<string, unknown>) => void>();
  private readonly pendingEntries = new WeakMap<Tx, SerializedEntry[]>();
  private readonly ownEntries = new OwnEntries();
  private readonly reader = new JournalReader(() => performance.now());
  /** @internal */
  protected readonly history = new DatabaseHistory();
  /** Batched, because there may be many callers and this connection runs one statement at a time. */
  private readonly eventReads = new Batcher(
    (places: readonly EventPosition[]) => readEventsAfter(this.runJournalStatement, places),
    { maxSize: POSITIONS_PER_BATCH },
  );
  private readonly lastEventNumbers = new LastEventNumbers((accountIds) =>
    readLastEventNumbers(this.runJournalStatement, accountIds),
  );
  private readonly journalReads = new CoalescingRunner(
    () => this.read(),
    () => (this.lastReadRows < BUSY_ROWS ? WAKE_PAUSE_MS : BUSY_PAUSE_MS),
  );
  private lastReadRows = 0;
  /** @internal */
  protected lastReadAt = Number.NEGATIVE_INFINITY;
  private isUnsynced = false;
  private isCheckDue = false;
  /** Another server, or another copy of the database, was found. */
  private isOtherDatabase = false;
  /** @internal */
  protected closing = false;
  /** False while notices of other replicas cannot be received. */
  abstract readonly isConnected: boolean;
  abstract readonly workerId: number;
  /** Whether a worker ID is leased. Without it, nothing that needs an ID can be created. @internal */
  abstract readonly hasWorkerId: boolean;

  constructor(
    protected readonly database: Database,
    protected readonly log: Log,
  ) {}

  /** Starts receiving notices from this moment on. @internal */
  async start(): Promise<void> {
    if (this.identity === '') await this.history.findChanges(this.runJournalStatement);
    await this.reader.start(this.runJournalStatement);
    this.lastReadAt = performance.now();
  }

  /** Subscribes to notices as early as possible: those of this process are delivered before their operations return. */
  on(topic: string, handler: NoticeHandler): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), handler]);
  }

  /**
   * Subscribes to notices in journal order, which for each account is commit order. Those of this process also come in
   * that order, so they may come after their operation has returned.
   */
  follow(topic: string, handler: JournalHandler): void {
    this.journalHandlers.set(topic, [...(this.journalHandlers.get(topic) ?? []), handler]);
  }

  /**
   * Calls `handler` after each complete read of the journal, with the monotonic time at which the read began, in
   * milliseconds. All notices that were committed before that time were delivered.
   * @internal
   */
  onRead(handler: ReadHandler): void {
    this.readHandlers.push(handler);
  }

  /**
   * The highest journal ID below which no transaction is open. All notices up to it were delivered. It may be lower than
   * the exact value, because only a later read can distinguish an open transaction from one that was rolled back.
   * @internal
   */
  get mark(): number {
    return this.reader.mark;
  }

  /** Identifies the database and its timeline. A restored copy and a promoted standby have another identity. @internal */
  get identity(): string {
    return this.history.fingerprint;
  }

  /**
   * Returns the entries of some topics after a position, up to a limit; null if the journal is not the one that had this
   * position.
   * @internal
   */
  entriesAfter(
    position: PastPosition,
    topics: readonly string[],
    limit: number,
  ): Promise<readonly JournalRow[] | null> {
    return readEntriesAfter(this.runJournalStatement, position, topics, limit);
  }

  /** Writes a notice of a change when `tx` commits. */
  async announce(tx: Tx, { topic, data }: Notice): Promise<void> {
    const accountId = typeof data.account_id === 'string' ? data.account_id : null;
    const entry = { topic, data, accountId, text: JSON.stringify(data) };
    this.database.whenReleased(tx, (outer) => {
      const entries = this.pendingEntries.get(outer) ?? this.registerCommit(outer);
      entries.push(entry);
    });
  }

  /** Writes the notice of an event for the gateway sessions of an account when `tx` commits. @internal */
  announceEvent<T extends EventType>(tx: Tx, notice: EventNotice<T>): Promise<void> {
    return this.announce(tx, { topic: 'event', data: notice });
  }

  /**
   * Registers the write of the notices of `tx`. Triggers wake the reader, which can read a notice before its commit
   * returns. The notice is then delivered twice, so that the operation waits for its handlers, which tolerate
   * repetitions. Events are delivered once.
   */
  private registerCommit(tx: Tx): SerializedEntry[] {
    const entries: SerializedEntry[] = [];
    this.pendingEntries.set(tx, entries);
    let origin = '';
    this.database.withCommit(tx, () => {
      origin = this.ownEntries.add(entries.length);
      return { ...createAppendStatement(entries, origin), onFailure: () => this.ownEntries.forget(origin) };
    });
    this.database.onCommit(tx, async () => {
      const isRead = this.ownEntries.commit(origin);
      this.wakeOthers();
      this.journalReads.request();
      for (const notice of entries) if (!isRead || notice.topic !== 'event') await this.deliver(notice);
    });
    return entries;
  }

  /** Sends an unreliable hint to the other replicas. Correctness must not depend on it. @internal */
  hint(_topic: string, _data: Record<string, unknown>): void {}

  /** Subscribes to hints of other replicas. Anyone with access to their Redis can forge them. @internal */
  onHint(topic: string, handler: (data: Record<string, unknown>) => void): void {
    this.hintListeners.set(topic, handler);
  }

  /** @internal */
  protected onHintReceived({ topic, data }: Hint): void {
    if (topic === WAKE_TOPIC) this.journalReads.request();
    else this.hintListeners.get(topic)?.(data);
  }

  /** Returns the number of the last event of an account. A subscriber receives all later ones. @internal */
  lastNumber(accountId: string): Promise<number> {
    return this.lastEventNumbers.get(accountId);
  }

  /** Returns the first page of the events of an account after a number; null if the next event was removed. @internal */
  eventsAfter(accountId: string, number: number): Promise<EventPage | null> {
    return this.eventReads.submit([accountId, number]);
  }

  /** Requests a read of the journal. @internal */
  requestRead(): void {
    if (!this.closing) this.journalReads.request();
  }

  /** Requests a read after a check of whether the database is still the same and has lost nothing. @internal */
  protected requestCheck(): void {
    this.isCheckDue = true;
    this.requestRead();
  }

  /** Marks the journal position as unverified. @internal */
  protected markUnsynced(): void {
    this.isUnsynced = true;
  }

  private async read(): Promise<void> {
    try {
      const { isCheckDue } = this;
      if (isCheckDue || this.isUnsynced || this.mayHaveMissedEntries()) await this.resyncIfNeeded();
      const startedAt = performance.now();
      const ended = await this.reader.findEnded(this.runJournalStatement);
      for (let isAll = false; !isAll && !this.closing; ) {
        const found = await this.reader.read(this.runJournalStatement, ended);
        isAll = found.isAll;
        this.lastReadRows = found.rows.length;
        this.lastReadAt = performance.now();
        for (const row of found.rows) this.onEntry(row);
      }
      this.isFailing = false;
      for (const handler of this.readHandlers) handler(startedAt);
      if (isCheckDue && this.reader.needsMarker) await this.writeMarker();
    } catch (error) {
      if (!this.isFailing) this.log.warn('reading the event journal failed', { error });
      this.isFailing = true;
      this.isUnsynced = true;
      setTimeout(() => this.requestRead(), POLL_MS).unref();
    }
  }

  /** Set after a failed read, so that only the first failure is logged. */
  private isFailing = false;

  private async resyncIfNeeded(): Promise<void> {
    const changes = await this.findDatabaseChanges();
    if (changes.length > 0) this.isOtherDatabase = true;
    const hasMissed = this.mayHaveMissedEntries();
    const isRewound = await this.reader.hasLostEntries(this.runJournalStatement);
    const { isOtherDatabase } = this;
    if (isRewound) this.log.warn('the database went back to an earlier state: gateway sessions end', { changes });
    else if (changes.length > 0) this.log.warn('the database was moved or replaced: nothing is missing', { changes });
    if (isRewound || hasMissed) {
      await this.start();
      this.ownEntries.clear();
      this.lastEventNumbers.clear();
      await this.deliver({ topic: isRewound ? 'rewound' : 'gap', data: {} });
    }
    if (isRewound || hasMissed || isOtherDatabase) await this.deliver({ topic: 'resync', data: {} });
    this.isOtherDatabase = false;
    this.isUnsynced = false;
    this.isCheckDue = false;
  }

  /** The embedded database cannot be replaced while it is open. @internal */
  protected async findDatabaseChanges(): Promise<string[]> {
    return [];
  }

  /** A database that cannot be written to is reported by other checks. */
  private async writeMarker(): Promise<void> {
    await appendMarker(this.runJournalStatement, randomBytes(9).toString('base64url')).catch((error) =>
      this.log.debug('writing a marker to the event journal failed', { error }),
    );
  }

  /** @internal */
  protected abstract wakeOthers(): void;
  /** Whether unread entries may have been removed. @internal */
  protected abstract mayHaveMissedEntries(): boolean;

  /** @internal */
  protected readonly runJournalStatement: RunStatement = (name, text, values) => this.runStatement(name, text, values);

  /** @internal */
  protected runStatement<R>(name: string, text: string, values: unknown[]): Promise<R[]> {
    return this.database.statement(name, text, values);
  }

  /** @internal */
  async close(): Promise<void> {
    this.closing = true;
    await this.journalReads.whenIdle();
  }

  private onEntry(row: JournalRow): void {
    const { topic } = row;
    this.lastEventNumbers.update(row);
    for (const handler of this.journalHandlers.get(topic) ?? []) {
      try {
        handler(row);
      } catch (error) {
        this.logHandlerFailure(topic, error);
      }
    }
    if (!this.ownEntries.wasDelivered(row.origin)) this.deliverLater(row);
  }

  /** @internal */
  protected deliverLater(notice: Notice): void {
    this.deliver(notice).catch((error) => this.logHandlerFailure(notice.topic, error));
  }

  /**
   * Calls the handlers of a notice. The change is already committed, so a failing handler stops neither the others nor
   * the operation.
   * @internal
   */
  protected async deliver(notice: Notice): Promise<void> {
    for (const handler of this.listeners.get(notice.topic) ?? []) {
      try {
        await handler(notice.data);
      } catch (error) {
        this.logHandlerFailure(notice.topic, error);
      }
    }
  }

  private logHandlerFailure(topic: string, error: unknown): void {
    this.log.error('handling a notification failed', { topic, error });
  }
}
