import { randomBytes } from 'node:crypto';

interface Unread {
  left: number;
  isDelivered: boolean;
}

/** The entries that this process wrote and has not read back yet, by transaction. */
export class OwnEntries {
  private readonly process = randomBytes(6).toString('base64url');
  private count = 0;
  private readonly unread = new Map<string, Unread>();

  /** Returns a name for a transaction that is about to write this many entries. */
  add(entries: number): string {
    const origin = `${this.process}.${(this.count++).toString(36)}`;
    this.unread.set(origin, { left: entries, isDelivered: false });
    return origin;
  }

  /** Forgets a transaction whose outcome is unknown. Its entries are then treated like any other. */
  forget(origin: string): void {
    this.unread.delete(origin);
  }

  clear(): void {
    this.unread.clear();
  }

  /** Records that entries were delivered before they were read. */
  markDelivered(origin: string): void {
    const own = this.unread.get(origin);
    if (own) own.isDelivered = true;
  }

  /** Whether an entry that was just read has already been delivered. */
  wasDelivered(origin: string | null): boolean {
    const own = origin === null ? undefined : this.unread.get(origin);
    if (!own || origin === null) return false;
    own.left--;
    if (own.left === 0) this.unread.delete(origin);
    return own.isDelivered;
  }
}
