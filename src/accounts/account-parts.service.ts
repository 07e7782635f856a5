import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';

/** Removes what one area keeps of an account. */
export type Removal = (tx: Tx, accountId: string) => Promise<void>;

/** Reads what one area keeps of an account, as JSON; never a secret, nor a digest or a key. */
export type Reading = (tx: Tx, accountId: string) => Promise<unknown>;

/** What every area keeps of an account, the account of a bot included. */
@Injectable()
export class AccountParts {
  private readonly removals: Removal[] = [];
  private readonly readings = new Map<string, Reading>();

  /** Adds what is to be removed together with an account, before the account itself is erased or handed over. */
  alsoRemove(removal: Removal): void {
    this.removals.push(removal);
  }

  /**
   * Adds what is told of an account when it is exported, under a name of its own.
   * @throws Error when another part has the name
   */
  alsoExport(name: string, reading: Reading): void {
    if (this.readings.has(name)) throw new Error(`a part called ${name} is exported already`);
    this.readings.set(name, reading);
  }

  /** What was added, by name. */
  async read(tx: Tx, accountId: string): Promise<Record<string, unknown>> {
    const parts: Record<string, unknown> = {};
    for (const [name, reading] of this.readings) parts[name] = await reading(tx, accountId);
    return parts;
  }

  /** Of an account that `tx` holds. What was added last may stand on what was added before: it goes first. */
  async remove(tx: Tx, accountId: string): Promise<void> {
    for (const removal of this.removals.toReversed()) await removal(tx, accountId);
  }
}
