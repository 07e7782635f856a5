import { Injectable } from '@nestjs/common';
import type { ExtensionMailFacts, ExtensionMailType } from '../../core/names.js';
import type { Tx } from '../../platform/database/database.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { requireExtensionMail } from '../../platform/mail/templates/extension-mails.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';

/** An email of an extension with its facts. */
export interface ExtensionMailMessage<T extends ExtensionMailType> {
  readonly type: T;
  readonly facts: ExtensionMailFacts<T>;
  /** Validity of its token or code. After that, the email is not sent any more. */
  readonly expiresInSeconds?: number;
}

/**
 * Sends emails that features declare. They are written in the caller's transaction and sent after its commit.
 */
@Injectable()
export class ExtensionMailer {
  constructor(
    private readonly outbox: Outbox,
    private readonly features: FeatureRegistry,
  ) {}

  /**
   * Sends an email to the email address of an account, in its language. Sends nothing and returns false if the account
   * is deleted or has no verified and working email address. The same applies if it has opted out of emails that are
   * not about security.
   */
  async sendToAccount<T extends ExtensionMailType>(
    tx: Tx,
    accountId: string,
    letter: ExtensionMailMessage<T>,
  ): Promise<boolean> {
    const isSecurity = requireExtensionMail(this.features.mails, letter.type).isSecurity === true;
    const [account] = await tx.query<{ email: string }[]>(
      `SELECT a.email FROM account a LEFT JOIN account_settings s ON s.account_id = a.id
       WHERE a.id = $1 AND a.email_verified AND NOT a.email_bounced AND a.deleted_at IS NULL AND a.email IS NOT NULL
         AND ($2 OR coalesce(s.email_notifications, true))`,
      [accountId, isSecurity],
    );
    if (!account || !this.outbox.canSend) return false;
    await this.write(tx, account.email, accountId, letter);
    return true;
  }

  /** Sends an email in English to an email address that belongs to no account. */
  sendToAddress<T extends ExtensionMailType>(tx: Tx, address: string, letter: ExtensionMailMessage<T>): Promise<void> {
    requireExtensionMail(this.features.mails, letter.type);
    return this.write(tx, address, null, letter);
  }

  private write<T extends ExtensionMailType>(
    tx: Tx,
    to: string,
    accountId: string | null,
    letter: ExtensionMailMessage<T>,
  ) {
    const { type, facts, expiresInSeconds } = letter;
    const deadline = expiresInSeconds === undefined ? {} : { expiresInSeconds };
    return this.outbox.enqueue<ExtensionMailType>(tx, { type, to, accountId, metadata: facts, ...deadline });
  }
}
