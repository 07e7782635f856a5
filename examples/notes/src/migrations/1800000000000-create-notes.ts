import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateNotes1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notes (
        id bigint PRIMARY KEY,
        owner_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        text text NOT NULL,
        message_id bigint UNIQUE,
        created_at timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX notes_owner ON notes (owner_id, id)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
