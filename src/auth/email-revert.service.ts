import { Injectable } from '@nestjs/common';
import { invalid } from '../errors.js';
import { Grants } from '../oauth/grants.service.js';
import type { Tx } from '../platform/database.js';
import { Outbox } from '../platform/outbox.js';
import { AccountService } from '../users/account.service.js';
import { AccountState } from '../users/account-state.service.js';
import type { Begun } from '../users/seen.js';
import { Passkey } from './auth.entities.js';
import { Factors } from './factors.service.js';
import { Issuance, type TokenResponse } from './issuance.service.js';
import { type Held, MailedTokens } from './mailed-tokens.service.js';
import { OneTimeSecrets } from './one-time-secrets.service.js';
import { Passwords } from './passwords.service.js';
import type { RevertEmailInput } from './recovery.dto.js';
import { SecurityNotices } from './security-notices.service.js';
import { type Origin, SessionService } from './sessions.service.js';

const TOKEN_SECONDS = 24 * 3600;

const unknown = () => invalid('token', 'INVALID_OR_EXPIRED_REVERT_TOKEN');

/** Takes an account back for the owner of the address that it had before (auth.md section 7). */
@Injectable()
export class EmailRevert {
  constructor(
    private readonly accounts: AccountService,
    private readonly state: AccountState,
    private readonly tokens: MailedTokens,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: SessionService,
    private readonly factors: Factors,
    private readonly grants: Grants,
    private readonly issuance: Issuance,
    private readonly passwords: Passwords,
    private readonly notices: SecurityNotices,
    private readonly outbox: Outbox,
  ) {}

  /** Mails the former address of an account the means to undo a change that was just made. */
  async offer(tx: Tx, account: Begun, change: { from: string; to: string }): Promise<void> {
    const token = await this.tokens.issue(tx, 'email-revert', account, { email: change.from }, TOKEN_SECONDS);
    await this.outbox.enqueue(tx, {
      type: 'email_change_revert',
      to: change.from,
      accountId: account.id,
      metadata: { token, new_email: change.to },
      expiresInSeconds: TOKEN_SECONDS,
    });
  }

  async revert({ token, password }: RevertEmailInput, origin: Origin): Promise<TokenResponse> {
    const found = await this.tokens.require('email-revert', token, unknown);
    await this.demandRevertible(found);
    const passwordHash = await this.passwords.hashNew(password);
    return this.tokens.redeem('email-revert', token, found, unknown, async (tx, held) => {
      await this.demandRevertible(held, tx);
      const { issued } = held;
      const { id } = held.account;
      const email = String(issued.payload.email);
      await this.state.restore(tx, id, email, passwordHash);
      await tx.delete(Passkey, { accountId: id });
      await this.factors.removeBackupCodes(tx, id);
      const { seen } = await this.sessions.revokeAll(tx, id);
      await this.grants.revokeAll(tx, id);
      await this.secrets.revokeSince('email-revert', issued, tx);
      await this.sessions.authorizeOnlyIp(tx, id, origin.ip);
      await this.notices.send(tx, await this.accounts.require(tx, id), 'email_reverted', origin);
      return this.issuance.issue(tx, seen, origin);
    });
  }

  /** @throws Refusal FV(EMAIL_ALREADY_IN_USE@token), the issuance errors */
  private async demandRevertible({ account, issued }: Held, tx?: Tx): Promise<void> {
    this.issuance.demandAdmissible(account);
    const owner = await this.accounts.findByEmail(String(issued.payload.email), tx);
    if (owner && owner.id !== account.id) throw invalid('token', 'EMAIL_ALREADY_IN_USE');
  }
}
