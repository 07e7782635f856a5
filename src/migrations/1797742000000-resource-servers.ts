import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications that introspect the tokens of others for some scopes (contract/tokens.md section 3). */
export class ResourceServers1797742000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE application ADD COLUMN resource_scopes text[] NOT NULL DEFAULT '{}'");
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
