import { SqlMigration } from './sql-migration.js';

/** What applications register for logouts (contract/openid.md section 7). */
export class ApplicationLogout1797650000000 extends SqlMigration {
  readonly sql = `
      ALTER TABLE application
        ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
        ADD COLUMN backchannel_logout_uri text,
        ADD COLUMN backchannel_logout_session_required boolean NOT NULL DEFAULT false;
    `;
}
