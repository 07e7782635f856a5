import { SqlMigration } from './sql-migration.js';

/** Data for the administration console: replica status, evidence for IP bans, and search by username. */
export class Console1797300000000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE TABLE replica_statistics (
        worker_id integer PRIMARY KEY,
        version text NOT NULL,
        started_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        numbers jsonb NOT NULL
      );
      ALTER TABLE ip_ban ADD COLUMN signals jsonb;
      CREATE INDEX account_username ON account (lower(username), id);
    `;
}
