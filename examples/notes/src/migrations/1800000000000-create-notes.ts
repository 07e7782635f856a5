import { SqlMigration } from '@gatehouse-auth/server';

export class CreateNotes1800000000000 extends SqlMigration {
  readonly sql = `
    CREATE TABLE notes (
      id bigint PRIMARY KEY,
      owner_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      text text NOT NULL,
      message_id bigint UNIQUE,
      created_at timestamptz NOT NULL
    );
    CREATE INDEX notes_owner ON notes (owner_id, id);
  `;
}
