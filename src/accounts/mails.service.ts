import { Injectable } from '@nestjs/common';
import type { ExtraMails } from '../core/merged.js';
import type { Tx } from '../platform/database/database.js';
import { Outbox } from '../platform/mail/outbox.js';
import { type TeamMailType, teamMail } from '../platform/mail/templates/team-mails.js';

/** An email of an extension with its facts. */
export interface TeamLetter<T extends TeamMailType> {
  readonly type: T;
  readonly facts: ExtraMails[T];
  /** Validity of its token or code. After that, the email is not sent any more. */
  readonly expiresInSeconds?: number;
}

/**
 * Sends emails that extensions have registered. They are written in the caller's transaction and sent after its commit.
 */
@Injectable()
export class Mails {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Sends an email to the email address of an account, in its language. Sends nothing and returns false if the account
   * is deleted or has no verified and working email address. The same applies if it has opted out of emails that are
   * not about security.
   */
  async toAccount<T extends TeamMailType>(tx: Tx, accountId: string, letter: TeamLetter<T>): Promise<boolean> {
    const isSecurity = teamMail(letter.type).isSecurity === true;
    const [account] = await tx.query<{ email: string }[]>(
      `SELECT a.email FROM account a LEFT JOIN account_settings s ON s.account_id = a.id
       WHERE a.id = $1 AND a.email_verified AND NOT a.email_bounced AND a.deleted_at IS NULL AND a.email IS NOT NULL
         AND ($2 OR coalesce(s.email_notifications, true))`,
      [accountId, isSecurity],
    );
    if (!account || !this.outbox.isOpen) return false;
    await this.write(tx, account.email, accountId, letter);
    return true;
  }

  /** Sends an email in English to an email address that belongs to no account. */
  toAddress<T extends TeamMailType>(tx: Tx, address: string, letter: TeamLetter<T>): Promise<void> {
    teamMail(letter.type);
    return this.write(tx, address, null, letter);
  }

  private write<T extends TeamMailType>(tx: Tx, to: string, accountId: string | null, letter: TeamLetter<T>) {
    const { type, facts, expiresInSeconds } = letter;
    const deadline = expiresInSeconds === undefined ? {} : { expiresInSeconds };
    return this.outbox.enqueue<TeamMailType>(tx, { type, to, accountId, metadata: facts, ...deadline });
  }
}
