import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { isGone } from '../../accounts/account-facts.js';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import { invalid, Refusal } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { MailDomains } from '../../platform/mail/mail-domains.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { MailedCodeInput, RequestNewEmailInput, VerifyNewEmailInput } from './email-change.dto.js';
import { MailTickets, type Step } from './mail-tickets.service.js';
import { MailedCodes, type SentCode, timesOf } from './mailed-codes.service.js';
import { NewAddresses, type NewAddressState, newAddressContext } from './new-addresses.service.js';

type State = NewAddressState & {
  /** Whether the current email address is verified, so that its owner must consent. */
  readonly requiresOriginal: boolean;
  readonly originalVerified?: boolean;
  readonly original?: SentCode;
};

const FLOW = 'email-change';
const TICKET_SECONDS = 3600;
/** Limit of codes to the current email address (account.md 1.5). */
const SENDS = { limit: 3, seconds: 900 };

const originalContext = (ticket: string): string => `email-change/original/${ticket}`;

/** Email change: the current email address consents and the new one is verified (account.md section 4). */
@Injectable()
export class EmailChange {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
    private readonly standing: Standing,
    private readonly tickets: MailTickets,
    private readonly codes: MailedCodes,
    private readonly addresses: NewAddresses,
    private readonly domains: MailDomains,
    private readonly limiter: Limiter,
  ) {}

  async start(me: SessionIdentity, origin: Origin) {
    const { id, email, emailVerified } = me.account;
    if (email !== null && emailVerified) this.codes.demandMail();
    await this.chargeOriginal(id);
    return this.tickets.open(me, FLOW, TICKET_SECONDS, async ({ tx, account, now }, ticket) => {
      const requiresOriginal = account.email !== null && account.emailVerified;
      const original = requiresOriginal ? await this.sendToOriginal({ tx, account, now }, ticket, origin) : undefined;
      const times = original && timesOf(original);
      const state: State = { requiresOriginal, ...(original ? { original } : {}) };
      const result = {
        ticket,
        require_original: requiresOriginal,
        original_email: account.email,
        original_proof: requiresOriginal ? null : this.codes.proof(originalContext(ticket)),
        original_code_expires_at: times?.expiresAt ?? null,
        resend_available_at: times?.resendAt ?? null,
      };
      return { state, result };
    });
  }

  private chargeOriginal(accountId: string): Promise<void> {
    return this.limiter.demand('email-change:original', accountId, SENDS.limit, SENDS.seconds);
  }

  private sendToOriginal(
    { tx, account, now }: Pick<Step<State>, 'tx' | 'account' | 'now'>,
    ticket: string,
    origin: Origin,
  ): Promise<SentCode> {
    return this.codes.send(tx, now, originalContext(ticket), {
      type: 'email_change_original',
      to: account.email as string,
      accountId: account.id,
      client: describeClient(origin),
    });
  }

  resendOriginal(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    return this.tickets.resend<State>(me, FLOW, ticket, {
      demand: ({ state, now }) => {
        if (!state.requiresOriginal || state.originalVerified) {
          throw invalid('ticket', 'ORIGINAL_EMAIL_ALREADY_VERIFIED');
        }
        this.codes.demandResend(state.original, now);
      },
      charge: () => this.chargeOriginal(me.account.id),
      send: async (step) => ({ original: await this.sendToOriginal(step, ticket, origin) }),
    });
  }

  verifyOriginal(me: SessionIdentity, { ticket, code }: MailedCodeInput) {
    return this.tickets.step<State, { original_proof: string }>(me, FLOW, ticket, async ({ state, now, save }) => {
      if (!state.requiresOriginal) throw invalid('ticket', 'ORIGINAL_VERIFICATION_NOT_REQUIRED');
      this.codes.demandRight(state.original, now, originalContext(ticket), code);
      await save({ originalVerified: true });
      return { original_proof: this.codes.proof(originalContext(ticket)) };
    });
  }

  /**
   * Checks that the current email address has consented, and that the caller has the proof.
   * @throws Refusal FV(ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST@ticket), FV(INVALID_PROOF_TOKEN@original_proof)
   */
  private demandAgreement({ requiresOriginal, originalVerified }: State, ticket: string, proof: string): void {
    if (requiresOriginal && !originalVerified) throw invalid('ticket', 'ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST');
    this.codes.demandProof(originalContext(ticket), proof, 'original_proof');
  }

  async requestNew(me: SessionIdentity, input: RequestNewEmailInput, origin: Origin) {
    const { ticket, new_email: newEmail, original_proof: proof } = input;
    await this.tickets.step<State, void>(me, FLOW, ticket, async ({ state }) =>
      this.demandAgreement(state, ticket, proof),
    );
    const send = await this.addresses.demandRequestable(me.account, newEmail);
    await this.domains.demandMailDomain(newEmail, 'new_email');
    return this.tickets.step(me, FLOW, ticket, async (step: Step<State>) => {
      this.demandAgreement(step.state, ticket, proof);
      const fresh = await this.addresses.sendCode(step, ticket, send, origin);
      this.codes.demandPause(step.state.fresh, step.now);
      await step.save({ newEmail, fresh });
      const { expiresAt, resendAt } = timesOf(fresh);
      return { ticket, new_email: newEmail, new_code_expires_at: expiresAt, resend_available_at: resendAt };
    });
  }

  resendNew(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    return this.addresses.resend(me, FLOW, ticket, origin);
  }

  /** Completes the ticket. The email address only changes when the token is applied. */
  verifyNew(me: SessionIdentity, { ticket, code, original_proof: proof }: VerifyNewEmailInput) {
    return this.tickets.step<State, { email_token: string }>(me, FLOW, ticket, async (step) => {
      const { tx, account, state, now } = step;
      this.demandAgreement(state, ticket, proof);
      this.codes.demandRight(state.fresh, now, newAddressContext(ticket), code);
      await step.save({ completed: true });
      return { email_token: await this.addresses.issueToken(tx, account, state.newEmail as string) };
    });
  }

  async apply(me: SessionIdentity, token: string, origin: Origin) {
    return this.database.transaction(async (tx) => {
      await this.applyIn(tx, await this.standing.hold(tx, me), token, origin);
      return privateUserView(await this.accounts.require(tx, me.account.id));
    });
  }

  /**
   * Applies an email token to an account that `tx` has locked.
   * @throws Refusal ACCESS_DENIED, FV(INVALID_EMAIL_TOKEN, EMAIL_TOKEN_EXPIRED or EMAIL_ALREADY_IN_USE@email_token)
   */
  async applyIn(tx: Tx, account: Account, token: string, origin: Origin): Promise<void> {
    if (isGone(account)) throw new Refusal('ACCESS_DENIED');
    await this.addresses.applyToken(tx, account, token, origin);
  }
}
