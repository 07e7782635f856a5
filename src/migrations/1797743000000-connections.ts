import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Connections: identity providers next to single sign-on, whose identities stay in their table. With the ID, their
 * owner can name them.
 */
export class Connections1797743000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE TABLE connection (
        id text PRIMARY KEY,
        kind text NOT NULL,
        position integer NOT NULL,
        settings jsonb NOT NULL,
        client_secret bytea,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE connection_identity (
        id bigint PRIMARY KEY,
        connection_id text NOT NULL REFERENCES connection (id),
        issuer text NOT NULL,
        subject text NOT NULL,
        account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        email text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        CONSTRAINT connection_identity_subject UNIQUE (connection_id, issuer, subject)
      );
      CREATE UNIQUE INDEX connection_identity_account ON connection_identity (account_id, connection_id, issuer);
      ALTER TABLE sso_identity ADD COLUMN id bigserial;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
