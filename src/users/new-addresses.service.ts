import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EmailRevert } from '../auth/email-revert.service.js';
import { OneTimeSecrets } from '../auth/one-time-secrets.service.js';
import { describeClient, type Origin } from '../auth/sessions.service.js';
import { invalid, Refusal } from '../errors.js';
import { Limiter } from '../limits.js';
import type { Tx } from '../platform/database.js';
import { Instance } from '../platform/instance.js';
import { Outbox } from '../platform/outbox.js';
import type { Account } from '../policy/identity.js';
import { AccountService } from './account.service.js';
import { AccountContact } from './account-contact.service.js';
import { MailTickets, type Step, type TicketState } from './mail-tickets.service.js';
import { MailedCodes, type SentCode } from './mailed-codes.service.js';

const TOKEN_SECONDS = 1800;
/** Codes to new addresses, of both procedures together (account.md 1.5). */
const SENDS = { limit: 5, seconds: 900 };

/** A procedure that leads to a new address. */
export type NewAddressState = TicketState & {
  readonly newEmail?: string;
  /** The code that was sent to the new address. */
  readonly fresh?: SentCode;
};

export const newAddressContext = (ticket: string): string => `email-change/new/${ticket}`;

/** What both ways to a new address share: who may have it, the code to it, the change itself (account.md section 4). */
@Injectable()
export class NewAddresses {
  constructor(
    private readonly accounts: AccountService,
    private readonly contact: AccountContact,
    private readonly tickets: MailTickets,
    private readonly codes: MailedCodes,
    private readonly secrets: OneTimeSecrets,
    private readonly revert: EmailRevert,
    private readonly outbox: Outbox,
    private readonly instance: Instance,
    private readonly limiter: Limiter,
  ) {}

  /**
   * What can be said before anything is looked up, and the allowance for looking.
   * @throws Refusal FEATURE_TEMPORARILY_DISABLED, FV(NEW_EMAIL_MUST_BE_DIFFERENT@new_email), RATE_LIMITED
   */
  async demandRequestable(account: Account, newEmail: string): Promise<void> {
    this.codes.demandMail();
    if (account.email?.toLowerCase() === newEmail.toLowerCase()) {
      throw invalid('new_email', 'NEW_EMAIL_MUST_BE_DIFFERENT');
    }
    await this.chargeSend(account.id);
  }

  chargeSend(accountId: string): Promise<void> {
    return this.limiter.demand('email-change:new', accountId, SENDS.limit, SENDS.seconds);
  }

  /**
   * Mails a code to the new address. Where existing accounts are hidden the owner of a taken address is told instead,
   * and nobody learns a code.
   * @throws Refusal FV(EMAIL_ALREADY_IN_USE@new_email)
   */
  async sendCode(
    { tx, account, now }: Pick<Step<NewAddressState>, 'tx' | 'account' | 'now'>,
    ticket: string,
    newEmail: string,
    origin: Origin,
  ): Promise<SentCode> {
    const owner = await this.accounts.findByEmail(newEmail, tx);
    if (owner && owner.id !== account.id) {
      if (!this.instance.current.registration.hideExistingAccounts) throw invalid('new_email', 'EMAIL_ALREADY_IN_USE');
      const notice = {
        type: 'registration_existing_account',
        to: newEmail,
        accountId: owner.id,
        metadata: {},
      } as const;
      await this.outbox.enqueue(tx, notice);
      return this.codes.pretend(now);
    }
    return this.codes.send(tx, now, newAddressContext(ticket), {
      type: 'email_change_new',
      to: newEmail,
      accountId: account.id,
      client: describeClient(origin),
    });
  }

  /** A token with which the owner of the account may move it to an address that is confirmed. */
  issueToken(tx: Tx, account: Account, newEmail: string): Promise<string> {
    const payload = { from: account.email, to: newEmail };
    return this.secrets.issue('email-token', account.id, payload, TOKEN_SECONDS, { tx, secret: randomUUID() });
  }

  /**
   * Moves the account to the address of a token; nothing is spent when it refuses.
   * @throws Refusal FV(INVALID_EMAIL_TOKEN, EMAIL_TOKEN_EXPIRED or EMAIL_ALREADY_IN_USE@email_token)
   */
  async applyToken(tx: Tx, account: Account, token: string): Promise<void> {
    const issued = await this.secrets.consume('email-token', token, tx);
    if (!issued && (await this.secrets.isKnown('email-token', token, account.id, tx))) {
      throw invalid('email_token', 'EMAIL_TOKEN_EXPIRED');
    }
    if (issued?.subject !== account.id || issued.payload.from !== account.email) {
      throw invalid('email_token', 'INVALID_EMAIL_TOKEN');
    }
    await this.move(tx, account, String(issued.payload.to), 'email_token');
    if (account.email !== null) {
      await this.revert.offer(tx, account.id, { from: account.email, to: String(issued.payload.to) });
    }
  }

  /** Everything that was issued for the former address dies with the change; sessions stay. */
  async move(tx: Tx, { id }: Account, email: string, member: string): Promise<void> {
    await this.contact.changeEmail(tx, id, email, member);
    await this.tickets.revokeOpen(tx, id);
    for (const purpose of ['email-token', 'email-verification', 'password-reset']) {
      await this.secrets.revokeAll(purpose, id, tx);
    }
  }

  /** @throws Refusal ACCESS_DENIED, FV(ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST@ticket) */
  demandBounced({ email, emailBounced, emailVerified }: Account): void {
    if (email === null || !emailBounced) throw new Refusal('ACCESS_DENIED');
    if (emailVerified) throw invalid('ticket', 'ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST');
  }
}
