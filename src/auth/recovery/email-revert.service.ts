import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { StoredEpochs } from '../../accounts/account-snapshot.js';
import { AccountState } from '../../accounts/account-state.service.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { validationError } from '../../core/errors.js';
import type { Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { Factors } from '../factors/factors.service.js';
import { Passwords } from '../factors/passwords.service.js';
import { Passkey } from '../records/auth.entities.js';
import { type MailedToken, MailedTokens } from '../secrets/mailed-tokens.service.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SessionService } from '../sessions/sessions.service.js';
import type { RevertEmailInput } from './recovery.dto.js';

const TOKEN_SECONDS = 24 * 3600;

const invalidToken = () => validationError('token', 'INVALID_OR_EXPIRED_REVERT_TOKEN');

/** Restores an account for the owner of its previous email address (auth.md section 7). */
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
    private readonly lifecycle: LifecycleEvents,
    private readonly outbox: Outbox,
  ) {}

  /** Emails the previous address a token that reverts the change. */
  async sendRevertEmail(tx: Tx, account: StoredEpochs, change: { from: string; to: string }): Promise<void> {
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
    const found = await this.tokens.require('email-revert', token, invalidToken);
    await this.assertRevertible(found);
    const passwordHash = await this.passwords.hashNew(password);
    return this.tokens.redeem('email-revert', token, found, invalidToken, async (tx, held) => {
      await this.assertRevertible(held, tx);
      const { issued } = held;
      const { id } = held.account;
      const email = String(issued.payload.email);
      await this.state.restore(tx, id, email, passwordHash);
      await tx.delete(Passkey, { accountId: id });
      await this.factors.removeBackupCodes(tx, id);
      const ending = { by: 'owner', reason: 'email_reverted', origin } as const;
      const { seen } = await this.sessions.revokeAll(tx, id, ending);
      await this.grants.revokeAll(tx, id, ending);
      await this.secrets.revokeSince('email-revert', issued, tx);
      await this.sessions.authorizeOnlyIp(tx, id, origin.ip);
      const cause = { account: await this.accounts.require(tx, id), origin, recordedAs: 'email_reverted' } as const;
      await this.lifecycle.emit(tx, 'emailChanged', [{ account_id: id }], cause);
      return this.issuance.issue(tx, seen, 'email_revert', origin);
    });
  }

  /** @throws ApiError FV(EMAIL_ALREADY_IN_USE@token), the issuance errors */
  private async assertRevertible({ account, issued }: MailedToken, tx?: Tx): Promise<void> {
    this.issuance.assertMayRecover(account);
    const owner = await this.accounts.findByEmail(String(issued.payload.email), tx);
    if (owner && owner.id !== account.id) throw validationError('token', 'EMAIL_ALREADY_IN_USE');
  }
}
