import { SqlMigration } from './sql-migration.js';

/** Finds sessions that may have reached a limit by their age. */
export class SessionLimits1797400000000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE INDEX session_live_age ON session (created_at) WHERE revoked_at IS NULL;
    `;
}
