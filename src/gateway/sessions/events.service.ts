import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { isTransientDatabaseError } from '../../core/database-errors.js';
import { Log } from '../../core/log.js';
import type { EventData, EventType } from '../../core/names.js';
import type { Tx } from '../../platform/database/database.js';
import type { JournalRow } from '../../platform/replicas/journal.js';
import type { EventPage } from '../../platform/replicas/journal-pages.js';
import { type EventNotice, ReplicaBus } from '../../platform/replicas/replica-bus.js';
import { OwnViews } from '../../users/profile/own-views.service.js';
import { eventOf, journalEvent, type ReceivedEvent } from '../protocol/event.js';
import { EventLoopPacer } from '../sending/event-loop-pacer.js';
import type { AccountSessions } from './account-sessions.js';
import { EventBacklog, type UnreadEvents } from './event-backlog.js';
import { LiveSessions } from './live-sessions.service.js';

/** The token of a login session was rotated. Its sockets are closed. */
const ROTATION = 'AUTH_SESSION_CHANGE';
/** How long reading an event is retried. Later events of the account wait. */
const READ_TIMEOUT_MS = 60_000;
const READ_RETRY_MS = 250;
/** Maximum time spent dispatching before yielding to the event loop. */
const DISPATCH_TURN_MS = 10;

/** Reads the data of an event. Returns `undefined` if there is nothing to send. */
export type EventReader<T extends EventType = EventType> = (notice: EventNotice) => Promise<EventData<T> | undefined>;

/** Delivers committed events to the gateway sessions of an account (contract/gateway.md section 11). */
@Injectable()
export class GatewayEvents implements OnModuleInit {
  private readonly readers = new Map<string, EventReader>();
  private readonly backlog = new EventBacklog({
    dispatch: (account, row) => this.dispatchEntry(account, row),
    dispatchUnread: (account, unread) => this.dispatchUnread(account, unread),
    onFailure: ({ id }, error) => {
      this.log.error('sending a gateway event failed', { error });
      this.sessions.breakReplay(id);
    },
  });
  private readonly pace = new EventLoopPacer(DISPATCH_TURN_MS);

  constructor(
    private readonly replicaBus: ReplicaBus,
    private readonly sessions: LiveSessions,
    private readonly accounts: AccountService,
    private readonly views: OwnViews,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.replicaBus.follow('event', (row) => this.onEntry(row));
    this.replicaBus.on('event', (notice) => this.onRotation(notice as EventNotice));
    this.replicaBus.on('gap', () => this.sessions.breakReplay());
    this.replicaBus.on('rewound', () => this.sessions.endAll());
    this.reader('USER_UPDATE', async ({ account_id }) => {
      const account = await this.accounts.find(account_id);
      return account ? privateUserView(account) : undefined;
    });
    this.reader('USER_SETTINGS_UPDATE', ({ account_id }) => this.views.settings(account_id));
    this.reader('WEBAUTHN_CREDENTIALS_UPDATE', ({ account_id }) => this.views.passkeys(account_id));
  }

  /**
   * Announces an event to all sessions of an account on every replica after `tx` commits.
   * Notices pass through the database, so they must not contain secrets. Data larger than a few IDs is left to a
   * reader.
   */
  announce<T extends EventType>(tx: Tx, notice: EventNotice<T>): Promise<void> {
    return this.replicaBus.announceEvent(tx, notice);
  }

  /** Registers how to read the data of an event type if notices contain none. */
  reader<T extends EventType>(type: T, read: EventReader<T>): void {
    if (this.readers.has(type)) throw new Error(`Events of type ${type} already have a reader`);
    this.readers.set(type, read);
  }

  /** Dispatches events of one account in commit order, regardless of how long each takes to read. */
  private onEntry(row: JournalRow): void {
    const account = this.sessions.getAccount(String(row.accountId));
    if (account) this.backlog.add(account, row);
  }

