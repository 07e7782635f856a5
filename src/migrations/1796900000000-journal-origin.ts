import { SqlMigration } from './sql-migration.js';

/** Lets a replica recognize its own journal entries without knowing their IDs. */
export class JournalOrigin1796900000000 extends SqlMigration {
  readonly sql = 'ALTER TABLE journal ADD COLUMN origin text';
}
