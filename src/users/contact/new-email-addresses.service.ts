import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { AccountContact } from '../../accounts/account-contact.service.js';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { EmailRevert } from '../../auth/recovery/email-revert.service.js';
import { OneTimeSecrets } from '../../auth/secrets/one-time-secrets.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import type { Tx } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import { Outbox } from '../../platform/mail/outbox.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { EmailedCodes, type SentCode } from './emailed-codes.service.js';
import { type FlowStep, FlowTickets, type TicketState } from './flow-tickets.service.js';

const TOKEN_SECONDS = 1800;
/** Limit of codes to new email addresses, shared by both flows: per account and per email address (account.md 1.5). */
const NEW_EMAIL_SEND_LIMIT = { limit: 5, seconds: 900 };

/** A code that is allowed to be sent. */
export interface AllowedSend {
  readonly to: string;
  /** False if the email address has received too many codes, from any user. */
  readonly isDelivered: boolean;
}

/** State of a flow that leads to a new email address. */
export type NewEmailState = TicketState & {
  readonly newEmail?: string;
  /** The code for the new email address. */
  readonly fresh?: SentCode;
};

export const newEmailContext = (ticket: string): string => `email-change/new/${ticket}`;

/** What both email change flows share: checks, code and the change itself (account.md section 4). */
@Injectable()
export class NewEmailAddresses {
  constructor(
    private readonly accounts: AccountService,
    private readonly contact: AccountContact,
    private readonly flowTickets: FlowTickets,
    private readonly emailedCodes: EmailedCodes,
    private readonly secrets: OneTimeSecrets,
    private readonly revert: EmailRevert,
    private readonly outbox: Outbox,
    private readonly instance: Instance,
    private readonly limiter: Limiter,
  ) {}

  /**
   * Runs the checks that need no lookup, and charges the allowance for the lookup.
   * @throws ApiError FEATURE_TEMPORARILY_DISABLED, FV(NEW_EMAIL_MUST_BE_DIFFERENT@new_email), RATE_LIMITED
   */
  async checkAndChargeSend(account: Account, newEmail: string): Promise<AllowedSend> {
    this.emailedCodes.assertMailEnabled();
    if (account.email?.toLowerCase() === newEmail.toLowerCase()) {
      throw validationError('new_email', 'NEW_EMAIL_MUST_BE_DIFFERENT');
    }
    return this.chargeSend(account.id, newEmail);
  }

  /**
   * Charges the allowances of the account and of the recipient.
   * @throws ApiError RATE_LIMITED only for the allowance of the account
   */
  async chargeSend(accountId: string, to: string): Promise<AllowedSend> {
    const { limit, seconds } = NEW_EMAIL_SEND_LIMIT;
    await this.limiter.chargeOrThrow('email-change:new', accountId, limit, seconds);
    const { admitted } = await this.limiter.charge('email-change:recipient', to.toLowerCase(), limit, seconds);
    return { to, isDelivered: admitted };
  }

  /** @throws ApiError FV(NO_NEW_EMAIL_REQUESTED@ticket), and what `MailTickets.resend` throws */
  resend(
    me: SessionIdentity,
    flow: 'email-change' | 'bounced-email-change',
    ticket: string,
    origin: Origin,
  ): Promise<void> {
    const requested = ({ newEmail }: NewEmailState): string => {
      if (newEmail === undefined) throw validationError('ticket', 'NO_NEW_EMAIL_REQUESTED');
      return newEmail;
    };
    return this.flowTickets.resend(me, flow, ticket, {
      assertAllowed: ({ state, now }) => {
        requested(state);
        this.emailedCodes.assertMayResend(state.fresh, now);
      },
      charge: (state) => this.chargeSend(me.account.id, requested(state)),
      send: async (step, charged) => {
        const to = requested(step.state);
        const isDelivered = charged.isDelivered && to === charged.to;
        return { fresh: await this.sendCode(step, ticket, { to, isDelivered }, origin) };
      },
    });
  }

  /**
   * Emails a code to the new email address. If the instance hides existing accounts and the email address is taken, its
   * owner gets a notice instead, and no code is sent. If the email address has received too many codes, nothing is
   * sent. The response is the same in all cases.
   * @throws ApiError FV(EMAIL_ALREADY_IN_USE@new_email)
   */
  async sendCode(
    { tx, account, now }: Pick<FlowStep<NewEmailState>, 'tx' | 'account' | 'now'>,
    ticket: string,
    { to, isDelivered }: AllowedSend,
    origin: Origin,
  ): Promise<SentCode> {
    const context = newEmailContext(ticket);
    const owner = await this.accounts.findEmailHolder(to, tx);
    if (owner && owner.id !== account.id) {
      if (!this.instance.current.registration.hideExistingAccounts)
        throw validationError('new_email', 'EMAIL_ALREADY_IN_USE');
      const notice = { type: 'registration_existing_account', to, accountId: owner.id, metadata: {} } as const;
      if (isDelivered) await this.outbox.enqueue(tx, notice);
      return this.emailedCodes.createUnsentCode(now, context);
    }
    if (!isDelivered) return this.emailedCodes.createUnsentCode(now, context);
    return this.emailedCodes.send(tx, now, context, {
      type: 'email_change_new',
      to,
      accountId: account.id,
      client: describeClient(origin),
    });
  }

  /** Issues a token with which the account owner can change to a verified email address. */
  issueToken(tx: Tx, account: Account, newEmail: string): Promise<string> {
    return this.secrets.issue('email-token', account, { to: newEmail }, TOKEN_SECONDS, { tx, secret: randomUUID() });
  }

  /**
   * Changes the email address to that of a token. The token is not used up if the change is rejected.
   * @throws ApiError FV(INVALID_EMAIL_TOKEN, EMAIL_TOKEN_EXPIRED or EMAIL_ALREADY_IN_USE@email_token)
   */
  async applyToken(tx: Tx, account: Account, token: string, origin: Origin): Promise<void> {
    const issued = await this.secrets.consume('email-token', token, tx);
    if (!issued && (await this.secrets.hasExpired('email-token', token, account, tx))) {
      throw validationError('email_token', 'EMAIL_TOKEN_EXPIRED');
    }
    if (issued?.subject !== account.id) throw validationError('email_token', 'INVALID_EMAIL_TOKEN');
    await this.contact.changeEmail(tx, account.id, String(issued.payload.to), { member: 'email_token', origin });
    if (account.email !== null) {
      await this.revert.sendRevertEmail(tx, account, { from: account.email, to: String(issued.payload.to) });
    }
  }

  /** @throws ApiError ACCESS_DENIED, FV(ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST@ticket) */
  assertBounced({ email, emailBounced, emailVerified }: Account): void {
    if (email === null || !emailBounced) throw new ApiError('ACCESS_DENIED');
    if (emailVerified) throw validationError('ticket', 'ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST');
  }
}
