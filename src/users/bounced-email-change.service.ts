import { Injectable } from '@nestjs/common';
import type { Origin } from '../auth/sessions.service.js';
import { invalid } from '../errors.js';
import { MailDomains } from '../platform/mail-domains.js';
import type { SessionIdentity } from '../policy/identity.js';
import { AccountService } from './account.service.js';
import { privateUserView } from './account.views.js';
import type { MailedCodeInput } from './email-change.dto.js';
import { MailTickets, type Step } from './mail-tickets.service.js';
import { MailedCodes, timesOf } from './mailed-codes.service.js';
import { NewAddresses, type NewAddressState, newAddressContext } from './new-addresses.service.js';

const FLOW = 'bounced-email-change';
const TICKET_SECONDS = 3600;

/** A new address for an account whose present one takes no mail: nobody there could agree (account.md section 4). */
@Injectable()
export class BouncedEmailChange {
  constructor(
    private readonly accounts: AccountService,
    private readonly tickets: MailTickets,
    private readonly codes: MailedCodes,
    private readonly addresses: NewAddresses,
    private readonly domains: MailDomains,
  ) {}

  async request({ account }: SessionIdentity, newEmail: string, origin: Origin) {
    this.addresses.demandBounced(account);
    await this.addresses.demandRequestable(account, newEmail);
    await this.domains.demandMailDomain(newEmail, 'new_email');
    return this.tickets.open(account.id, FLOW, TICKET_SECONDS, async (first, ticket) => {
      this.addresses.demandBounced(first.account);
      const fresh = await this.addresses.sendCode(first, ticket, newEmail, origin);
      const { expiresAt, resendAt } = timesOf(fresh);
      const state: NewAddressState = { email: first.account.email, newEmail, fresh };
      const result = { ticket, new_email: newEmail, new_code_expires_at: expiresAt, resend_available_at: resendAt };
      return { state, result };
    });
  }

  async resend({ account: { id, ...account } }: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    this.addresses.demandBounced({ id, ...account });
    const requireRequested = ({ state, now }: Step<NewAddressState>): string => {
      if (state.newEmail === undefined) throw invalid('ticket', 'NO_NEW_EMAIL_REQUESTED');
      this.codes.demandMail();
      this.codes.demandPause(state.fresh, now);
      return state.newEmail;
    };
    await this.tickets.step<NewAddressState, void>(id, FLOW, ticket, async (step) => void requireRequested(step));
    await this.addresses.chargeSend(id);
    await this.tickets.step<NewAddressState, void>(id, FLOW, ticket, async (step) => {
      const newEmail = requireRequested(step);
      await step.save({ fresh: await this.addresses.sendCode(step, ticket, newEmail, origin) });
    });
  }

  /** Moves the account at once and completes the ticket. */
  verify({ account: me }: SessionIdentity, { ticket, code }: MailedCodeInput) {
    this.addresses.demandBounced(me);
    return this.tickets.step(me.id, FLOW, ticket, async ({ tx, account, state, now, save }: Step<NewAddressState>) => {
      this.codes.demandRight(state.fresh, now, newAddressContext(ticket), code);
      await save({ completed: true });
      await this.addresses.move(tx, account, state.newEmail as string, 'ticket');
      return privateUserView(await this.accounts.hold(tx, account.id));
    });
  }
}
