import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { RevocationCause } from '../../accounts/events/origin.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { beyondLimitsSql } from '../../accounts/session-limits.js';
import { Config } from '../../core/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { SessionService } from './sessions.service.js';

interface LiveSession {
  readonly id: string;
  readonly account_id: string;
}

const accountsOf = (found: readonly LiveSession[]): string[] => [...new Set(found.map((row) => row.account_id))];

const BATCH_SIZE = 1000;
const BY_ADMINISTRATOR: RevocationCause = { by: 'administrator', reason: 'sessions_ended' };
const BY_EXPIRY: RevocationCause = { by: 'service', reason: 'expired' };

/** Ends sessions of many accounts in short batches, and sessions that have expired. */
@Injectable()
export class SessionSweep {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly grants: Grants,
    private readonly sessions: SessionService,
    config: Config,
    cleanup: Cleanup,
  ) {
    const over = beyondLimitsSql(config);
    if (over !== null) cleanup.add('session-limits', (tx, limit) => this.revokeExpired(tx, over, limit));
  }

  /**
   * Expired sessions grant no access. This closes their sockets, notifies their owners and revokes dependent grants.
   */
  private async revokeExpired(tx: Tx, over: string, limit: number): Promise<number> {
    const found = await tx.query<LiveSession[]>(
      `SELECT id, account_id FROM session WHERE ${over} ORDER BY created_at LIMIT ${limit}`,
    );
    // Expiry revokes no pending secrets, so the epoch is not raised.
    await this.accounts.lockAll(tx, accountsOf(found));
    await this.revoke(tx, found, BY_EXPIRY);
    return found.length;
  }

  /**
   * Revokes all sessions that were created at or after `since`, and the pending secrets of their accounts. Runs `note`
   * in the transaction of each batch. Returns the number of sessions.
   */
  async revokeSince(since: Date, note: (tx: Tx, count: number) => Promise<void>): Promise<number> {
    let ended = 0;
    for (let after: string | null = '0'; after !== null; ) {
      const from: string = after;
      after = await this.database.transaction(async (tx) => {
        const found = await tx.query<LiveSession[]>(
          `SELECT id, account_id FROM session WHERE id > $1 AND created_at >= $2 AND revoked_at IS NULL
           ORDER BY id LIMIT ${BATCH_SIZE}`,
          [from, since],
        );
        await this.accounts.incrementEpochs(tx, accountsOf(found));
        const count = await this.revoke(tx, found, BY_ADMINISTRATOR);
        // Always note the first batch, because the request itself must be recorded.
        if (count > 0 || from === '0') await note(tx, count);
        ended += count;
        return found.length < BATCH_SIZE ? null : (found.at(-1)?.id ?? null);
      });
    }
    return ended;
  }

  /**
   * `tx` must hold the accounts. They are always locked before sessions, in ascending order, so that operations cannot
   * deadlock.
   */
  private async revoke(tx: Tx, found: readonly LiveSession[], ending: RevocationCause): Promise<number> {
    const ids = found.map(({ id }) => id);
    const count = await this.sessions.revoke(tx, 'id = ANY ($1::bigint[])', [ids], ending);
    const left = await tx.query<{ id: string }[]>(
      `SELECT id FROM unnest($1::bigint[]) AS a (id)
       WHERE NOT EXISTS (SELECT 1 FROM session s WHERE s.account_id = a.id AND s.revoked_at IS NULL)`,
      [accountsOf(found)],
    );
    await this.grants.revokeAdminGrants(
      tx,
      left.map((row) => row.id),
      ending,
    );
    return count;
  }
}
