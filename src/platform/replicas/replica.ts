import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { Coalesced } from '../database/coalesced.js';
import type { Database, Tx } from '../database/database.js';
import { together } from '../database/gather.js';
import {
  type Ask,
  appending,
  eventsSince,
  JournalReader,
  type JournalRow,
  KEPT_MS,
  lastNumbers,
  type Place,
  type WrittenEntry,
} from './journal.js';
import { LastNumbers } from './last-numbers.js';
import { NoticeConnection } from './notice-connection.js';
import { OwnEntries } from './own-entries.js';
import { type Hint, RedisHints } from './redis-hints.js';

/**
 * A notification between replicas after a commit. It contains IDs and never secrets. A notice with an `account_id` is
 * an event of that account and has a number.
 */
export interface Notice {
  readonly topic: string;
  readonly data: Record<string, unknown>;
}

export type NoticeHandler = (data: Record<string, unknown>) => void | Promise<void>;
export type JournalHandler = (row: JournalRow) => void;

const POLL_MS = 1000;
/** Pause between wake-ups or journal reads under load. All commits during the pause share one. */
const PAUSE_MS = 20;
/** Reads that return at least this many rows are made less often, because they cost more. */
const BUSY_ROWS = 16;
const BUSY_PAUSE_MS = 50;
const PLACES_AT_ONCE = 50;
const UNHEARD_MS = 3 * POLL_MS;

/** Topic of the hint that there are new journal entries. */
const WAKE = 'wake';

/**
 * Cross-replica notifications, and the worker ID of this process for snowflakes.
 *
 * A notice is a journal row that the transaction writes as its last statement. Replicas read new rows when they are
 * notified, and at least once a second. In the process that wrote it, a notice is delivered before the operation
 * returns. `resync` is delivered if changes may have happened without a notice, `gap` if journal rows were lost unread.
 */
export abstract class Replica {
  private readonly listeners = new Map<string, NoticeHandler[]>();
  private readonly followers = new Map<string, JournalHandler[]>();
  private readonly hintListeners = new Map<string, (data: Record<string, unknown>) => void>();
  private readonly announced = new WeakMap<Tx, WrittenEntry[]>();
  private readonly own = new OwnEntries();
  private readonly reader = new JournalReader(() => performance.now());
  /** Batched, because there may be many callers and this connection runs one statement at a time. */
  private readonly readSince = together((places: readonly Place[]) => eventsSince(this.ask, places), PLACES_AT_ONCE);
  private readonly numbers = new LastNumbers((accountIds) => lastNumbers(this.ask, accountIds));
  private readonly reading = new Coalesced(
    () => this.read(),
    () => (this.foundLast < BUSY_ROWS ? PAUSE_MS : BUSY_PAUSE_MS),
  );
  private foundLast = 0;
  protected heardAt = Number.NEGATIVE_INFINITY;
  private isDoubtful = false;
  protected closing = false;
  /** False while notices of other replicas cannot be received. */
  abstract readonly isConnected: boolean;
  abstract readonly workerId: number;
  /** Whether a worker ID is leased. Without it, nothing that needs an ID can be created. */
  abstract readonly hasWorkerId: boolean;

  constructor(
    protected readonly database: Database,
    protected readonly log: Log,
  ) {}

  static async join(config: Config, database: Database, log: Log): Promise<Replica> {
    if (!config.databaseUrl) return new SingleReplica(database, log, config.workerId ?? 0);
    const replica = new PostgresReplica(database, log, config.databaseUrl, config.workerId);
    try {
      await replica.connect();
      if (config.redisUrl) await replica.openHints(config, config.redisUrl);
    } catch (error) {
      await replica.close();
      throw error;
    }
    return replica;
  }

  /** Starts receiving notices from this moment on. */
  async start(): Promise<void> {
    await this.reader.start(this.ask);
    this.heardAt = performance.now();
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
    this.followers.set(topic, [...(this.followers.get(topic) ?? []), handler]);
  }

  /** Writes a notice of a change when `tx` commits. */
  async announce(tx: Tx, { topic, data }: Notice): Promise<void> {
    const accountId = typeof data.account_id === 'string' ? data.account_id : null;
    const entries = this.announced.get(tx) ?? this.begin(tx);
    entries.push({ topic, data, accountId, text: JSON.stringify(data) });
  }

  /**
   * Registers the write of the notices of `tx`. A notice that is read before its commit returns is delivered twice;
   * handlers tolerate repetitions.
   */
  private begin(tx: Tx): WrittenEntry[] {
    const entries: WrittenEntry[] = [];
    this.announced.set(tx, entries);
    let origin = '';
    this.database.withCommit(tx, () => {
      origin = this.own.add(entries.length);
      return { ...appending(entries, origin), failed: () => this.own.forget(origin) };
    });
    this.database.onCommit(tx, async () => {
      this.own.markDelivered(origin);
      this.wakeOthers();
      this.reading.wish();
      for (const notice of entries) await this.deliver(notice);
    });
    return entries;
  }

  /** Sends an unreliable hint to the other replicas. Correctness must not depend on it. */
  hint(_topic: string, _data: Record<string, unknown>): void {}

  /** Subscribes to hints of other replicas. Anyone with access to their Redis can forge them. */
  onHint(topic: string, handler: (data: Record<string, unknown>) => void): void {
    this.hintListeners.set(topic, handler);
  }

  protected hinted({ topic, data }: Hint): void {
    if (topic === WAKE) this.reading.wish();
    else this.hintListeners.get(topic)?.(data);
  }

  /** Returns the number of the last event of an account. A subscriber receives all later ones. */
  lastNumber(accountId: string): Promise<number> {
    return this.numbers.of(accountId);
  }

