import { SqlMigration } from './sql-migration.js';

/** Adds an index of the accounts that have ACLs, which are few. */
export class AccountsWithAcls1797800292000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE INDEX account_with_acls ON account (id) WHERE acls <> '{}';
    `;
}
