import { SqlMigration } from './sql-migration.js';

/** Accepted reports of leaked credentials that wait for processing. Only digests are stored. */
export class LeakReports1797200000000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE leak_report (
        id bigint PRIMARY KEY,
        request_id text NOT NULL,
        claims jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0
      );
      CREATE INDEX leak_report_due ON leak_report (next_attempt_at);
      CREATE INDEX leak_report_created ON leak_report (created_at);
    `;
}
