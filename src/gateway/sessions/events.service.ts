import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import { isTransientDatabaseError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import type { Tx } from '../../platform/database/database.js';
import type { JournalRow } from '../../platform/replicas/journal.js';
import { Replica } from '../../platform/replicas/replica.js';
import { OwnViews } from '../../users/profile/own-views.service.js';
import { eventOf, type Heard, numbered } from '../protocol/event.js';
import type { EventType, EventTypes } from '../protocol/event-types.js';
import { Pace } from '../sending/loop.pace.js';
import type { AccountSessions } from './account-sessions.js';
import { LiveSessions } from './live-sessions.service.js';

/** The token of a login session was replaced: its sockets end. */
const ROTATION = 'AUTH_SESSION_CHANGE';
/** How long an event is tried to be read, while the later ones of its account wait. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 250;
/** How long events are given to sessions before others have a turn of the event loop. */
const DISPATCHING_MS = 10;

/** What a notice of an event carries: the data itself where it is small and public, else ids to read it by. */
export interface EventNotice {
  readonly type: EventType;
  readonly account_id: string;
  readonly d?: unknown;
  readonly [id: string]: unknown;
}

/** Reads the data of an event; `undefined` when there is nothing left to tell. */
export type EventReader<T extends EventType = EventType> = (notice: EventNotice) => Promise<EventTypes[T] | undefined>;

/** Events on their way from a commit to the gateway sessions of an account (contract/gateway.md section 11). */
@Injectable()
export class GatewayEvents implements OnModuleInit {
  private readonly readers = new Map<string, EventReader>();
  /** The last event of each account that is still being read: later ones follow it. */
  private readonly underway = new Map<string, Promise<void>>();
  private readonly pace = new Pace(DISPATCHING_MS);

  constructor(
    private readonly replica: Replica,
    private readonly sessions: LiveSessions,
    private readonly accounts: AccountService,
    private readonly views: OwnViews,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.replica.follow('event', (row) => this.hear(row));
    this.replica.on('event', (notice) => this.hearRotation(notice as EventNotice));
    this.replica.on('gap', () => this.sessions.breakReplay());
    this.reader('USER_UPDATE', async ({ account_id }) => {
      const account = await this.accounts.find(account_id);
      return account ? privateUserView(account) : undefined;
    });
    this.reader('USER_SETTINGS_UPDATE', ({ account_id }) => this.views.settings(account_id));
    this.reader('WEBAUTHN_CREDENTIALS_UPDATE', ({ account_id }) => this.views.passkeys(account_id));
  }

  /**
   * Announces an event to all sessions of an account, on every replica, once `tx` is committed. A notice goes through the
   * database: it holds no secret; whatever is larger than a few ids is left to a reader.
   */
  announce(tx: Tx, notice: EventNotice): Promise<void> {
    return this.replica.announce(tx, { topic: 'event', data: notice });
  }

  /** How the data of events of a type is read where notices carry none. */
  reader<T extends EventType>(type: T, read: EventReader<T>): void {
    if (this.readers.has(type)) throw new Error(`events of type ${type} have a reader`);
    this.readers.set(type, read);
  }

  /** Events of one account are sent in the order of their commits, however long each takes to read. */
  private hear(row: JournalRow): void {
    const accountId = String(row.accountId);
    const account = this.sessions.of(accountId);
    if (!account) return;
    const before = this.underway.get(accountId) ?? Promise.resolve();
    const turn = before
      .then(() => this.tell(account, row))
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

  private async tell(account: AccountSessions, row: JournalRow): Promise<void> {
    const rows = await this.upTo(account, row);
    for (const each of rows) {
      account.heard = { number: Number(each.number), id: each.id };
      const heard = await this.heardAtLast(each);
      await this.pace.turn();
      if (heard) account.dispatch(heard);
      // An event that cannot be read is missing from the order: nobody resumes past it.
      else this.sessions.breakReplay(account.id);
    }
  }

  /** The event with those before it that were passed over, if it is none that was heard already. */
  private async upTo({ id, heard }: AccountSessions, row: JournalRow): Promise<JournalRow[]> {
    const number = Number(row.number);
    if (!heard || number === heard.number + 1) return [row];
    if (row.id <= heard.id) return [];
    const missed = number > heard.number ? await this.since(id, heard.number) : null;
    if (missed) return missed.filter((each) => Number(each.number) <= number);
    // The database has forgotten events, or some were removed unread.
    this.sessions.breakReplay(id);
    return [row];
  }

  private since(accountId: string, number: number): Promise<JournalRow[] | null> {
    return this.replica.eventsSince(accountId, number).catch((error) => {
      this.log.error('events that were missed could not be read', { error });
      return null;
    });
  }

  /** A database that is slow or away for a while costs sessions time, not their events. */
  private async heardAtLast(row: JournalRow): Promise<Heard | null> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.heardOf(row);
      } catch (error) {
        if (performance.now() > until) {
          this.log.error('an event could not be read in time', { type: (row.data as EventNotice).type, error });
          return null;
        }
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  /**
   * An event as sessions take it; null if it cannot be read.
   * @throws what the database answers while it cannot be asked
   */
  async heardOf({ number, data }: JournalRow): Promise<Heard | null> {
    const notice = data as EventNotice;
    try {
      const d = await this.read(notice);
      return numbered(Number(number), d === undefined ? null : eventOf(notice.type, d as never));
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

  /** Like a revocation it waits for no other event, and is over before the operation answers. */
  private async hearRotation({ type, session_id, d }: EventNotice): Promise<void> {
    if (type === ROTATION) await this.sessions.rotated(String(session_id), d as EventTypes[typeof ROTATION]);
  }
}
