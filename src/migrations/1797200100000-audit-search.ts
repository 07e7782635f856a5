import { SqlMigration } from './sql-migration.js';

/**
 * Adds the IP address to the audit log, and an index in ID order for every filter.
 * The indexes also include the broad filters, so that a search with several filters reads only one index.
 */
export class AuditSearch1797200100000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      ALTER TABLE audit_log ADD COLUMN ip text;
      DROP INDEX audit_log_admin;
      DROP INDEX audit_log_target;
      DROP INDEX audit_log_action;
      DROP INDEX audit_log_target_type;
      CREATE INDEX audit_log_admin ON audit_log (admin_user_id, id) INCLUDE (action, target_type, ip);
      CREATE INDEX audit_log_action ON audit_log (action, id) INCLUDE (admin_user_id, target_type, ip);
      CREATE INDEX audit_log_target_type ON audit_log (target_type, id) INCLUDE (admin_user_id, action, ip);
      CREATE INDEX audit_log_target ON audit_log (target_id, id) INCLUDE (admin_user_id, action, target_type, ip);
      CREATE INDEX audit_log_ip ON audit_log (ip, id) INCLUDE (admin_user_id, action, target_type) WHERE ip IS NOT NULL;
      CREATE INDEX audit_log_request ON audit_log (request_id, id);

      CREATE TABLE audit_verification (
        name text PRIMARY KEY CHECK (name = 'chain'),
        sequence bigint NOT NULL,
        head bytea NOT NULL,
        verified_at timestamptz,
        entries bigint,
        broken_at bigint
      );
    `;
}
