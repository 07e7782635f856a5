import { SqlMigration } from './sql-migration.js';

/** Security events of an account, shown to its owner (web.md section 5). */
export class SecurityEvents1797100000000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE security_event (
        id bigint PRIMARY KEY,
        account_id bigint NOT NULL,
        type text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        session_digest bytea,
        ip text,
        user_agent text,
        os text,
        data jsonb NOT NULL
      );
      CREATE INDEX security_event_account ON security_event (account_id, id DESC);
      CREATE INDEX security_event_created ON security_event (created_at);
    `;
}
