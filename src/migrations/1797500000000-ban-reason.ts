import { SqlMigration } from './sql-migration.js';

/** Stores the public reason of a ban with the ban. */
export class BanReason1797500000000 extends SqlMigration {
  readonly sql = 'ALTER TABLE account ADD COLUMN ban_reason text';
}
