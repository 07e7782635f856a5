import { SqlMigration } from './sql-migration.js';

/** Statistics of each day in UTC (contract/admin.md, `GET /instance/statistics/daily`): one row per day and kind. */
export class DailyStatistics1797700000000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE instance_statistics (
        day date NOT NULL,
        kind text NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (day, kind)
      );
    `;
}
