import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds an index of the accounts that have ACLs, which are few. */
export class AccountsWithAcls1797800292000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL statement_timeout = 0;
      SET LOCAL lock_timeout = 0;

      CREATE INDEX account_with_acls ON account (id) WHERE acls <> '{}';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
