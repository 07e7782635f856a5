import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import { OneTimeSecrets } from '../../auth/secrets/one-time-secrets.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import type { SecretPayload } from '../../core/names.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';

/** Multi-step flows. A ticket is only valid in its own flow. */
export type EmailCodeFlow = 'email-change' | 'bounced-email-change' | 'password-change' | 'backup-codes-challenge';

/** State of every ticket: whether it was already used. */
export type TicketState = {
  readonly completed?: boolean;
};

/** One step of a flow. Account and ticket stay locked until it ends. */
export interface FlowStep<S> {
  readonly tx: Tx;
  readonly account: Account;
  readonly state: S;
  /** Time of the database. */
  readonly now: Date;
  save(changes: Partial<S>): Promise<void>;
}

/**
 * How a flow resends a code: check whether it is allowed, apply the rate limits, send the code and return the changed
 * state.
 */
export interface FlowResend<S, C> {
  assertAllowed(step: FlowStep<S>): void;
  charge(state: S): Promise<C>;
  send(step: FlowStep<S>, charged: C): Promise<Partial<S>>;
}

const unknownTicketError = () => validationError('ticket', 'INVALID_OR_EXPIRED_TICKET');

/** Tickets of flows that emailed codes confirm (account.md 1.4). A ticket is a UUIDv4 and bound to its owner. */
@Injectable()
export class FlowTickets {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly callerGuard: CallerGuard,
  ) {}

  /** Starts a flow with its first step, `first`. Returns the result of that step, which contains the ticket. */
  open<F extends EmailCodeFlow, T>(
    me: SessionIdentity,
    flow: F,
    seconds: number,
    first: (
      step: Omit<FlowStep<SecretPayload<F>>, 'state' | 'save'>,
      ticket: string,
    ) => Promise<{ state: SecretPayload<F>; result: T }>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const account = await this.lockAccount(tx, me);
      const [row] = await tx.query<[{ now: Date }]>('SELECT now() AS now');
      const ticket = randomUUID();
      const { state, result } = await first({ tx, account, now: row.now }, ticket);
      await this.secrets.issue(flow, account, state, seconds, { tx, secret: ticket });
      return result;
    });
  }

  /**
   * Runs one step of a flow. If `work` throws, nothing is changed.
   * @throws ApiError FV(INVALID_OR_EXPIRED_TICKET@ticket), FV(TICKET_ALREADY_COMPLETED@ticket)
   */
  step<F extends EmailCodeFlow, T>(
    me: SessionIdentity,
    flow: F,
    ticket: string,
    work: (step: FlowStep<SecretPayload<F>>) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const account = await this.lockAccount(tx, me);
      if (await this.secrets.hasPayload(flow, ticket, { completed: true }, account, tx)) {
        throw validationError('ticket', 'TICKET_ALREADY_COMPLETED');
      }
      const held = await this.secrets.lock(flow, ticket, tx);
      if (held?.subject !== account.id) throw unknownTicketError();
      const save = async (changes: Partial<SecretPayload<F>>) => {
        await this.secrets.change(flow, ticket, [{}, changes], { tx });
      };
      return work({ tx, account, state: held.payload, now: held.readAt, save });
    });
  }

  /**
   * Resends a code. A first step checks the ticket before the charge, so that a rejected ticket costs no allowance.
   * @throws ApiError as `step`, and the errors of the check and of the charge
   */
  async resend<F extends EmailCodeFlow, C = void>(
    me: SessionIdentity,
    flow: F,
    ticket: string,
    { assertAllowed, charge, send }: FlowResend<SecretPayload<F>, C>,
  ): Promise<void> {
    const state = await this.step(me, flow, ticket, async (step) => {
      assertAllowed(step);
      return step.state;
    });
    const charged = await charge(state);
    await this.step(me, flow, ticket, async (step) => {
      assertAllowed(step);
      await step.save(await send(step, charged));
    });
  }

  /** @throws ApiError ACCESS_DENIED for a deleted account (source.md 5.9) */
  private async lockAccount(tx: Tx, me: SessionIdentity): Promise<Account> {
    const account = await this.callerGuard.lockCaller(tx, me);
    if (isDeletedOrScheduled(account)) throw new ApiError('ACCESS_DENIED');
    return account;
  }
}
