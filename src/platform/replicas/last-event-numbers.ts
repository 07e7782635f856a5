import { batchById } from '../database/batcher.js';
import type { JournalRow } from './journal.js';

const MAX_CACHED_ACCOUNTS = 10_000;

interface LastNumber {
  number: number;
  /** Whether the number was also read from the database. */
  isLoaded: boolean;
}

/**
 * Numbers of the last events of accounts: read once from the database, then updated from the journal. A client that
 * starts after such a number receives every later event.
 */
export class LastEventNumbers {
  private readonly accounts = new Map<string, LastNumber>();
  private readonly read: (accountId: string) => Promise<number | undefined>;

  constructor(read: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, number>>) {
    this.read = batchById(read);
  }

  update({ accountId, number }: Pick<JournalRow, 'accountId' | 'number'>): void {
    const last = accountId === null ? undefined : this.accounts.get(accountId);
    if (last && number !== null) last.number = Math.max(last.number, number);
  }

  async get(accountId: string): Promise<number> {
    const known = this.accounts.get(accountId);
    if (known?.isLoaded) return known.number;
    const last = known ?? { number: 0, isLoaded: false };
    this.accounts.set(accountId, last);
    const number = (await this.read(accountId)) ?? 0;
    last.number = Math.max(last.number, number);
    last.isLoaded = true;
    for (const [oldest] of this.accounts) {
      if (this.accounts.size <= MAX_CACHED_ACCOUNTS) break;
      this.accounts.delete(oldest);
    }
    return last.number;
  }

  /** Called if journal entries were lost unread. */
  clear(): void {
    this.accounts.clear();
  }
}
