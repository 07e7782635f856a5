import { SqlMigration } from './sql-migration.js';

/** Adds indexes for all queries of requests, workers and deletions. */
export class Indexes1796700000000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      DROP INDEX session_account;
      CREATE INDEX session_account ON session (account_id, revoked_at);
      CREATE INDEX session_revoked ON session (revoked_at) WHERE revoked_at IS NOT NULL;

      UPDATE one_time_secret SET subject = payload -> 'approval' ->> 'accountId'
      WHERE purpose = 'handoff' AND subject = '' AND payload -> 'approval' ->> 'accountId' IS NOT NULL;
      UPDATE one_time_secret SET subject = payload -> 'proven' ->> 'accountId'
      WHERE purpose = 'bridge-ceremony' AND subject = '' AND payload -> 'proven' ->> 'accountId' IS NOT NULL;
      DROP INDEX one_time_secret_subject;
      CREATE INDEX one_time_secret_subject ON one_time_secret (subject, purpose);

      CREATE INDEX outbox_account ON outbox (account_id);
      CREATE INDEX outbox_recipient ON outbox (lower(recipient));
      CREATE INDEX outbox_age ON outbox (coalesce(sent_at, parked_at, created_at));
      CREATE INDEX inbox_message_account ON inbox_message (account_id);

      CREATE INDEX account_deleted ON account (deleted_at) WHERE deleted_at IS NOT NULL;
      CREATE INDEX account_totp ON account (id) WHERE totp_secret IS NOT NULL;
      CREATE INDEX account_name ON account (lower(username), discriminator, id);
      DROP INDEX account_last_active_ip;
      CREATE INDEX account_last_active_ip ON account (last_active_ip, id);

      CREATE INDEX webhook_event_webhook ON webhook_event (webhook_id);
      CREATE INDEX webhook_event_age ON webhook_event (coalesce(parked_at, created_at));

      CREATE INDEX audit_log_action ON audit_log (action, sequence DESC);
      CREATE INDEX audit_log_target_type ON audit_log (target_type, sequence DESC);
    `;
}
