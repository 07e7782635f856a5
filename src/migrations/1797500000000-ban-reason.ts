import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the public reason of a ban with the ban. */
export class BanReason1797500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN ban_reason text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
