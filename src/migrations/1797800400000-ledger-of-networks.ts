import { SqlMigration } from './sql-migration.js';

/** Lines of the ledger about banned IP addresses and ranges, which have no account. `network` is encrypted. */
export class LedgerOfNetworks1797800400000 extends SqlMigration {
  readonly sql = `
      ALTER TABLE erasure_ledger ADD COLUMN network text;
      ALTER TABLE erasure_ledger ALTER COLUMN account_id DROP NOT NULL;
    `;
}