  /** Dispatches the event and any skipped events before it. Does nothing if the event was already received. */
  private async dispatchEntry(account: AccountSessions, row: JournalRow): Promise<void> {
    const { lastEvent } = account;
    const number = Number(row.number);
    if (!lastEvent || number === lastEvent.number + 1) return this.dispatchRow(account, row);
    if (row.id <= lastEvent.id) return;
    if (number > lastEvent.number && (await this.dispatchAfter(account, lastEvent.number, number))) return;
    this.sessions.breakReplay(account.id);
    await this.dispatchRow(account, row);
  }

  private async dispatchUnread(account: AccountSessions, { first, last, lastId }: UnreadEvents): Promise<void> {
    const { lastEvent } = account;
    if (lastEvent && lastId <= lastEvent.id) return;
    const isNext = lastEvent !== null && lastEvent.number < last;
    const isWhole = await this.dispatchAfter(account, isNext ? lastEvent.number : first - 1, last);
    if (isWhole && (isNext || !lastEvent)) return;
    this.sessions.breakReplay(account.id);
    account.lastEvent = { number: last, id: lastId };
  }

  /**
   * Reads the events after a number from the journal, and dispatches them page by page.
   * Returns false if the database has deleted some of them, or they cannot be read.
   */
  private async dispatchAfter(account: AccountSessions, number: number, last: number): Promise<boolean> {
    let position = number;
    while (position < last && account.sessions.size > 0) {
      const page = await this.pageAfter(account.id, position);
      if (!page) return false;
      for (const row of page.rows) {
        position = Number(row.number);
        if (position <= last) await this.dispatchRow(account, row);
      }
    }
    return true;
  }

  private pageAfter(accountId: string, number: number): Promise<EventPage | null> {
    return this.withRetry(() => this.replicaBus.eventsAfter(accountId, number)).catch((error) => {
      this.log.error('reading missed gateway events failed', { error });
      return null;
    });
  }

  private async dispatchRow(account: AccountSessions, row: JournalRow): Promise<void> {
    account.lastEvent = { number: Number(row.number), id: row.id };
    const received = await this.withRetry(() => this.readEvent(row)).catch((error) => {
      this.log.error('reading a gateway event failed or timed out', { type: (row.data as EventNotice).type, error });
      return null;
    });
    // An unreadable event leaves a gap, so sessions must not resume across it.
    if (!received) return this.sessions.breakReplay(account.id);
    account.dispatch(received);
    await account.writer?.waitIfBusy();
  }

  /** Retries while the database is slow or unavailable, so that sessions are delayed but lose no events. */
  private async withRetry<T>(read: () => Promise<T>): Promise<T> {
    const until = performance.now() + READ_TIMEOUT_MS;
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (performance.now() > until) throw error;
      }
      await delay(READ_RETRY_MS, undefined, { ref: false });
    }
  }

  /**
   * Reads an event for dispatch. Returns null if it cannot be read.
   * @throws database errors that are transient
   * @internal
   */
  async readEvent({ number, data }: JournalRow): Promise<ReceivedEvent | null> {
    await this.pace.yieldIfDue();
    const notice = data as EventNotice;
    try {
      const d = await this.read(notice);
      return journalEvent(Number(number), d === undefined ? null : eventOf(notice.type, d as EventData<EventType>));
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      this.log.error('sending a gateway event failed', { type: notice.type, error });
      return null;
    }
  }

  private async read(notice: EventNotice): Promise<unknown> {
    if (notice.type === ROTATION) return undefined;
    if ('d' in notice) return notice.d;
    const read = this.readers.get(notice.type);
    if (!read) throw new Error(`Events of type ${notice.type} have neither data nor a reader. Register a reader`);
    return read(notice);
  }

  /**
   * Handles a token rotation. Like a revocation, it does not wait for other events and finishes before the operation
   * responds.
   */
  private async onRotation({ type, session_id, d }: EventNotice): Promise<void> {
    if (type === ROTATION) await this.sessions.onTokenRotated(String(session_id), d as EventData<typeof ROTATION>);
  }
}
