import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isGone } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import type { Seen } from '../../accounts/seen.js';
import { invalid, Refusal } from '../../core/errors.js';
import { digest, mintToken } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { Factors } from './factors.service.js';

const TICKET_SECONDS = 300;
/**
 * Attempts at a second factor, for one ticket and for one account (auth.md 1.5). Those of a ticket must not come back
 * while it lives, so they are refilled over a longer time.
 */
const TICKET_ATTEMPTS = { limit: 5, seconds: 3600 };
const ACCOUNT_ATTEMPTS = { limit: 10, seconds: 900 };

/** The MFA challenge as the client sees it (auth.md section 3). */
export interface MfaChallenge {
  readonly mfa: true;
  readonly ticket: string;
  readonly allowed_methods: string[];
  readonly totp: boolean;
  readonly webauthn: boolean;
  readonly backup_codes: boolean;
}

/** An open challenge: the account that it waits for, and the ticket's digest, by which the server knows it. */
export interface OpenTicket {
  readonly account: Account;
  readonly key: string;
}

/** How a challenge is answered, and who answers it. */
interface Answering {
  /** The member of the body that is at fault when it is wrong. */
  readonly member: 'code' | 'ticket';
  readonly method: 'code' | 'passkey';
  readonly origin: Origin;
}

const keyOf = (ticket: string): string => digest(ticket).toString('base64url');

/** Sign-ins that wait for their second factor (auth.md 4.3). */
@Injectable()
export class MfaTickets {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
    private readonly factors: Factors,
    private readonly limiter: Limiter,
    private readonly events: SecurityEvents,
  ) {}

  /** Opens the challenge of an account whose first factor was right, and which `tx` has locked. */
  async open(tx: Tx, account: Account): Promise<MfaChallenge> {
    const ticket = mintToken();
    await this.secrets.issue('mfa-ticket', account, {}, TICKET_SECONDS, { tx, secret: keyOf(ticket) });
    const totp = account.hasTotp;
    const webauthn = account.passkeys > 0;
    return {
      mfa: true,
      ticket,
      allowed_methods: [...(totp ? ['totp'] : []), ...(webauthn ? ['webauthn'] : [])],
      totp,
      webauthn,
      backup_codes: await this.factors.hasBackupCodes(account.id, tx),
    };
  }

  /** @throws Refusal FV(SESSION_TIMEOUT@ticket), BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED */
  async require(ticket: string): Promise<OpenTicket> {
    const open = await this.find(keyOf(ticket));
    if (!open) throw timeout();
    if (open.account.bot) throw new Refusal('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    return open;
  }

  /** The challenge that a key names, while its ticket lives and its account is there. */
  async find(key: string): Promise<OpenTicket | null> {
    const issued = await this.secrets.peek('mfa-ticket', key);
    const account = issued && (await this.accounts.find(issued.subject));
    return account && !isGone(account) ? { account, key } : null;
  }

  /**
   * Charges an attempt before it is examined, so a right answer is refused once the allowance is spent. Returns what
   * a wrong answer has to call: the last one that the ticket allows destroys it.
   * @throws Refusal FV(INVALID_CODE@member)
   */
  async charge({ account, key }: OpenTicket, member: 'code' | 'ticket'): Promise<() => Promise<void>> {
    const ofTicket = await this.limiter.charge('login:mfa:ticket', key, TICKET_ATTEMPTS.limit, TICKET_ATTEMPTS.seconds);
    if (!ofTicket.admitted) throw invalid(member, 'INVALID_CODE');
    const destroyIfLast = async () => {
      if (ofTicket.remaining === 0) await this.secrets.consume('mfa-ticket', key);
    };
    const { limit, seconds } = ACCOUNT_ATTEMPTS;
    const ofAccount = await this.limiter.charge('login:mfa:account', account.id, limit, seconds);
    if (!ofAccount.admitted) {
      await destroyIfLast();
      throw invalid(member, 'INVALID_CODE');
    }
    return destroyIfLast;
  }

  /**
   * Lets `answer` examine an answer to the challenge, once the attempt is charged, and does `then` after a right one in
   * the same transaction. Account and ticket are held meanwhile: of parallel right answers one spends the ticket, and a
   * wrong one beside it cannot destroy it first. `null`: a wrong answer.
   * @throws Refusal FV(SESSION_TIMEOUT@ticket), FV(INVALID_CODE@member)
   */
  async complete<T>(
    ticket: OpenTicket,
    { member, ...by }: Answering,
    answer: (tx: Tx) => Promise<boolean>,
    then: (tx: Tx, seen: Seen) => Promise<T>,
  ): Promise<T | null> {
    const failed = await this.charge(ticket, member);
    const result = await this.database.transaction(async (tx) => {
      await this.accounts.lock(tx, ticket.account.id);
      if (!(await this.secrets.hold('mfa-ticket', ticket.key, tx))) throw timeout();
      if (!(await answer(tx))) {
        await this.recordRefusal(tx, ticket, by);
        return null;
      }
      return then(tx, await this.spend(tx, ticket.key));
    });
    if (result === null) await failed();
    else await this.clear(ticket);
    return result;
  }

  /** Tells the owner of a right first factor that was followed by a wrong second one. */
  async recordRefusal(tx: Tx, { account }: OpenTicket, { method, origin }: Omit<Answering, 'member'>): Promise<void> {
    await this.events.record(tx, { accountId: account.id, type: 'sign_in_refused', origin, data: { method } });
  }

  /**
   * Answers the account as it was when its first factor was right.
   * @throws Refusal FV(SESSION_TIMEOUT@ticket)
   */
  async spend(tx: Tx, key: string): Promise<Seen> {
    const issued = await this.secrets.consume('mfa-ticket', key, tx);
    if (!issued?.seen) throw timeout();
    return issued.seen;
  }

  /** A right answer gives back what wrong ones had spent. */
  async clear({ account, key }: { readonly account: { readonly id: string }; readonly key: string }): Promise<void> {
    await this.limiter.clear('login:mfa:account', account.id);
    await this.limiter.clear('login:mfa:ticket', key);
  }
}

/** The answer to a ticket that is unknown, used, expired or void. */
export const timeout = (): Refusal => invalid('ticket', 'SESSION_TIMEOUT');
