import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { AccountContact } from '../../accounts/account-contact.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { AccountRecord } from '../../accounts/account-records.service.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { EmailVerification, needsVerification } from '../../auth/recovery/email-verification.service.js';
import { Recovery } from '../../auth/recovery/recovery.service.js';
import { OneTimeSecrets } from '../../auth/secrets/one-time-secrets.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import type { Tx } from '../../platform/database/database.js';
import { MailDomains } from '../../platform/mail/mail-domains.js';
import { Limiter } from '../../platform/store/limits.js';
import type { AuditRecord } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import { UserChanges } from './user-changes.service.js';

const EMAIL_LIMIT = { limit: 3, seconds: 900 };
const EMAIL_CHANGE = { ofEmail: true };

/** Changes the email addresses of other accounts and sends emails on behalf of administrators (admin.md 5.3). */
@Injectable()
export class UserContact {
  constructor(
    private readonly changes: UserChanges,
    private readonly accounts: AccountService,
    private readonly contact: AccountContact,
    private readonly verification: EmailVerification,
    private readonly recovery: Recovery,
    private readonly secrets: OneTimeSecrets,
    private readonly lifecycle: LifecycleEvents,
    private readonly events: SecurityEvents,
    private readonly domains: MailDomains,
    private readonly limiter: Limiter,
  ) {}

  /**
   * Sets an unverified email address. Links in emails to the old address stop working.
   * @throws ApiError FV(INVALID_EMAIL_ADDRESS@email), FV(EMAIL_ALREADY_IN_USE@email)
   */
  async setEmail(by: Operator, id: string, email: string) {
    await this.changes.requireTarget(by, id, EMAIL_CHANGE);
    await this.domains.assertAcceptsMail(email, 'email');
    return this.changes.applyAndShow(by, id, {
      action: 'change_email',
      ...EMAIL_CHANGE,
      make: async (tx, target) => {
        await this.contact.assignEmail(tx, id, email);
        await this.secrets.deleteAll(tx, id);
        await this.lifecycle.emit(tx, 'emailChanged', [{ account_id: id }], { account: target });
        return { old_email: target.email, new_email: email };
      },
    });
  }

  /** @throws ApiError FV(USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS@email) */
  verifyEmail(by: Operator, id: string) {
    return this.changes.applyAndShow(by, id, {
      action: 'verify_email',
      ...EMAIL_CHANGE,
      make: async (tx, target) => {
        const email = requireEmail(target);
        await this.contact.confirmEmail(tx, id, email);
        if (!target.emailVerified) await this.events.record(tx, { accountId: id, type: 'requirements_changed' });
        return { email };
      },
    });
  }

  /** @throws ApiError FV(USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS@root) */
  setBounce(by: Operator, id: string, bounced: boolean) {
    return this.changes.applyAndShow(by, id, {
      action: 'set_email_bounce',
      ...EMAIL_CHANGE,
      make: async (tx, target) => {
        requireEmail(target, 'root');
        const verified = bounced ? { emailVerified: false } : {};
        await this.accounts.update(tx, id, { emailBounced: bounced, ...verified });
        if (bounced && !target.emailBounced) await this.events.record(tx, { accountId: id, type: 'email_bounced' });
        return { bounced };
      },
    });
  }

  /** Sends nothing if the email address needs no verification. */
  mailVerification(by: Operator, id: string): Promise<void> {
    return this.sendEmail(by, id, 'resend_verification_email', 'verify:resend', async (tx, target, email) => {
      if (needsVerification(target)) await this.verification.sendEmail(tx, target, email);
    });
  }

  /** The owner gets the token. An administrator can neither set nor see a password. */
  mailReset(by: Operator, id: string): Promise<void> {
    return this.sendEmail(by, id, 'send_password_reset', 'admin:password-reset', (tx, target) =>
      this.recovery.sendEmail(tx, target),
    );
  }

  /** @throws ApiError UNKNOWN_USER, FV(USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS@email), RATE_LIMITED */
  private async sendEmail(
    by: Operator,
    id: string,
    action: AuditRecord['action'],
    allowance: string,
    send: (tx: Tx, target: AccountRecord, email: string) => Promise<void>,
  ): Promise<void> {
    const previousEmail = requireEmail(requireNotDeleted(await this.changes.requireTarget(by, id, EMAIL_CHANGE)));
    await this.limiter.chargeOrThrow(allowance, previousEmail.toLowerCase(), EMAIL_LIMIT.limit, EMAIL_LIMIT.seconds);
    await this.changes.apply(by, id, {
      action,
      ...EMAIL_CHANGE,
      make: async (tx, target) => {
        const email = requireEmail(requireNotDeleted(target));
        await send(tx, target, email);
        return { email };
      },
    });
  }
}

function requireEmail({ email }: AccountRecord, path: 'email' | 'root' = 'email'): string {
  if (email === null) throw validationError(path, 'USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
  return email;
}

/** Rejects accounts that are deleted or scheduled for deletion, so that no email can restore them. */
function requireNotDeleted(target: AccountRecord): AccountRecord {
  if (isDeletedOrScheduled(target)) throw new ApiError('UNKNOWN_USER');
  return target;
}
