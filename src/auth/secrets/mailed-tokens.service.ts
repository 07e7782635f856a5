import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isGone } from '../../accounts/account-facts.js';
import type { Begun } from '../../accounts/seen.js';
import { Refusal } from '../../core/errors.js';
import { mintLetters } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { type Issued, OneTimeSecrets } from './one-time-secrets.service.js';

const LENGTH = 64;

type MailedPurpose = 'email-verification' | 'password-reset' | 'email-revert' | 'lockdown';

/** A valid token and the account that it was issued to. */
export interface Held {
  readonly account: Account;
  readonly issued: Issued;
}

/** Tokens of links in emails: 64 letters and digits that work once, for one account. */
@Injectable()
export class MailedTokens {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
  ) {}

  issue(tx: Tx, purpose: MailedPurpose, owner: Begun, payload: Record<string, unknown>, seconds: number) {
    return this.secrets.issue(purpose, owner, payload, seconds, { tx, secret: mintLetters(LENGTH) });
  }

  /** Returns `null` for a token that is unknown, used, expired or of a deleted account. */
  async find(purpose: MailedPurpose, token: string): Promise<Held | null> {
    const issued = await this.secrets.peek(purpose, token);
    const account = issued && (await this.accounts.find(issued.subject));
    return account && !isGone(account) ? { account, issued } : null;
  }

  /** @throws Refusal the error of `unknown`; BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED */
  async require(purpose: MailedPurpose, token: string, unknown: () => Refusal): Promise<Held> {
    const held = await this.find(purpose, token);
    if (!held) throw unknown();
    demandPerson(held.account);
    return held;
  }

  /**
   * Spends a token and runs `work` in one transaction. Exactly one of parallel requests succeeds, and the token is not
   * spent if `work` throws. Locks the account first, like all operations, so that two tokens of one account cannot
   * deadlock.
   * @throws Refusal the error of `unknown`; BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED
   */
  redeem<T>(
    purpose: MailedPurpose,
    token: string,
    { account: { id } }: Held,
    unknown: () => Refusal,
    work: (tx: Tx, held: Held) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.lock(tx, id);
      if (!account || isGone(account)) throw unknown();
      const issued = await this.secrets.consume(purpose, token, tx);
      if (!issued) throw unknown();
      demandPerson(account);
      return work(tx, { account, issued });
    });
  }
}

/** Operations that look up an account by email address or token reject bots (source.md 5.3.4). */
export function demandPerson(account: Pick<Account, 'bot'>): void {
  if (account.bot) throw new Refusal('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
}
