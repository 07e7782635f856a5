import { SqlMigration } from './sql-migration.js';

/** Personal access tokens: what `oauth_token` does not have (contract/tokens.md section 1). */
export class PersonalTokens1797740000000 extends SqlMigration {
  readonly sql = `
      CREATE TABLE personal_token (
        id bigint PRIMARY KEY REFERENCES oauth_token (id) ON DELETE CASCADE,
        name text NOT NULL,
        preview text NOT NULL,
        networks text[] NOT NULL DEFAULT '{}',
        last_used_at timestamptz,
        reminded_at timestamptz
      )
    `;
}
