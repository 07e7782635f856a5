import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { AccountSnapshot } from '../../accounts/account-snapshot.js';
import { withinLimitsSql } from '../../accounts/session-limits.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import type { Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { Identity } from '../../policy/identity.js';

/**
 * Validates the caller again within the transaction. A slow request may have been admitted before its credential was
 * revoked. Such a request must not change how an account signs in (credentials.md section 7).
 */
@Injectable()
export class CallerGuard {
  /** The SQL condition of an active session, by ID and digest. */
  private readonly liveSession: string;

  constructor(
    private readonly accounts: AccountService,
    config: Config,
  ) {
    this.liveSession = `session WHERE id = $1 AND digest = $2 AND revoked_at IS NULL${withinLimitsSql(config)}`;
  }

  /**
   * Locks and returns the caller's account. Fails if the credential was revoked or the epoch was raised since the
   * request was admitted. Revocations of sessions need the same lock.
   * @throws ApiError ACCESS_DENIED if the account was erased, because nothing may be written to it; UNAUTHORIZED
   */
  async lockCaller(tx: Tx, me: Identity): Promise<Account> {
    // The same lock order as the deletion of an application: the application, then its bot.
    const isBotAlive = me.via !== 'bot' || (await this.lockBotToken(tx, me.applicationId, me.digest));
    const account = await this.accounts.lock(tx, me.account.id);
    if (!account) throw new Error('The account of the credential was not found');
    if (account.deletedAt !== null) throw new ApiError('ACCESS_DENIED');
    const isUnchanged = isBotAlive && AccountSnapshot.ofRequest(me).isStillCurrent(account);
    if (!isUnchanged || !(await this.isCredentialActive(tx, me))) throw new ApiError('UNAUTHORIZED');
    return account;
  }

  /**
   * The same for an operation on another account. Locks both accounts in ascending order, so that two such operations
   * cannot deadlock.
   */
  async lockCallerAndTarget(tx: Tx, me: Identity, otherId: string): Promise<void> {
    await this.accounts.lockAll(tx, [me.account.id, otherId]);
    await this.lockCaller(tx, me);
  }

  private async lockBotToken(tx: Tx, id: string, digest: Buffer): Promise<boolean> {
    await this.exists(tx, 'application WHERE id = $1 FOR SHARE', [id]);
    // A separate statement, so that it sees what a transaction that held the application has deleted.
    return this.exists(tx, 'bot_token WHERE application_id = $1 AND digest = $2', [id, digest]);
  }

  private async isCredentialActive(tx: Tx, me: Identity): Promise<boolean> {
    switch (me.via) {
      case 'session':
        return this.exists(tx, this.liveSession, [me.sessionId, me.digest]);
      case 'bot':
        return true;
      case 'bearer':
        return this.exists(tx, 'oauth_token WHERE id = $1 AND expires_at > now()', [me.tokenId]);
      case 'admin-key':
        return this.exists(tx, 'admin_key WHERE id = $1 AND (expires_at IS NULL OR expires_at > now()) FOR SHARE', [
          me.keyId,
        ]);
    }
  }

  private async exists(tx: Tx, condition: string, values: unknown[]): Promise<boolean> {
    const rows = await tx.query<unknown[]>(`SELECT 1 FROM ${condition}`, values);
    return rows.length > 0;
  }
}
