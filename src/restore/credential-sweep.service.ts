import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';

/** One statement must end within the statement timeout. */
const ROWS_PER_STATEMENT = 5000;

/** The tables of credentials, children first. `session` keeps its rows as the history of the account. */
const TABLES = [
  'one_time_secret',
  'oauth_code',
  'oauth_token',
  'oauth_family',
  'bot_token',
  'admin_key',
  'media_capability',
];

/**
 * Ends all credentials that a backup contains, because those that were revoked after it would be valid again. Client
 * secrets and webhook URLs stay.
 */
@Injectable()
export class CredentialSweep {
  constructor(private readonly database: Database) {}

  /** Returns the number of sessions that were active, and of all other credentials. */
  async endAll(): Promise<{ sessions: number; others: number }> {
    const sessions = await this.repeat(
      `UPDATE session SET revoked_at = now()
       WHERE id IN (SELECT id FROM session WHERE revoked_at IS NULL LIMIT ${ROWS_PER_STATEMENT})`,
    );
    let others = 0;
    for (const table of TABLES) {
      others += await this.repeat(
        `DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} LIMIT ${ROWS_PER_STATEMENT})`,
      );
    }
    await this.repeat(
      `UPDATE application SET bot_digest = NULL, bot_preview = NULL, bot_created_at = NULL
       WHERE id IN (SELECT id FROM application WHERE bot_digest IS NOT NULL LIMIT ${ROWS_PER_STATEMENT})`,
    );
    // Sudo proofs and pending operations are bound to the epoch and have no rows.
    for (let after = '0'; ; ) {
      const [rows] = await this.database.manager.query<[rows: { id: string }[], count: number]>(
        `UPDATE account SET epoch = epoch + 1
         WHERE id IN (SELECT id FROM account WHERE id > $1 ORDER BY id LIMIT ${ROWS_PER_STATEMENT}) RETURNING id`,
        [after],
      );
      if (rows.length === 0) return { sessions, others };
      after = String(rows.reduce((last, { id }) => (BigInt(id) > last ? BigInt(id) : last), 0n));
    }
  }

  /** Runs a statement until it changes no row. Returns the number of changed rows. */
  private async repeat(statement: string): Promise<number> {
    for (let count = 0; ; ) {
      const [, changed] = await this.database.manager.query<[rows: unknown[], count: number]>(statement);
      count += changed;
      if (changed < ROWS_PER_STATEMENT) return count;
    }
  }
}
