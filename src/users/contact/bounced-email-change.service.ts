import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { AccountContact } from '../../accounts/account-contact.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { MailDomains } from '../../platform/mail/mail-domains.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { MailedCodeInput } from './email-change.dto.js';
import { codeTimes, EmailedCodes } from './emailed-codes.service.js';
import { type FlowStep, FlowTickets } from './flow-tickets.service.js';
import { NewEmailAddresses, type NewEmailState, newEmailContext } from './new-email-addresses.service.js';

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'bounced-email-change': NewEmailState;
  }
}

const FLOW = 'bounced-email-change';
const TICKET_SECONDS = 3600;

/**
 * Email change for an account whose current email address bounces, so that its consent cannot be requested (account.md
 * section 4).
 */
@Injectable()
export class BouncedEmailChange {
  constructor(
    private readonly accounts: AccountService,
    private readonly contact: AccountContact,
    private readonly flowTickets: FlowTickets,
    private readonly emailedCodes: EmailedCodes,
    private readonly newEmailAddresses: NewEmailAddresses,
    private readonly domains: MailDomains,
  ) {}

  async request(me: SessionIdentity, newEmail: string, origin: Origin) {
    const { account } = me;
    this.newEmailAddresses.assertBounced(account);
    const send = await this.newEmailAddresses.checkAndChargeSend(account, newEmail);
    await this.domains.assertAcceptsMail(newEmail, 'new_email');
    return this.flowTickets.open(me, FLOW, TICKET_SECONDS, async (first, ticket) => {
      this.newEmailAddresses.assertBounced(first.account);
      const fresh = await this.newEmailAddresses.sendCode(first, ticket, send, origin);
      const { expiresAt, resendAt } = codeTimes(fresh);
      const state: NewEmailState = { newEmail, fresh };
      const result = { ticket, new_email: newEmail, new_code_expires_at: expiresAt, resend_available_at: resendAt };
      return { state, result };
    });
  }

  async resend(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    this.newEmailAddresses.assertBounced(me.account);
    await this.newEmailAddresses.resend(me, FLOW, ticket, origin);
  }

  /** Changes the email address immediately and completes the ticket. */
  verify(me: SessionIdentity, { ticket, code }: MailedCodeInput, origin: Origin) {
    this.newEmailAddresses.assertBounced(me.account);
    return this.flowTickets.step(
      me,
      FLOW,
      ticket,
      async ({ tx, account, state, now, save }: FlowStep<NewEmailState>) => {
        this.emailedCodes.assertCorrectCode(state.fresh, now, newEmailContext(ticket), code);
        await save({ completed: true });
        await this.contact.changeEmail(tx, account.id, state.newEmail as string, { member: 'ticket', origin });
        return privateUserView(await this.accounts.require(tx, account.id));
      },
    );
  }
}
