import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';

/** Removes what one area keeps of an account. */
export type Removal = (tx: Tx, accountId: string) => Promise<void>;

/** What every area keeps of an account, the account of a bot included. */
@Injectable()
export class AccountParts {
  private readonly removals: Removal[] = [];

  /** Adds what is to be removed together with an account, before the account itself is erased or handed over. */
  alsoRemove(removal: Removal): void {
    this.removals.push(removal);
  }

  /** Of an account that `tx` holds. What was added last may stand on what was added before: it goes first. */
  async remove(tx: Tx, accountId: string): Promise<void> {
    for (const removal of this.removals.toReversed()) await removal(tx, accountId);
  }
}
