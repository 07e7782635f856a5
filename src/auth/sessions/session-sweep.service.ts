import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { type Changed, Database, type Tx } from '../../platform/database/database.js';
import { Replica } from '../../platform/replicas/replica.js';

interface LiveSession {
  readonly id: string;
  readonly account_id: string;
}

const BATCH = 1000;
// A notice is small.
const IDS_PER_NOTICE = 200;

/** Ends sessions of all accounts at once, in batches that nothing waits for long. */
@Injectable()
export class SessionSweep {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly grants: Grants,
    private readonly replica: Replica,
  ) {}

  /**
   * Ends every session made at or after a moment, and whatever is pending for its account. `note` runs in the transaction
   * of each batch. Answers how many sessions there were.
   */
  async revokeSince(since: Date, note: (tx: Tx, count: number) => Promise<void>): Promise<number> {
    let ended = 0;
    for (let after: string | null = '0'; after !== null; ) {
      const from: string = after;
      after = await this.database.transaction(async (tx) => {
        const found = await tx.query<LiveSession[]>(
          `SELECT id, account_id FROM session WHERE id > $1 AND created_at >= $2 AND revoked_at IS NULL
           ORDER BY id LIMIT ${BATCH}`,
          [from, since],
        );
        const count = await this.revoke(tx, found);
        // The first one is noted in any case: that somebody asked counts too.
        if (count > 0 || from === '0') await note(tx, count);
        ended += count;
        return found.length < BATCH ? null : (found.at(-1)?.id ?? null);
      });
    }
    return ended;
  }

  /** Accounts first, in order, as everything locks them that ends sessions. */
  private async revoke(tx: Tx, found: readonly LiveSession[]): Promise<number> {
    const accounts = [...new Set(found.map((row) => row.account_id))];
    await this.accounts.raiseEpochs(tx, accounts);
    const [rows] = await tx.query<Changed<{ id: string }>>(
      'UPDATE session SET revoked_at = now() WHERE id = ANY ($1::bigint[]) AND revoked_at IS NULL RETURNING id',
      [found.map(({ id }) => id)],
    );
    const ids = rows.map((row) => row.id);
    for (let first = 0; first < ids.length; first += IDS_PER_NOTICE) {
      const sessions = ids.slice(first, first + IDS_PER_NOTICE);
      await this.replica.announce(tx, { topic: 'revoked', data: { sessions } });
    }
    const left = await tx.query<{ id: string }[]>(
      `SELECT id FROM unnest($1::bigint[]) AS a (id)
       WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.account_id = a.id AND s.revoked_at IS NULL)`,
      [accounts],
    );
    await this.grants.revokeAdminGrants(
      tx,
      left.map((row) => row.id),
    );
    return ids.length;
  }
}
