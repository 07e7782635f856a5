import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isGone } from '../auth/issuance.service.js';
import { OneTimeSecrets } from '../auth/one-time-secrets.service.js';
import { invalid, Refusal } from '../errors.js';
import { Database, type Tx } from '../platform/database.js';
import type { Account } from '../policy/identity.js';
import { AccountService } from './account.service.js';

/** Procedures of several steps, each with tickets of its own. */
const FLOWS = ['email-change', 'bounced-email-change', 'password-change', 'backup-codes-challenge'] as const;
export type Flow = (typeof FLOWS)[number];

/** What every ticket remembers: the address that the account had when it was issued, and whether it is used up. */
export type TicketState = {
  readonly email: string | null;
  readonly completed?: boolean;
};

/** One step of a procedure: account and ticket are locked until it ends. */
export interface Step<S> {
  readonly tx: Tx;
  readonly account: Account;
  readonly state: S;
  /** The database's clock. */
  readonly now: Date;
  save(changes: Partial<S>): Promise<void>;
}

const unknown = () => invalid('ticket', 'INVALID_OR_EXPIRED_TICKET');

/** Tickets of procedures that are confirmed by mailed codes (account.md 1.4): bound to their owner, told by a UUIDv4. */
@Injectable()
export class MailTickets {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
  ) {}

  /** Opens a procedure; `first` is its first step. Returns the ticket and what the step answers. */
  open<S extends TicketState, T>(
    accountId: string,
    flow: Flow,
    seconds: number,
    first: (step: Omit<Step<S>, 'state' | 'save'>, ticket: string) => Promise<{ state: S; result: T }>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const account = await this.hold(tx, accountId);
      const [row] = await tx.query('SELECT now() AS now');
      const ticket = randomUUID();
      const { state, result } = await first({ tx, account, now: row.now }, ticket);
      await this.secrets.issue(flow, accountId, { ...state }, seconds, { tx, secret: ticket });
      return result;
    });
  }

  /**
   * Takes one step. What `work` refuses leaves everything as it was.
   * @throws Refusal FV(INVALID_OR_EXPIRED_TICKET@ticket), FV(TICKET_ALREADY_COMPLETED@ticket)
   */
  step<S extends TicketState, T>(
    accountId: string,
    flow: Flow,
    ticket: string,
    work: (step: Step<S>) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const account = await this.hold(tx, accountId);
      const held = await this.secrets.hold(flow, ticket, tx);
      const state = held?.payload as unknown as S | undefined;
      if (!held || !state || held.subject !== accountId) throw unknown();
      if (state.completed) throw invalid('ticket', 'TICKET_ALREADY_COMPLETED');
      if (state.email !== account.email) throw unknown();
      const save = async (changes: Partial<S>) => {
        await this.secrets.change(flow, ticket, [{}, { ...changes }], { tx });
      };
      return work({ tx, account, state, now: held.readAt, save });
    });
  }

  /** The address changed: what was begun for the former one is void. */
  async revokeOpen(tx: Tx, accountId: string): Promise<void> {
    for (const flow of FLOWS) await this.secrets.revokeLacking(flow, accountId, { completed: true }, tx);
  }

  /** @throws Refusal ACCESS_DENIED for a deleted account (source.md 5.9) */
  private async hold(tx: Tx, accountId: string): Promise<Account> {
    const account = await this.accounts.hold(tx, accountId);
    if (isGone(account)) throw new Refusal('ACCESS_DENIED');
    return account;
  }
}
