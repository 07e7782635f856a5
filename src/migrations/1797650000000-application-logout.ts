import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What applications register for logouts (contract/openid.md section 7). */
export class ApplicationLogout1797650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE application
        ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
        ADD COLUMN backchannel_logout_uri text,
        ADD COLUMN backchannel_logout_session_required boolean NOT NULL DEFAULT false;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
