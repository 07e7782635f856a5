import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Statistics of each day in UTC (contract/admin.md, `GET /instance/statistics/daily`): one row per day and kind. */
export class DailyStatistics1797700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE instance_statistics (
        day date NOT NULL,
        kind text NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (day, kind)
      );
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
