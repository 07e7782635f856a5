import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { type Changed, Database, type Tx } from '../database/database.js';

/** Applications are notified of an expired session within a minute (contract/openid.md section 6). */
const CLEANUP_INTERVAL_MS = 50_000;
const CLEANUP_BATCH_SIZE = 500;
const CLEANUP_LOCK = [0x6761, 0x6a61];

/** Removes at most `limit` rows, or other units, and returns the number removed. */
export type CleanupJob = (tx: Tx, limit: number) => Promise<number>;

/**
 * Deletes expired rows in small batches, by one replica at a time, so that no table grows forever and no lock is held
 * for long. Modules register the data that they own.
 */
@Injectable()
export class CleanupJobs implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs = new Map<string, CleanupJob>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly config: Config,
  ) {}

  /** @throws Error if the name is taken */
  add(name: string, chore: CleanupJob): void {
    if (this.jobs.has(name)) throw new Error(`the cleanup job ${name} is already registered`);
    this.jobs.set(name, chore);
  }

  /** Registers the deletion of rows of `table` (primary key `key`) that match `condition`. */
  addExpiry(table: string, key: string, condition: string): void {
    this.add(table, async (tx, limit) => {
      const [, count] = await tx.query<Changed>(
        `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${limit})`,
      );
      return count;
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.nodeEnv === 'test') return;
    this.timer = setInterval(() => {
      this.running ??= this.runAll()
        .catch(() => {})
        .finally(() => {
          this.running = undefined;
        });
    }, CLEANUP_INTERVAL_MS).unref();
  }

  /**
   * Runs every cleanup once. A failure is logged and does not stop the others.
   * @throws the first failure, after all have run
   */
  async runAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const [name, chore] of this.jobs) {
      await this.runJob(name, chore).catch((error) => {
        this.log.error('expired rows could not be removed', { table: name, error });
        failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
  }

  private async runJob(name: string, chore: CleanupJob): Promise<void> {
    let removed = CLEANUP_BATCH_SIZE;
    while (removed === CLEANUP_BATCH_SIZE) {
      removed = await this.database.transaction(async (tx) => {
        const [lock] = await tx.query<[{ won: boolean }]>(
          'SELECT pg_try_advisory_xact_lock($1, $2) AS won',
          CLEANUP_LOCK,
        );
        return lock.won ? chore(tx, CLEANUP_BATCH_SIZE) : 0;
      });
      if (removed > 0) this.log.debug('expired rows removed', { table: name, count: removed });
    }
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
