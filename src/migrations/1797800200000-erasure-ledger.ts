import { SqlMigration } from './sql-migration.js';

/**
 * The outbox of the ledger of erasures and bans. `number` is the place of a line in the ledger, and is null until the
 * line is about to be written.
 */
export class ErasureLedger1797800200000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE erasure_ledger (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        number bigint,
        kind text NOT NULL,
        account_id bigint NOT NULL,
        until timestamptz,
        is_written boolean NOT NULL DEFAULT false
      );
      CREATE UNIQUE INDEX erasure_ledger_number ON erasure_ledger (number);
      CREATE INDEX erasure_ledger_waiting ON erasure_ledger (id) WHERE NOT is_written;
    `;
}
