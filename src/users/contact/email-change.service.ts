import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { MailDomains } from '../../platform/mail/mail-domains.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { MailedCodeInput, RequestNewEmailInput, VerifyNewEmailInput } from './email-change.dto.js';
import { codeTimes, EmailedCodes, type SentCode } from './emailed-codes.service.js';
import { type FlowStep, FlowTickets } from './flow-tickets.service.js';
import { NewEmailAddresses, type NewEmailState, newEmailContext } from './new-email-addresses.service.js';

type State = NewEmailState & {
  /** Whether the current email address is verified, so that its owner must consent. */
  readonly requiresOriginal: boolean;
  readonly originalVerified?: boolean;
  readonly original?: SentCode;
};

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'email-change': State;
  }
}

const FLOW = 'email-change';
const TICKET_SECONDS = 3600;
/** Limit of codes to the current email address (account.md 1.5). */
const ORIGINAL_SEND_LIMIT = { limit: 3, seconds: 900 };

const originalContext = (ticket: string): string => `email-change/original/${ticket}`;

/** Email change: the current email address consents and the new one is verified (account.md section 4). */
@Injectable()
export class EmailChange {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly flowTickets: FlowTickets,
    private readonly emailedCodes: EmailedCodes,
    private readonly newEmailAddresses: NewEmailAddresses,
    private readonly domains: MailDomains,
    private readonly limiter: Limiter,
  ) {}

  async start(me: SessionIdentity, origin: Origin) {
    const { id, email, emailVerified } = me.account;
    if (email !== null && emailVerified) this.emailedCodes.assertMailEnabled();
    await this.chargeOriginal(id);
    return this.flowTickets.open(me, FLOW, TICKET_SECONDS, async ({ tx, account, now }, ticket) => {
      const requiresOriginal = account.email !== null && account.emailVerified;
      const original = requiresOriginal ? await this.sendToOriginal({ tx, account, now }, ticket, origin) : undefined;
      const times = original && codeTimes(original);
      const state: State = { requiresOriginal, ...(original ? { original } : {}) };
      const result = {
        ticket,
        require_original: requiresOriginal,
        original_email: account.email,
        original_proof: requiresOriginal ? null : this.emailedCodes.createProof(originalContext(ticket)),
        original_code_expires_at: times?.expiresAt ?? null,
        resend_available_at: times?.resendAt ?? null,
      };
      return { state, result };
    });
  }

  private chargeOriginal(accountId: string): Promise<void> {
    return this.limiter.chargeOrThrow(
      'email-change:original',
      accountId,
      ORIGINAL_SEND_LIMIT.limit,
      ORIGINAL_SEND_LIMIT.seconds,
    );
  }

  private sendToOriginal(
    { tx, account, now }: Pick<FlowStep<State>, 'tx' | 'account' | 'now'>,
    ticket: string,
    origin: Origin,
  ): Promise<SentCode> {
    return this.emailedCodes.send(tx, now, originalContext(ticket), {
      type: 'email_change_original',
      to: account.email as string,
      accountId: account.id,
      client: describeClient(origin),
    });
  }

  resendOriginal(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    return this.flowTickets.resend(me, FLOW, ticket, {
      assertAllowed: ({ state, now }) => {
        if (!state.requiresOriginal || state.originalVerified) {
          throw validationError('ticket', 'ORIGINAL_EMAIL_ALREADY_VERIFIED');
        }
        this.emailedCodes.assertMayResend(state.original, now);
      },
      charge: () => this.chargeOriginal(me.account.id),
      send: async (step) => ({ original: await this.sendToOriginal(step, ticket, origin) }),
    });
  }

  verifyOriginal(me: SessionIdentity, { ticket, code }: MailedCodeInput) {
    return this.flowTickets.step(me, FLOW, ticket, async ({ state, now, save }) => {
      if (!state.requiresOriginal) throw validationError('ticket', 'ORIGINAL_VERIFICATION_NOT_REQUIRED');
      this.emailedCodes.assertCorrectCode(state.original, now, originalContext(ticket), code);
      await save({ originalVerified: true });
      return { original_proof: this.emailedCodes.createProof(originalContext(ticket)) };
    });
  }

  /**
   * Checks that the current email address has consented, and that the caller has the proof.
   * @throws ApiError FV(ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST@ticket), FV(INVALID_PROOF_TOKEN@original_proof)
   */
  private assertConsent({ requiresOriginal, originalVerified }: State, ticket: string, proof: string): void {
    if (requiresOriginal && !originalVerified) throw validationError('ticket', 'ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST');
    this.emailedCodes.assertProof(originalContext(ticket), proof, 'original_proof');
  }

  async requestNew(me: SessionIdentity, input: RequestNewEmailInput, origin: Origin) {
    const { ticket, new_email: newEmail, original_proof: proof } = input;
    await this.flowTickets.step(me, FLOW, ticket, async ({ state }) => this.assertConsent(state, ticket, proof));
    const send = await this.newEmailAddresses.checkAndChargeSend(me.account, newEmail);
    await this.domains.assertAcceptsMail(newEmail, 'new_email');
    return this.flowTickets.step(me, FLOW, ticket, async (step: FlowStep<State>) => {
      this.assertConsent(step.state, ticket, proof);
      const fresh = await this.newEmailAddresses.sendCode(step, ticket, send, origin);
      this.emailedCodes.assertResendPause(step.state.fresh, step.now);
      await step.save({ newEmail, fresh });
      const { expiresAt, resendAt } = codeTimes(fresh);
      return { ticket, new_email: newEmail, new_code_expires_at: expiresAt, resend_available_at: resendAt };
    });
  }

  resendNew(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    return this.newEmailAddresses.resend(me, FLOW, ticket, origin);
  }

  /** Completes the ticket. The email address only changes when the token is applied. */
  verifyNew(me: SessionIdentity, { ticket, code, original_proof: proof }: VerifyNewEmailInput) {
    return this.flowTickets.step(me, FLOW, ticket, async (step) => {
      const { tx, account, state, now } = step;
      this.assertConsent(state, ticket, proof);
      this.emailedCodes.assertCorrectCode(state.fresh, now, newEmailContext(ticket), code);
      await step.save({ completed: true });
      return { email_token: await this.newEmailAddresses.issueToken(tx, account, state.newEmail as string) };
    });
  }

  async apply(me: SessionIdentity, token: string, origin: Origin) {
    return this.database.transaction(async (tx) => {
      await this.applyInTransaction(tx, await this.callerGuard.lockCaller(tx, me), token, origin);
      return privateUserView(await this.accounts.require(tx, me.account.id));
    });
  }

  /**
   * Applies an email token to an account that `tx` has locked.
   * @throws ApiError ACCESS_DENIED, FV(INVALID_EMAIL_TOKEN, EMAIL_TOKEN_EXPIRED or EMAIL_ALREADY_IN_USE@email_token)
   */
  async applyInTransaction(tx: Tx, account: Account, token: string, origin: Origin): Promise<void> {
    if (isDeletedOrScheduled(account)) throw new ApiError('ACCESS_DENIED');
    await this.newEmailAddresses.applyToken(tx, account, token, origin);
  }
}
