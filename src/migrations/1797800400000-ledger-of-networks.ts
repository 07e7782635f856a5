import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lines of the ledger about banned IP addresses and ranges, which have no account. `network` is encrypted. */
export class LedgerOfNetworks1797800400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE erasure_ledger ADD COLUMN network text;
      ALTER TABLE erasure_ledger ALTER COLUMN account_id DROP NOT NULL;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
