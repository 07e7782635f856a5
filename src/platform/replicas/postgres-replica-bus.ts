import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import { CoalescingRunner } from '../database/coalescing-runner.js';
import type { Database } from '../database/database.js';
import { JOURNAL_RETENTION_MS } from './journal.js';
import { NoticeConnection } from './notice-connection.js';
import { RedisHints } from './redis-hints.js';
import { POLL_MS, ReplicaBus, WAKE_PAUSE_MS, WAKE_TOPIC } from './replica-bus.js';

const STALE_AFTER_MS = 3 * POLL_MS;

/** One of several replicas. It is notified by LISTEN/NOTIFY and, if configured, also by Redis. */
export class PostgresReplicaBus extends ReplicaBus {
  private readonly connection: NoticeConnection;
  private hints: RedisHints | undefined;
  private readonly postgresWakeUps = new CoalescingRunner(
    () => this.connection.notify(),
    () => WAKE_PAUSE_MS,
  );
  private readonly redisWakeUps = new CoalescingRunner(
    async () => this.hints?.publish({ topic: WAKE_TOPIC, data: {} }),
    () => WAKE_PAUSE_MS,
  );
  private poll: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Log, url: string, fixedWorker: number | undefined) {
    super(database, log);
    this.connection = new NoticeConnection(url, fixedWorker, log, {
      onNotification: () => this.requestRead(),
      onReconnect: () => this.onReconnect(),
    });
  }

  get workerId(): number {
    return this.connection.workerId;
  }

  get hasWorkerId(): boolean {
    return this.connection.hasWorkerId;
  }

  get isConnected(): boolean {
    return performance.now() - this.lastReadAt < STALE_AFTER_MS;
  }

  protected mayHaveMissedEntries(): boolean {
    return performance.now() - this.lastReadAt > JOURNAL_RETENTION_MS;
  }

  async connect(): Promise<void> {
    await this.connection.open();
  }

  override async start(): Promise<void> {
    await super.start();
    if (this.poll) return;
    this.poll = setInterval(() => this.requestCheck(), POLL_MS).unref();
  }

  protected override findDatabaseChanges(): Promise<string[]> {
    return this.history.findChanges(this.runJournalStatement);
  }

  async openHints(config: Config, url: string): Promise<void> {
    const { log } = this;
    this.hints = await RedisHints.open(config, { url, log, database: this.connection.database }, (hint) =>
      this.onHintReceived(hint),
    );
  }

  /** The new connection may lead to another server. */
  private onReconnect(): void {
    this.markUnsynced();
    this.requestRead();
    this.deliverLater({ topic: 'resync', data: {} });
  }

  protected wakeOthers(): void {
    this.postgresWakeUps.request();
    if (this.hints) this.redisWakeUps.request();
  }

  override hint(topic: string, data: Record<string, unknown>): void {
    this.hints?.publish({ topic, data });
  }

  /** Uses the notice connection, for which requests do not compete. While it is down, any other connection is used. */
  protected override runStatement<R>(name: string, text: string, values: unknown[]): Promise<R[]> {
    return this.connection.query<R>(name, text, values) ?? super.runStatement(name, text, values);
  }

  override async close(): Promise<void> {
    clearInterval(this.poll);
    await super.close();
    await Promise.all([this.postgresWakeUps.whenIdle(), this.redisWakeUps.whenIdle()]);
    this.hints?.close();
    await this.connection.close();
  }
}
