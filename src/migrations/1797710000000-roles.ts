import { SqlMigration } from './sql-migration.js';

/** Roles: named lists of ACLs, which administrators copy to accounts. */
export class Roles1797710000000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE admin_role (
        id bigint PRIMARY KEY,
        name text NOT NULL,
        name_key text NOT NULL,
        acls text[] NOT NULL,
        CONSTRAINT admin_role_name UNIQUE (name_key)
      )
    `;
}
