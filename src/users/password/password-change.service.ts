import { Injectable } from '@nestjs/common';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { Passwords } from '../../auth/factors/passwords.service.js';
import { validationError } from '../../core/errors.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { MailedCodeInput } from '../contact/email-change.dto.js';
import { codeTimes, EmailedCodes, type SentCode } from '../contact/emailed-codes.service.js';
import { type FlowStep, FlowTickets, type TicketState } from '../contact/flow-tickets.service.js';
import { OwnPassword } from './own-password.service.js';
import type { CompletePasswordChangeInput } from './password-change.dto.js';

type State = TicketState & { readonly sent: SentCode; readonly verified?: boolean };

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'password-change': State;
  }
}

const FLOW = 'password-change';
const TICKET_SECONDS = 3600;
/** Limits for starting and for resending, per account (account.md 1.5). */
const PASSWORD_CODE_SEND_LIMIT = { limit: 3, seconds: 900 };

const passwordCodeContext = (ticket: string): string => `${FLOW}/${ticket}`;

/**
 * Password change with an emailed code, for signed-in users who do not know their current password (account.md 4.1).
 */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly flowTickets: FlowTickets,
    private readonly emailedCodes: EmailedCodes,
    private readonly passwords: Passwords,
    private readonly own: OwnPassword,
    private readonly limiter: Limiter,
  ) {}

  async start(me: SessionIdentity, origin: Origin) {
    const { id, email } = me.account;
    if (email === null) throw validationError('email', 'USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
    this.emailedCodes.assertMailEnabled();
    await this.limiter.chargeOrThrow(
      'password-change:start',
      id,
      PASSWORD_CODE_SEND_LIMIT.limit,
      PASSWORD_CODE_SEND_LIMIT.seconds,
    );
    return this.flowTickets.open(me, FLOW, TICKET_SECONDS, async (first, ticket) => {
      const sent = await this.send(first, ticket, origin);
      const { expiresAt, resendAt } = codeTimes(sent);
      const state: State = { sent };
      return { state, result: { ticket, code_expires_at: expiresAt, resend_available_at: resendAt } };
    });
  }

  private send({ tx, account, now }: Pick<FlowStep<State>, 'tx' | 'account' | 'now'>, ticket: string, origin: Origin) {
    const to = requireEmail(account);
    const client = describeClient(origin);
    return this.emailedCodes.send(tx, now, passwordCodeContext(ticket), {
      type: 'password_change',
      to,
      accountId: account.id,
      client,
    });
  }

  resend(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    return this.flowTickets.resend(me, FLOW, ticket, {
      assertAllowed: ({ state, now }) => this.emailedCodes.assertMayResend(state.sent, now),
      charge: () =>
        this.limiter.chargeOrThrow(
          'password-change:resend',
          me.account.id,
          PASSWORD_CODE_SEND_LIMIT.limit,
          PASSWORD_CODE_SEND_LIMIT.seconds,
        ),
      send: async (step) => ({ sent: await this.send(step, ticket, origin) }),
    });
  }

  verify(me: SessionIdentity, { ticket, code }: MailedCodeInput) {
    return this.flowTickets.step(me, FLOW, ticket, async ({ state, now, save }: FlowStep<State>) => {
      this.emailedCodes.assertCorrectCode(state.sent, now, passwordCodeContext(ticket), code);
      await save({ verified: true });
      return { verification_proof: this.emailedCodes.createProof(passwordCodeContext(ticket)) };
    });
  }

  /**
   * Sets the new password. The breach check runs before the ticket is used up, and the password is hashed outside the
   * transaction.
   */
  async complete(me: SessionIdentity, input: CompletePasswordChangeInput, origin: Origin) {
    const { ticket, verification_proof: proof, new_password: password } = input;
    const assertVerified = ({ state }: FlowStep<State>) => {
      if (!state.verified) throw validationError('ticket', 'INVALID_OR_EXPIRED_TICKET');
      this.emailedCodes.assertProof(passwordCodeContext(ticket), proof, 'verification_proof');
    };
    await this.flowTickets.step(me, FLOW, ticket, async (step) => assertVerified(step));
    const passwordHash = await this.passwords.hashNew(password, 'new_password');
    return this.flowTickets.step(me, FLOW, ticket, async (step: FlowStep<State>) => {
      assertVerified(step);
      await step.save({ completed: true });
      return this.own.set(step.tx, me, step.account, passwordHash, origin);
    });
  }
}

const requireEmail = ({ email }: Account): string => {
  if (email === null) throw validationError('email', 'USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
  return email;
};
