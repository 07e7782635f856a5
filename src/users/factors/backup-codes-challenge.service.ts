import { Injectable } from '@nestjs/common';
import { describeClient, type Origin } from '../../accounts/events/origin.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest } from '../../core/secrets.js';
import { Limiter } from '../../platform/store/limits.js';
import type { SessionIdentity } from '../../policy/identity.js';
import type { MailedCodeInput } from '../contact/email-change.dto.js';
import { codeTimes, EmailedCodes, type SentCode } from '../contact/emailed-codes.service.js';
import { type FlowStep, FlowTickets, type TicketState } from '../contact/flow-tickets.service.js';
import type { RegenerateInput } from './backup-codes.dto.js';
import { assertHasFactor, BackupCodes } from './backup-codes.service.js';

type State = TicketState & {
  /** The code to be entered. Null once it was used. */
  readonly sent: SentCode | null;
  /** When the verified code was sent. It is part of the proof, so that proofs of earlier codes become invalid. */
  readonly verified: string | null;
  readonly lastSent: SentCode;
};

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'backup-codes-challenge': State;
  }
}

const FLOW = 'backup-codes-challenge';
const TICKET_SECONDS = 1800;
/** Limits for starting and for resending, per account (account.md 1.5). */
const CHALLENGE_SEND_LIMIT = { limit: 3, seconds: 900 };
/** Limits for verifying and for regenerating, per ticket. */
const CHALLENGE_ATTEMPT_LIMIT = { limit: 5, seconds: 900 };

const codeContext = (ticket: string): string => `${FLOW}/${ticket}`;
const proofContext = (ticket: string, sentAt: string): string => `${FLOW}/${ticket}/${sentAt}`;

/**
 * Shows or regenerates backup codes after an emailed code, for signed-in users who have lost their second factor
 * (account.md 6.2).
 */
@Injectable()
export class BackupCodesChallenge {
  constructor(
    private readonly flowTickets: FlowTickets,
    private readonly emailedCodes: EmailedCodes,
    private readonly backupCodes: BackupCodes,
    private readonly limiter: Limiter,
  ) {}

  async start(me: SessionIdentity, origin: Origin) {
    const { account } = me;
    if (account.email === null) throw validationError('email', 'USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
    if (!account.emailVerified) throw new ApiError('MFA_EMAIL_VERIFICATION_REQUIRED');
    assertHasFactor(account);
    this.emailedCodes.assertMailEnabled();
    await this.limiter.chargeOrThrow(
      `${FLOW}:start`,
      account.id,
      CHALLENGE_SEND_LIMIT.limit,
      CHALLENGE_SEND_LIMIT.seconds,
    );
    return this.flowTickets.open(me, FLOW, TICKET_SECONDS, async (first, ticket) => {
      const sent = await this.send(first, ticket, origin);
      const { expiresAt, resendAt } = codeTimes(sent);
      const state: State = { sent, lastSent: sent, verified: null };
      return { state, result: { ticket, code_expires_at: expiresAt, resend_available_at: resendAt } };
    });
  }

  private send({ tx, account, now }: Pick<FlowStep<State>, 'tx' | 'account' | 'now'>, ticket: string, origin: Origin) {
    if (account.email === null) throw validationError('email', 'USER_DOES_NOT_HAVE_AN_EMAIL_ADDRESS');
    return this.emailedCodes.send(tx, now, codeContext(ticket), {
      type: 'backup_codes_challenge',
      to: account.email,
      accountId: account.id,
      client: describeClient(origin),
    });
  }

  /** Resends a code. The proof of an earlier code becomes invalid. */
  resend(me: SessionIdentity, ticket: string, origin: Origin): Promise<void> {
    return this.flowTickets.resend(me, FLOW, ticket, {
      assertAllowed: ({ state, now }) => this.emailedCodes.assertMayResend(state.lastSent, now),
      charge: () =>
        this.limiter.chargeOrThrow(
          `${FLOW}:resend`,
          me.account.id,
          CHALLENGE_SEND_LIMIT.limit,
          CHALLENGE_SEND_LIMIT.seconds,
        ),
      send: async (step) => {
        const sent = await this.send(step, ticket, origin);
        return { sent, lastSent: sent, verified: null };
      },
    });
  }

  async verify(me: SessionIdentity, { ticket, code }: MailedCodeInput) {
    await this.chargeAttempt('verify', ticket);
    return this.flowTickets.step(me, FLOW, ticket, async ({ tx, account, state, now, save }: FlowStep<State>) => {
      this.emailedCodes.assertCorrectCode(state.sent ?? undefined, now, codeContext(ticket), code);
      const { sentAt } = state.lastSent;
      await save({ sent: null, verified: sentAt });
      return {
        backup_codes: await this.backupCodes.list(account, tx),
        verification_proof: this.emailedCodes.createProof(proofContext(ticket, sentAt)),
      };
    });
  }

  async regenerate(me: SessionIdentity, input: RegenerateInput, origin: Origin) {
    const { ticket, verification_proof: proof } = input;
    await this.chargeAttempt('regenerate', ticket);
    return this.flowTickets.step(me, FLOW, ticket, async ({ tx, account, state }: FlowStep<State>) => {
      assertHasFactor(account);
      if (state.verified === null) throw validationError('verification_proof', 'INVALID_OR_EXPIRED_TICKET');
      this.emailedCodes.assertProof(proofContext(ticket, state.verified), proof, 'verification_proof');
      return { backup_codes: await this.backupCodes.regenerateInTransaction(tx, account, origin) };
    });
  }

  private async chargeAttempt(what: 'verify' | 'regenerate', ticket: string): Promise<void> {
    const key = digest(ticket).toString('base64url');
    await this.limiter.chargeOrThrow(
      `${FLOW}:${what}`,
      key,
      CHALLENGE_ATTEMPT_LIMIT.limit,
      CHALLENGE_ATTEMPT_LIMIT.seconds,
    );
  }
}
