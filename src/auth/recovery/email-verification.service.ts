import { Injectable } from '@nestjs/common';
import { AccountContact } from '../../accounts/account-contact.service.js';
import type { StoredEpochs } from '../../accounts/account-snapshot.js';
import { validationError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { MailedTokens } from '../secrets/mailed-tokens.service.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';

const TOKEN_SECONDS = 24 * 3600;
const RESEND_LIMIT = { limit: 3, seconds: 900 };
/** Bits that require a new verification, even if the email address is verified: 1, 5 and 7 (account.md section 7). */
const REVERIFICATION_BITS = 0b1010_0010;

const invalidToken = () => validationError('token', 'INVALID_OR_EXPIRED_VERIFICATION_TOKEN');

/** Verifies that an email address belongs to its account (auth.md section 5). */
@Injectable()
export class EmailVerification {
  constructor(
    private readonly database: Database,
    private readonly contact: AccountContact,
    private readonly tokens: MailedTokens,
    private readonly secrets: OneTimeSecrets,
    private readonly outbox: Outbox,
    private readonly limiter: Limiter,
  ) {
    outbox.onRecipientRejected = (accountId, address) =>
      database.transaction((tx) => contact.markBounced(tx, accountId, address));
  }

  /** Emails a token that verifies this address of this account. */
  async sendEmail(tx: Tx, account: StoredEpochs, email: string): Promise<void> {
    const token = await this.issue(tx, account, email);
    await this.outbox.enqueue(tx, {
      type: 'email_verification',
      to: email,
      accountId: account.id,
      metadata: { token },
      expiresInSeconds: TOKEN_SECONDS,
    });
  }

  /** Issues a token that verifies this email address of this account. */
  issue(tx: Tx, account: StoredEpochs, email: string): Promise<string> {
    return this.tokens.issue(tx, 'email-verification', account, { email }, TOKEN_SECONDS);
  }

  async verify(token: string): Promise<void> {
    const held = await this.tokens.require('email-verification', token, invalidToken);
    await this.tokens.redeem('email-verification', token, held, invalidToken, async (tx, { account, issued }) => {
      const email = String(issued.payload.email);
      if (!(await this.contact.confirmEmail(tx, account.id, email))) throw invalidToken();
      await this.secrets.revokeAll('email-verification', account.id, tx);
    });
  }

  /** @throws ApiError RATE_LIMITED */
  async resend({ account }: SessionIdentity): Promise<void> {
    const { email } = account;
    if (email === null || !needsVerification(account) || !this.outbox.canSend) return;
    await this.limiter.chargeOrThrow('verify:resend', email.toLowerCase(), RESEND_LIMIT.limit, RESEND_LIMIT.seconds);
    await this.database.transaction((tx) => this.sendEmail(tx, account, email));
  }
}

/** Whether a new verification would change anything. */
export const needsVerification = ({ emailVerified, emailBounced, suspicious }: Account): boolean =>
  !emailVerified || emailBounced || (suspicious & REVERIFICATION_BITS) !== 0;
