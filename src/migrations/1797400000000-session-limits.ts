import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds sessions that may have reached a limit by their age. */
export class SessionLimits1797400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE INDEX session_live_age ON session (created_at) WHERE revoked_at IS NULL;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
