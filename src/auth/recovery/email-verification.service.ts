import { Injectable } from '@nestjs/common';
import { AccountContact } from '../../accounts/account-contact.service.js';
import type { Begun } from '../../accounts/seen.js';
import { invalid } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { MailedTokens } from '../secrets/mailed-tokens.service.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';

const TOKEN_SECONDS = 24 * 3600;
const RESENDS = { limit: 3, seconds: 900 };
/** Bits that require a new verification, even if the email address is verified: 1, 5 and 7 (account.md section 7). */
const REVERIFICATION = 0b1010_0010;

const unknown = () => invalid('token', 'INVALID_OR_EXPIRED_VERIFICATION_TOKEN');

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
    outbox.refused = (accountId, address) => database.transaction((tx) => contact.markBounced(tx, accountId, address));
  }

  /** Emails a token that verifies this address of this account. */
  async mail(tx: Tx, account: Begun, email: string): Promise<void> {
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
  issue(tx: Tx, account: Begun, email: string): Promise<string> {
    return this.tokens.issue(tx, 'email-verification', account, { email }, TOKEN_SECONDS);
  }

  async verify(token: string): Promise<void> {
    const held = await this.tokens.require('email-verification', token, unknown);
    await this.tokens.redeem('email-verification', token, held, unknown, async (tx, { account, issued }) => {
      const email = String(issued.payload.email);
      if (!(await this.contact.confirmEmail(tx, account.id, email))) throw unknown();
      await this.secrets.revokeAll('email-verification', account.id, tx);
    });
  }

  /** @throws Refusal RATE_LIMITED */
  async resend({ account }: SessionIdentity): Promise<void> {
    const { email } = account;
    if (email === null || !needsVerification(account) || !this.outbox.isOpen) return;
    await this.limiter.demand('verify:resend', email.toLowerCase(), RESENDS.limit, RESENDS.seconds);
    await this.database.transaction((tx) => this.mail(tx, account, email));
  }
}

/** Whether a new verification would change anything. */
export const needsVerification = ({ emailVerified, emailBounced, suspicious }: Account): boolean =>
  !emailVerified || emailBounced || (suspicious & REVERIFICATION) !== 0;
