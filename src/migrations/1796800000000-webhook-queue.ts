import { SqlMigration } from './sql-migration.js';

/** Schedules webhooks per sink: one row each, regardless of the number of waiting events. */
export class WebhookQueue1796800000000 extends SqlMigration {
  readonly breaksRollback = 'webhook_event has no next_attempt_at and no attempts';

  readonly sql = `
      CREATE TABLE webhook_queue (
        sink text NOT NULL,
        webhook_id bigint NOT NULL,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        lease bigint NOT NULL DEFAULT 0,
        done_id bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (sink, webhook_id)
      );
      INSERT INTO webhook_queue (sink, webhook_id, next_attempt_at, attempts)
        SELECT DISTINCT ON (sink, webhook_id) sink, webhook_id, next_attempt_at, attempts
        FROM webhook_event WHERE parked_at IS NULL ORDER BY sink, webhook_id, id;
      CREATE INDEX webhook_queue_due ON webhook_queue (sink, next_attempt_at);
      CREATE INDEX webhook_queue_age ON webhook_queue (next_attempt_at);
      DROP INDEX webhook_event_due;
      ALTER TABLE webhook_event DROP COLUMN next_attempt_at, DROP COLUMN attempts;
    `;
}
