import { Injectable } from '@nestjs/common';
import type { ExtraMails } from '../core/merged.js';
import type { Tx } from '../platform/database/database.js';
import { Outbox } from '../platform/mail/outbox.js';
import { type TeamMailType, teamMail } from '../platform/mail/templates/team-mails.js';

/** A mail of a team with the facts that it is made of. */
export interface TeamLetter<T extends TeamMailType> {
  readonly type: T;
  readonly facts: ExtraMails[T];
  /** How long what it carries works: afterwards it is not sent any more. */
  readonly expiresInSeconds?: number;
}

/** Mails that teams have registered: rows of the caller's transaction, sent after its commit. */
@Injectable()
export class Mails {
  constructor(private readonly outbox: Outbox) {}

  /**
   * To the address of an account, in its language. False, and nothing is sent: it has no verified address that takes mail,
   * is deleted, or wants none that is not about its security.
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

  /** To an address that belongs to no account, in English. */
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
