import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { StoredEpochs } from '../../accounts/account-snapshot.js';
import { ApiError } from '../../core/errors.js';
import { randomLetters } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { type IssuedSecret, OneTimeSecrets } from './one-time-secrets.service.js';

const MAILED_TOKEN_LENGTH = 64;

type MailedPurpose = 'email-verification' | 'password-reset' | 'email-revert' | 'lockdown';

/** A valid token and the account that it was issued to. */
export interface MailedToken {
  readonly account: Account;
  readonly issued: IssuedSecret;
}

/** Tokens of links in emails: 64 letters and digits that work once, for one account. */
@Injectable()
export class MailedTokens {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
  ) {}

  issue(tx: Tx, purpose: MailedPurpose, owner: StoredEpochs, payload: Record<string, unknown>, seconds: number) {
    return this.secrets.issue(purpose, owner, payload, seconds, { tx, secret: randomLetters(MAILED_TOKEN_LENGTH) });
  }

  /** Returns `null` for a token that is unknown, used, expired or of a deleted account. */
  async find(purpose: MailedPurpose, token: string): Promise<MailedToken | null> {
    const issued = await this.secrets.peek(purpose, token);
    const account = issued && (await this.accounts.find(issued.subject));
    return account && !isDeletedOrScheduled(account) ? { account, issued } : null;
  }

  /** @throws ApiError the error of `unknown`; BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED */
  async require(purpose: MailedPurpose, token: string, unknown: () => ApiError): Promise<MailedToken> {
    const held = await this.find(purpose, token);
    if (!held) throw unknown();
    assertNotBot(held.account);
    return held;
  }

  /**
   * Spends a token and runs `work` in one transaction. Exactly one of parallel requests succeeds, and the token is not
   * spent if `work` throws. Locks the account first, like all operations, so that two tokens of one account cannot
   * deadlock.
   * @throws ApiError the error of `unknown`; BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED
   */
  redeem<T>(
    purpose: MailedPurpose,
    token: string,
    { account: { id } }: MailedToken,
    unknown: () => ApiError,
    work: (tx: Tx, held: MailedToken) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.lock(tx, id);
      if (!account || isDeletedOrScheduled(account)) throw unknown();
      const issued = await this.secrets.consume(purpose, token, tx);
      if (!issued) throw unknown();
      assertNotBot(account);
      return work(tx, { account, issued });
    });
  }
}

/** Operations that look up an account by email address or token reject bots (source.md 5.3.4). */
export function assertNotBot(account: Pick<Account, 'bot'>): void {
  if (account.bot) throw new ApiError('BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED');
}
