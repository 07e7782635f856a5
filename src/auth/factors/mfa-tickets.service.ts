import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { AccountSnapshot } from '../../accounts/account-snapshot.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest, mintToken } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Limiter } from '../../platform/store/limits.js';
import type { Account } from '../../policy/account.js';
import { ConnectionIdentities, type ExternalIdentity } from '../identities/connection-identities.service.js';
import { type Authentication, withSecondFactor } from '../records/authentication.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { Factors } from './factors.service.js';

const TICKET_SECONDS = 300;
/**
 * Limits for attempts at a second factor, per ticket and per account (auth.md 1.5). The refill time of a ticket is
 * longer than its lifetime, so its attempts do not come back.
 */
const TICKET_ATTEMPTS = { limit: 5, seconds: 3600 };
export const ACCOUNT_ATTEMPTS = { limit: 10, seconds: 900 };

/** The MFA challenge in a response (auth.md section 3). */
export interface MfaChallenge {
  readonly mfa: true;
  readonly ticket: string;
  readonly allowed_methods: string[];
  readonly totp: boolean;
  readonly webauthn: boolean;
  readonly backup_codes: boolean;
}

/** An open challenge: its account and the digest of its ticket, which is the key of the stored secret. */
export interface OpenTicket {
  readonly account: Account;
  readonly key: string;
}

/** How a challenge is answered, and by which client. */
interface FactorAttempt {
  /** The member of the body that an error names. */
  readonly member: 'code' | 'ticket';
  readonly method: 'code' | 'passkey';
  readonly origin: Origin;
}

declare module '../../core/merged.js' {
  interface SecretPayloads {
    /** The methods of the first factor, and the identity that the completion links (connections.md section 2). */
    'mfa-ticket': { readonly amr?: readonly string[]; readonly link?: ExternalIdentity };
  }
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
    private readonly identities: ConnectionIdentities,
  ) {}

  /**
   * Opens a challenge after the `first` factor was correct. `tx` must have locked the account. The completion links the
   * identity of `link`.
   */
  async open(tx: Tx, account: Account, first: Authentication, link?: ExternalIdentity): Promise<MfaChallenge> {
    const ticket = mintToken();
    const payload = { amr: first.amr, ...(link && { link }) };
    await this.secrets.issue('mfa-ticket', account, payload, TICKET_SECONDS, { tx, secret: keyOf(ticket) });
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

  /** @throws ApiError FV(SESSION_TIMEOUT@ticket), BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED */
  async require(ticket: string): Promise<OpenTicket> {
    const open = await this.find(keyOf(ticket));
    if (!open) throw ticketExpired();
    if (open.account.bot) throw new ApiError('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
    return open;
  }

  /** Returns the challenge with this key if its ticket is valid and its account exists. */
  async find(key: string): Promise<OpenTicket | null> {
    const issued = await this.secrets.peek('mfa-ticket', key);
    const account = issued && (await this.accounts.find(issued.subject));
    return account && !isDeletedOrScheduled(account) ? { account, key } : null;
  }

  /**
   * Charges an attempt before it is verified. A correct code is also rejected if no attempts are left. Call the
   * returned function after a wrong code. It destroys the ticket if no attempts are left.
   * @throws ApiError FV(INVALID_CODE@member)
   */
  async charge({ account, key }: OpenTicket, member: 'code' | 'ticket'): Promise<() => Promise<void>> {
    const ofTicket = await this.limiter.charge('login:mfa:ticket', key, TICKET_ATTEMPTS.limit, TICKET_ATTEMPTS.seconds);
    if (!ofTicket.admitted) throw validationError(member, 'INVALID_CODE');
    const destroyIfLast = async () => {
      if (ofTicket.remaining === 0) await this.secrets.consume('mfa-ticket', key);
    };
    const { limit, seconds } = ACCOUNT_ATTEMPTS;
    const ofAccount = await this.limiter.charge('login:mfa:account', account.id, limit, seconds);
    if (!ofAccount.admitted) {
      await destroyIfLast();
      throw validationError(member, 'INVALID_CODE');
    }
    return destroyIfLast;
  }

  /**
   * Charges an attempt and verifies it with `answer`, which returns the second factor or `null`. If it is correct, runs
   * `then` in the same transaction, with both factors. Account
   * and ticket are locked. Therefore only one of several correct attempts spends the ticket, and a parallel wrong
   * attempt cannot destroy it first. Returns `null` for a wrong attempt.
   * @throws ApiError FV(SESSION_TIMEOUT@ticket), FV(INVALID_CODE@member)
   */
  async complete<T>(
    ticket: OpenTicket,
    { member, ...by }: FactorAttempt,
    response: (tx: Tx) => Promise<Authentication | null>,
    then: (tx: Tx, seen: AccountSnapshot, authentication: Authentication) => Promise<T>,
  ): Promise<T | null> {
    const failed = await this.charge(ticket, member);
    const result = await this.database.transaction(async (tx) => {
      await this.accounts.lock(tx, ticket.account.id);
      if (!(await this.secrets.lock('mfa-ticket', ticket.key, tx))) throw ticketExpired();
      const second = await response(tx);
      if (!second) {
        await this.recordFailure(tx, ticket, by);
        return null;
      }
      const { seen, first } = await this.spend(tx, ticket.key, by.origin);
      return then(tx, seen, withSecondFactor(first, second));
    });
    if (result === null) await failed();
    else await this.resetAttempts(ticket);
    return result;
  }

  /** Records for the owner that a wrong second factor followed a correct first factor. */
  async recordFailure(
    tx: Tx,
    { account }: OpenTicket,
    { method, origin }: Omit<FactorAttempt, 'member'>,
  ): Promise<void> {
    await this.events.record(tx, { accountId: account.id, type: 'sign_in_refused', origin, data: { method } });
  }

  /**
   * Spends the ticket and links its identity, if it has one. Returns the account as it was when its first factor was
   * correct, and the methods of that factor.
   * @throws ApiError FV(SESSION_TIMEOUT@ticket)
   */
  async spend(tx: Tx, key: string, origin: Origin): Promise<{ seen: AccountSnapshot; first: readonly string[] }> {
    const issued = await this.secrets.consume('mfa-ticket', key, tx);
    if (!issued?.seen) throw ticketExpired();
    // Tickets from before this member have none.
    const { amr = [], link } = issued.payload;
    if (link) await this.linkIdentity(tx, issued.seen.accountId, link, origin);
    return { seen: issued.seen, first: amr };
  }

  /** An administrator is never linked by email address, not even if the rights are newer than the challenge. */
  private async linkIdentity(tx: Tx, accountId: string, link: ExternalIdentity, origin: Origin): Promise<void> {
    const account = await this.accounts.lock(tx, accountId);
    if (!account || account.acls.length > 0) throw ticketExpired();
    await this.identities.linkWithNotice(tx, link, account, { origin, taken: ticketExpired });
  }

  /** Resets the attempts after a correct one. */
  async resetAttempts({
    account,
    key,
  }: {
    readonly account: { readonly id: string };
    readonly key: string;
  }): Promise<void> {
    await this.limiter.reset('login:mfa:account', account.id);
    await this.limiter.reset('login:mfa:ticket', key);
  }
}

/** The error for a ticket that is unknown, used, expired or revoked. */
export const ticketExpired = (): ApiError => validationError('ticket', 'SESSION_TIMEOUT');