  /** Returns all events of an account after a number, in order; null if some of them were removed. */
  eventsSince(accountId: string, number: number): Promise<JournalRow[] | null> {
    return this.readSince([accountId, number]);
  }

  /** Requests a read of the journal. */
  protected look(): void {
    if (!this.closing) this.reading.wish();
  }

  /** Marks the journal position as unverified. */
  protected doubt(): void {
    this.isDoubtful = true;
  }

  private async read(): Promise<void> {
    try {
      if (this.isDoubtful || this.isTooLate()) await this.judge();
      for (let isAll = false; !isAll && !this.closing; ) {
        const found = await this.reader.read(this.ask);
        isAll = found.isAll;
        this.foundLast = found.rows.length;
        this.heardAt = performance.now();
        for (const row of found.rows) this.heard(row);
      }
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.log.warn('the journal cannot be read', { error });
      this.isFailing = true;
      this.isDoubtful = true;
      setTimeout(() => this.look(), POLL_MS).unref();
    }
  }

  /** Set after a failed read, so that only the first failure is logged. */
  private isFailing = false;

  private async judge(): Promise<void> {
    if (this.isTooLate() || (await this.reader.isBehind(this.ask))) {
      await this.start();
      this.own.clear();
      this.numbers.clear();
      await this.deliver({ topic: 'gap', data: {} });
      await this.deliver({ topic: 'resync', data: {} });
    }
    this.isDoubtful = false;
  }

  protected abstract wakeOthers(): void;
  /** Whether unread entries may have been removed. */
  protected abstract isTooLate(): boolean;

  protected readonly ask: Ask = (name, text, values) => this.run(name, text, values);

  protected run<R>(name: string, text: string, values: unknown[]): Promise<R[]> {
    return this.database.statement(name, text, values);
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.reading.settled();
  }

  private heard(row: JournalRow): void {
    const { topic } = row;
    this.numbers.heard(row);
    for (const handler of this.followers.get(topic) ?? []) {
      try {
        handler(row);
      } catch (error) {
        this.failed(topic, error);
      }
    }
    if (!this.own.wasDelivered(row.origin)) this.deliverLater(row);
  }

  protected deliverLater(notice: Notice): void {
    this.deliver(notice).catch((error) => this.failed(notice.topic, error));
  }

  /**
   * Calls the handlers of a notice. The change is already committed, so a failing handler stops neither the others nor
   * the operation.
   */
  protected async deliver(notice: Notice): Promise<void> {
    for (const handler of this.listeners.get(notice.topic) ?? []) {
      try {
        await handler(notice.data);
      } catch (error) {
        this.failed(notice.topic, error);
      }
    }
  }

  private failed(topic: string, error: unknown): void {
    this.log.error('a notice could not be handled', { topic, error });
  }
}

/** The only process on its database, which is embedded. */
class SingleReplica extends Replica {
  readonly isConnected = true;
  readonly hasWorkerId = true;

  constructor(
    database: Database,
    log: Log,
    readonly workerId: number,
  ) {
    super(database, log);
  }

  protected wakeOthers(): void {}

  /** There are no other writers, so nothing can be missed. */
  protected isTooLate(): boolean {
    return false;
  }
}

/** One of several replicas. It is notified by LISTEN/NOTIFY and, if configured, also by Redis. */
class PostgresReplica extends Replica {
  private readonly connection: NoticeConnection;
  private hints: RedisHints | undefined;
  private readonly wakingByPostgres = new Coalesced(
    () => this.connection.notify(),
    () => PAUSE_MS,
  );
  private readonly wakingByRedis = new Coalesced(
    async () => this.hints?.publish({ topic: WAKE, data: {} }),
    () => PAUSE_MS,
  );
  private poll: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Log, url: string, fixedWorker: number | undefined) {
    super(database, log);
    this.connection = new NoticeConnection(url, fixedWorker, log, {
      heard: () => this.look(),
      isBack: () => this.isBack(),
    });
  }

  get workerId(): number {
    return this.connection.workerId;
  }

  get hasWorkerId(): boolean {
    return this.connection.hasWorkerId;
  }

  get isConnected(): boolean {
    return performance.now() - this.heardAt < UNHEARD_MS;
  }

  protected isTooLate(): boolean {
    return performance.now() - this.heardAt > KEPT_MS;
  }

  async connect(): Promise<void> {
    await this.connection.open();
  }

  override async start(): Promise<void> {
    await super.start();
    this.poll ??= setInterval(() => this.look(), POLL_MS).unref();
  }

  async openHints(config: Config, url: string): Promise<void> {
    const { log } = this;
    this.hints = await RedisHints.open(config, { url, log, database: this.connection.database }, (hint) =>
      this.hinted(hint),
    );
  }

  /** The new connection may lead to another server. */
  private isBack(): void {
    this.doubt();
    this.look();
    this.deliverLater({ topic: 'resync', data: {} });
  }

  protected wakeOthers(): void {
    this.wakingByPostgres.wish();
    if (this.hints) this.wakingByRedis.wish();
  }

  override hint(topic: string, data: Record<string, unknown>): void {
    this.hints?.publish({ topic, data });
  }

  /** Uses the notice connection, for which requests do not compete. While it is down, any other connection is used. */
  protected override run<R>(name: string, text: string, values: unknown[]): Promise<R[]> {
    return this.connection.ask<R>(name, text, values) ?? super.run(name, text, values);
  }

  override async close(): Promise<void> {
    clearInterval(this.poll);
    await super.close();
    await Promise.all([this.wakingByPostgres.settled(), this.wakingByRedis.settled()]);
    this.hints?.close();
    await this.connection.close();
  }
}
