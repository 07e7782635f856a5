import { SqlMigration } from './sql-migration.js';

/** Adds indexes for the order, the search and the rare states of the list of accounts for administrators. */
export class UserList1797730000000 extends SqlMigration {
  readonly sql = `
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE INDEX account_created ON account (created_at, id);
      CREATE INDEX account_last_active ON account (coalesce(last_active_at, '-infinity'), id) INCLUDE (last_active_at);
      CREATE INDEX account_username_prefix ON account (lower(username) text_pattern_ops);
      CREATE INDEX account_global_name_prefix ON account (lower(global_name) text_pattern_ops)
        WHERE global_name IS NOT NULL;
      CREATE INDEX account_email_prefix ON account (lower(email) text_pattern_ops) WHERE email IS NOT NULL;
      CREATE INDEX account_banned ON account (id) WHERE banned;
      CREATE INDEX account_disabled ON account (id) WHERE flags & 309237645312 <> 0;
      CREATE INDEX account_locked_down ON account (id) WHERE traits @> ARRAY['locked_down'];
      CREATE INDEX account_passkey_second_factor ON account (id) WHERE passkey_second_factor;
    `;
}
