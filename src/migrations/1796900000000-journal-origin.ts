import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who writes into the journal knows its entries again without being told their ids. */
export class JournalOrigin1796900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal ADD COLUMN origin text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
