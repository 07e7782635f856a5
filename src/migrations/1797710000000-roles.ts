import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles: named lists of ACLs, which administrators copy to accounts. */
export class Roles1797710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE admin_role (
        id bigint PRIMARY KEY,
        name text NOT NULL,
        name_key text NOT NULL,
        acls text[] NOT NULL,
        CONSTRAINT admin_role_name UNIQUE (name_key)
      )
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
