import { randomBytes } from 'node:crypto';

interface Unread {
  left: number;
  isDelivered: boolean;
}

/** The entries of this process that it has not read yet, by the names of their transactions. */
export class OwnEntries {
  private readonly process = randomBytes(6).toString('base64url');
  private count = 0;
  private readonly unread = new Map<string, Unread>();

  /** A name for a transaction that is about to write so many of them. */
  add(entries: number): string {
    const origin = `${this.process}.${(this.count++).toString(36)}`;
    this.unread.set(origin, { left: entries, isDelivered: false });
    return origin;
  }

  /** Of a transaction that may have come to nothing. If it did not, its entries are those of anybody. */
  forget(origin: string): void {
    this.unread.delete(origin);
  }

  clear(): void {
    this.unread.clear();
  }

  /** They are delivered before they are read. */
  markDelivered(origin: string): void {
    const own = this.unread.get(origin);
    if (own) own.isDelivered = true;
  }

  /** Whether an entry that is read now was delivered already. */
  wasDelivered(origin: string | null): boolean {
    const own = origin === null ? undefined : this.unread.get(origin);
    if (!own || origin === null) return false;
    own.left--;
    if (own.left === 0) this.unread.delete(origin);
    return own.isDelivered;
  }
}
