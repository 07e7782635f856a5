import { SqlMigration } from './sql-migration.js';

/**
 * Pending items store the account epoch at which they began (credentials.md section 7). Existing items get the current
 * epoch.
 */
export class EpochsOfPendingThings1796400000000 extends SqlMigration {
  readonly sql = `
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
    `;
}
