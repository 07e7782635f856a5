import { reportFailure } from '../../core/uncaught-errors.js';
import type { JournalRow } from '../../platform/replicas/journal.js';
import type { AccountSessions } from './account-sessions.js';

/** Maximum size of all events that wait in memory for their dispatch. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Memory for a row without its data. */
const ROW_BYTES = 512;

/** Events that wait outside of memory. They are read from the journal when it is their turn. */
export interface UnreadEvents {
  readonly first: number;
  readonly last: number;
  /** The journal ID of the last event. */
  readonly lastId: number;
}

interface Waiting {
  rows: JournalRow[];
  /** Later than `rows`. */
  unread: UnreadEvents | null;
}

interface Dispatcher {
  dispatch(account: AccountSessions, row: JournalRow): Promise<void>;
  dispatchUnread(account: AccountSessions, unread: UnreadEvents): Promise<void>;
  /** Called if one of the two fails. The next events are dispatched nevertheless. */
  onFailure(account: AccountSessions, error: unknown): void;
}

/** Received events that wait for earlier ones. Events of one account are dispatched one after the other. */
export class EventBacklog {
  private readonly accounts = new Map<AccountSessions, Waiting>();
  private waitingBytes = 0;

  constructor(private readonly dispatcher: Dispatcher) {}

  add(account: AccountSessions, row: JournalRow): void {
    const known = this.accounts.get(account);
    const waiting = known ?? { rows: [], unread: null };
    if (waiting.unread || this.waitingBytes + sizeOf(row) > MAX_WAITING_BYTES) skip(waiting, row);
    else {
      this.waitingBytes += sizeOf(row);
      waiting.rows.push(row);
    }
    if (known) return;
    this.accounts.set(account, waiting);
    this.run(account, waiting).catch(reportFailure);
  }

  private async run(account: AccountSessions, waiting: Waiting): Promise<void> {
    for (;;) {
      const { rows, unread } = waiting;
      if (rows.length > 0) {
        waiting.rows = [];
        for (const row of rows) {
          await this.attempt(account, () => this.dispatcher.dispatch(account, row));
          this.waitingBytes -= sizeOf(row);
        }
      } else if (unread) {
        waiting.unread = null;
        await this.attempt(account, () => this.dispatcher.dispatchUnread(account, unread));
      } else {
        this.accounts.delete(account);
        return;
      }
    }
  }

  private async attempt(account: AccountSessions, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.dispatcher.onFailure(account, error);
    }
  }
}

const sizeOf = ({ bytes }: JournalRow): number => ROW_BYTES + bytes;

/** Keeps only the position of an event. */
function skip(waiting: Waiting, { id, number: received }: JournalRow): void {
  const number = Number(received);
  const { first, last, lastId } = waiting.unread ?? { first: number, last: number, lastId: id };
  waiting.unread = { first: Math.min(first, number), last: Math.max(last, number), lastId: Math.max(lastId, id) };
}
