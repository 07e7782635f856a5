import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a replica recognize its own journal entries without knowing their IDs. */
export class JournalOrigin1796900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal ADD COLUMN origin text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
