import { SqlMigration } from './sql-migration.js';

/** Applications that introspect the tokens of others for some scopes (contract/tokens.md section 3). */
export class ResourceServers1797742000000 extends SqlMigration {
  readonly sql = "ALTER TABLE application ADD COLUMN resource_scopes text[] NOT NULL DEFAULT '{}'";
}
