import { Injectable } from '@nestjs/common';
import { Log } from '../../core/log.js';
import type { JobAttempt, JobHandler } from '../../policy/jobs.js';
import { type ChangeResult, Database, type Tx } from '../database/database.js';

const BATCH_SIZE = 500;

/** Removes at most `limit` rows, or other units, and returns the number removed. */
export type CleanupTask = (tx: Tx, limit: number) => Promise<number>;

/**
 * Deletes expired rows in small batches, so that no table grows forever and no lock is held for long. Modules register
 * the data that they own. A job runs all tasks once a minute, on one replica.
 */
@Injectable()
export class Cleanup implements JobHandler {
  private readonly tasks = new Map<string, CleanupTask>();

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** @throws Error if the name is taken */
  add(name: string, task: CleanupTask): void {
    if (this.tasks.has(name)) throw new Error(`The cleanup task ${name} is already registered. Rename one`);
    this.tasks.set(name, task);
  }

  /** Registers the deletion of rows of `table` (primary key `key`) that match `condition`. */
  addExpiry(table: string, key: string, condition: string): void {
    this.add(table, async (tx, limit) => {
      const [, count] = await tx.query<ChangeResult>(
        `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${limit})`,
      );
      return count;
    });
  }

  /**
   * Runs every task until it has nothing left to remove, or until the attempt ends. A failure is logged and does not
   * stop the other tasks.
   * @throws the first failure, after all tasks have run
   */
  async run(_payload: object, { signal }: Pick<JobAttempt, 'signal'>): Promise<void> {
    const failures: unknown[] = [];
    // One batch of each task at a time, so that no task has to wait for a large backlog of another one.
    for (let left = [...this.tasks]; left.length > 0 && !signal.aborted; ) {
      const unfinished: typeof left = [];
      for (const [name, task] of left) {
        if (signal.aborted) break;
        const removed = await this.runBatch(name, task).catch((error) => {
          this.log.error('deleting expired rows failed', { table: name, error });
          failures.push(error);
          return 0;
        });
        if (removed === BATCH_SIZE) unfinished.push([name, task]);
      }
      left = unfinished;
    }
    if (failures.length > 0) throw failures[0];
  }

  private async runBatch(name: string, task: CleanupTask): Promise<number> {
    const removed = await this.database.transaction((tx) => task(tx, BATCH_SIZE));
    if (removed > 0) this.log.debug('expired rows deleted', { table: name, count: removed });
    return removed;
  }
}
