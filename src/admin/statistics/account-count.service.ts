import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Database } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import type { JobHandler } from '../../policy/jobs.js';
import { dayOf, lastDays } from './day.js';

const KEPT_DAYS = 400;

/** Measures the number of accounts of the current day, and deletes the statistics of old days. */
@Injectable()
export class AccountCount implements JobHandler {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    cleanup: Cleanup,
  ) {
    cleanup.add('instance_statistics', async (tx, limit) => {
      const [oldest] = lastDays(this.clock.now(), KEPT_DAYS);
      const rows = await tx.query<unknown[]>(
        `WITH old AS (SELECT day, kind FROM instance_statistics WHERE day < $1 ORDER BY day, kind LIMIT $2),
         removed AS (DELETE FROM instance_statistics d USING old WHERE d.day = old.day AND d.kind = old.kind RETURNING 1)
         SELECT 1 FROM removed`,
        [oldest, limit],
      );
      return rows.length;
    });
  }

  /** Accounts of users, without bots and without accounts whose data is deleted. */
  async run(): Promise<void> {
    await this.database.manager.query<unknown>(
      `INSERT INTO instance_statistics (day, kind, count)
       SELECT $1::date, 'accounts', count(*) FROM account WHERE deleted_at IS NULL AND NOT bot
       ON CONFLICT (day, kind) DO UPDATE SET count = excluded.count`,
      [dayOf(this.clock.now())],
    );
  }
}
