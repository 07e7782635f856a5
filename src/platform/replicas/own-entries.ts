import { randomBytes } from 'node:crypto';

interface Unread {
  left: number;
  isCommitted: boolean;
  /** What delivered the entries: the commit, or a read that was faster than the response to the commit. */
  deliveredBy: 'commit' | 'read' | undefined;
}

/** The entries that this process wrote and has not read back yet, by transaction. */
export class OwnEntries {
  private readonly process = randomBytes(6).toString('base64url');
  private count = 0;
  private readonly unread = new Map<string, Unread>();

  /** Returns a name for a transaction that is about to write this many entries. */
  add(entries: number): string {
    const origin = `${this.process}.${(this.count++).toString(36)}`;
    this.unread.set(origin, { left: entries, isCommitted: false, deliveredBy: undefined });
    return origin;
  }

  /** Forgets a transaction whose outcome is unknown. Its entries are then treated like any other. */
  forget(origin: string): void {
    this.unread.delete(origin);
  }

  clear(): void {
    this.unread.clear();
  }

  /** Records the commit. Returns whether a read has already delivered entries, and will deliver the others. */
  commit(origin: string): boolean {
    const own = this.unread.get(origin);
    if (!own) return false;
    own.isCommitted = true;
    own.deliveredBy ??= 'commit';
    this.removeIfDone(origin, own);
    return own.deliveredBy === 'read';
  }

  /** Whether an entry that was just read has already been delivered. */
  wasDelivered(origin: string | null): boolean {
    const own = origin === null ? undefined : this.unread.get(origin);
    if (!own || origin === null) return false;
    own.left--;
    own.deliveredBy ??= 'read';
    this.removeIfDone(origin, own);
    return own.deliveredBy === 'commit';
  }

  private removeIfDone(origin: string, { left, isCommitted }: Unread): void {
    if (left === 0 && isCommitted) this.unread.delete(origin);
  }
}
