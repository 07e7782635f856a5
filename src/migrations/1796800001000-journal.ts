import { SqlMigration } from './sql-migration.js';

/**
 * The journal with notices between replicas, and the number of the last event of each account.
 * The numbers have their own table, so that an announcement waits only for others of the same account.
 */
export class Journal1796800001000 extends SqlMigration {
  readonly breaksRollback = 'gateway_event is gone';

  readonly sql = `
      DROP TABLE gateway_event;
      CREATE TABLE account_event (
        account_id bigint PRIMARY KEY,
        number bigint NOT NULL
      ) WITH (fillfactor = 50);
      CREATE TABLE journal (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id bigint,
        number bigint,
        topic text NOT NULL,
        data json NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX journal_account ON journal (account_id, number) WHERE account_id IS NOT NULL;
      CREATE TABLE gateway_session_ahead (
        session_id text PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX gateway_session_ahead_age ON gateway_session_ahead (created_at);
    `;
}
