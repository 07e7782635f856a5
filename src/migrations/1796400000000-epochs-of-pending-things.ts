import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What waits for an account remembers as of when (credentials.md section 7). What waits already is bound as if it had
 * been begun now.
 */
export class EpochsOfPendingThings1796400000000 implements MigrationInterface {
  name = 'EpochsOfPendingThings1796400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account ADD COLUMN address_epoch integer NOT NULL DEFAULT 0;

      ALTER TABLE one_time_secret
        ADD COLUMN account_id bigint,
        ADD COLUMN epoch integer,
        ADD COLUMN address_epoch integer;
      UPDATE one_time_secret s SET account_id = a.id,
          epoch = CASE WHEN s.purpose NOT IN ('email-verification', 'email-revert') THEN a.epoch END,
          address_epoch = CASE WHEN s.purpose <> 'email-revert' THEN a.address_epoch END
        FROM account a WHERE s.subject = a.id::text;
      CREATE INDEX one_time_secret_account ON one_time_secret (account_id) WHERE account_id IS NOT NULL;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
