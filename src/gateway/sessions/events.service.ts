import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { isTransientDatabaseError } from '../../core/database-errors.js';
import { Log } from '../../core/log.js';
import type { EventType, EventTypes } from '../../core/merged.js';
import type { Tx } from '../../platform/database/database.js';
import type { JournalRow } from '../../platform/replicas/journal.js';
import { type EventNotice, ReplicaBus } from '../../platform/replicas/replica-bus.js';
import { OwnViews } from '../../users/profile/own-views.service.js';
import { eventOf, journalEvent, type ReceivedEvent } from '../protocol/event.js';
import { EventLoopPacer } from '../sending/event-loop-pacer.js';
import type { AccountSessions } from './account-sessions.js';
import { LiveSessions } from './live-sessions.service.js';

/** The token of a login session was rotated. Its sockets are closed. */
const ROTATION = 'AUTH_SESSION_CHANGE';
/** How long reading an event is retried. Later events of the account wait. */
const READ_TIMEOUT_MS = 60_000;
const READ_RETRY_MS = 250;
/** Maximum time spent dispatching before yielding to the event loop. */
const DISPATCH_TURN_MS = 10;

/** Reads the data of an event. Returns `undefined` if there is nothing to send. */
export type EventReader<T extends EventType = EventType> = (notice: EventNotice) => Promise<EventTypes[T] | undefined>;

/** Delivers committed events to the gateway sessions of an account (contract/gateway.md section 11). */
@Injectable()
export class GatewayEvents implements OnModuleInit {
  private readonly readers = new Map<string, EventReader>();
  /** The last event of each account that is still being read. Later events wait for it. */
  private readonly underway = new Map<string, Promise<void>>();
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
    if (this.readers.has(type)) throw new Error(`events of type ${type} have a reader`);
    this.readers.set(type, read);
  }

  /** Dispatches events of one account in commit order, regardless of how long each takes to read. */
  private onEntry(row: JournalRow): void {
    const accountId = String(row.accountId);
    const account = this.sessions.getAccount(accountId);
    if (!account) return;
    const before = this.underway.get(accountId) ?? Promise.resolve();
    const turn = before
      .then(() => this.dispatchEntry(account, row))
      .catch((error) => {
        this.log.error('an event could not be sent', { error });
        this.sessions.breakReplay(accountId);
      });
    this.underway.set(accountId, turn);
    const done = () => {
      if (this.underway.get(accountId) === turn) this.underway.delete(accountId);
    };
    turn.then(done, done);
  }

  private async dispatchEntry(account: AccountSessions, row: JournalRow): Promise<void> {
    const rows = await this.withSkippedEntries(account, row);
    for (const each of rows) {
      account.lastEvent = { number: Number(each.number), id: each.id };
      const heard = await this.readWithRetry(each);
      await this.pace.yieldIfDue();
      if (heard) account.dispatch(heard);
      // An unreadable event leaves a gap, so sessions must not resume across it.
      else this.sessions.breakReplay(account.id);
    }
  }

  /** Returns the event and any skipped events before it. Returns nothing if the event was already received. */
  private async withSkippedEntries({ id, lastEvent }: AccountSessions, row: JournalRow): Promise<JournalRow[]> {
    const number = Number(row.number);
    if (!lastEvent || number === lastEvent.number + 1) return [row];
    if (row.id <= lastEvent.id) return [];
    const missed = number > lastEvent.number ? await this.since(id, lastEvent.number) : null;
    if (missed) return missed.filter((each) => Number(each.number) <= number);
    // The database has deleted the events, or some cannot be read.
    this.sessions.breakReplay(id);
    return [row];
  }

  private since(accountId: string, number: number): Promise<JournalRow[] | null> {
    return this.replicaBus.eventsSince(accountId, number).catch((error) => {
      this.log.error('events that were missed could not be read', { error });
      return null;
    });
  }

  /** Retries while the database is slow or unavailable, so that sessions are delayed but lose no events. */
  private async readWithRetry(row: JournalRow): Promise<ReceivedEvent | null> {
    const until = performance.now() + READ_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.readEvent(row);
      } catch (error) {
        if (performance.now() > until) {
          this.log.error('an event could not be read in time', { type: (row.data as EventNotice).type, error });
          return null;
        }
      }
      await delay(READ_RETRY_MS, undefined, { ref: false });
    }
  }

  /**
   * Reads an event for dispatch. Returns null if it cannot be read.
   * @throws database errors that are transient
   */
  async readEvent({ number, data }: JournalRow): Promise<ReceivedEvent | null> {
    const notice = data as EventNotice;
    try {
      const d = await this.read(notice);
      return journalEvent(Number(number), d === undefined ? null : eventOf(notice.type, d as never));
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      this.log.error('an event could not be sent', { type: notice.type, error });
      return null;
    }
  }

  private async read(notice: EventNotice): Promise<unknown> {
    if (notice.type === ROTATION) return undefined;
    if ('d' in notice) return notice.d;
    const read = this.readers.get(notice.type);
    if (!read) throw new Error(`events of type ${notice.type} have neither data nor a reader`);
    return read(notice);
  }

  /**
   * Handles a token rotation. Like a revocation, it does not wait for other events and finishes before the operation
   * responds.
   */
  private async onRotation({ type, session_id, d }: EventNotice): Promise<void> {
    if (type === ROTATION) await this.sessions.onTokenRotated(String(session_id), d as EventTypes[typeof ROTATION]);
  }
}
