import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The public reason of a ban is kept as long as the ban. */
export class BanReason1797500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN ban_reason text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
