import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { Seen } from '../../accounts/seen.js';
import { withinLimits } from '../../accounts/session-limits.js';
import { Config } from '../../core/config/config.js';
import { Refusal } from '../../core/errors.js';
import type { Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { Identity } from '../../policy/identity.js';

/**
 * Whether a caller may still do what it was let in for. A request that stalls may have begun before a revocation; what it
 * changes of how an account signs in is changed only by whom is still there (credentials.md section 7).
 */
@Injectable()
export class Standing {
  /** The condition on the row of a live session, by id and digest. */
  private readonly liveSession: string;

  constructor(
    private readonly accounts: AccountService,
    config: Config,
  ) {
    this.liveSession = `session WHERE id = $1 AND digest = $2 AND revoked_at IS NULL${withinLimits(config)}`;
  }

  /**
   * The caller's account, locked until `tx` ends, with its credential alive and nothing changed since it was resolved
   * that ends what is pending. Every revocation of a session waits for that lock or comes before it.
   * @throws Refusal ACCESS_DENIED for an account that was erased: nothing is written to what is left of it; UNAUTHORIZED
   */
  async hold(tx: Tx, me: Identity): Promise<Account> {
    // In the order in which the end of an application locks it and its bot.
    const isBotAlive = me.via !== 'bot' || (await this.holdsApplication(tx, me.applicationId, me.digest));
    const account = await this.accounts.lock(tx, me.account.id);
    if (!account) throw new Error('the account of a credential must be there');
    if (account.deletedAt !== null) throw new Refusal('ACCESS_DENIED');
    const isUnchanged = isBotAlive && Seen.ofRequest(me).isTrueOf(account);
    if (!isUnchanged || !(await this.isAlive(tx, me))) throw new Refusal('UNAUTHORIZED');
    return account;
  }

  /**
   * The same for an operation on another account, which is locked too: of two that change each other's accounts none
   * waits for the other for ever.
   */
  async holdBeside(tx: Tx, me: Identity, otherId: string): Promise<void> {
    await this.accounts.lockAll(tx, [me.account.id, otherId]);
    await this.hold(tx, me);
  }

  private async holdsApplication(tx: Tx, id: string, digest: Buffer): Promise<boolean> {
    return this.exists(tx, 'application WHERE id = $1 AND bot_digest = $2 FOR SHARE', [id, digest]);
  }

  private async isAlive(tx: Tx, me: Identity): Promise<boolean> {
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
