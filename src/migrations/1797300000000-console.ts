import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Data for the administration console: replica status, evidence for IP bans, and search by username. */
export class Console1797300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE TABLE replica_statistics (
        worker_id integer PRIMARY KEY,
        version text NOT NULL,
        started_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        numbers jsonb NOT NULL
      );
      ALTER TABLE ip_ban ADD COLUMN signals jsonb;
      CREATE INDEX account_username ON account (lower(username), id);
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
