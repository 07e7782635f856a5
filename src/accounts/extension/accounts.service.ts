import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { AccountService } from '../account.service.js';

/**
 * Reads accounts for extensions. Deleted accounts are also found by ID, with `deletedAt`. An account contains personal
 * data, so never return it to clients: use `partialUserView`.
 */
@Injectable()
export class Accounts {
  constructor(private readonly accounts: AccountService) {}

  /** The account with this ID. `null` if it never existed. */
  find(id: string, tx?: Tx): Promise<Account | null> {
    return this.accounts.find(id, tx);
  }

  /** The existing accounts by ID, read with one statement. */
  findMany(ids: readonly string[], tx?: Tx): Promise<Map<string, Account>> {
    return this.accounts.findAll(ids, tx);
  }

  /**
   * The account with this username, in any case, and this discriminator, such as `0042`. `null` if no account has them, or
   * if it is deleted.
   */
  findByUsername(username: string, discriminator: string, tx?: Tx): Promise<Account | null> {
    return this.accounts.findByUsername(username, Number(discriminator), tx);
  }
}
