import { SqlMigration } from './sql-migration.js';

/** Applications that an administrator trusts (contract/openid.md section 4). */
export class TrustedApplications1797670000000 extends SqlMigration {
  readonly sql = `
      ALTER TABLE application
        ADD COLUMN is_trusted boolean NOT NULL DEFAULT false,
        ADD COLUMN trusted_scopes text[] NOT NULL DEFAULT '{}';
      ALTER TABLE oauth_code ADD COLUMN by_platform boolean NOT NULL DEFAULT false;
      ALTER TABLE oauth_family ADD COLUMN by_platform boolean NOT NULL DEFAULT false;

      CREATE TABLE oauth_removal (
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        application_id bigint NOT NULL REFERENCES application (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, application_id)
      );
      CREATE INDEX oauth_removal_application ON oauth_removal (application_id);
    `;
}
