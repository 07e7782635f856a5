import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A migration in SQL. It only goes forward: a version that is rolled back runs on the newer schema.
 *
 * The name of its class ends with its time of creation in milliseconds since 1970.
 */
export abstract class SqlMigration implements MigrationInterface {
  /** Statements, separated by semicolons. They run in one transaction, which contains nothing else. */
  abstract readonly sql: string;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(this.sql);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
