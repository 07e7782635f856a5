import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SessionService } from '../auth/sessions.service.js';
import { Log } from '../log.js';
import type { Tx } from '../platform/database.js';
import { Replica } from '../platform/replica.js';
import { SessionStore } from '../platform/session-store.js';
import { AccountService } from '../users/account.service.js';
import { privateUserView } from '../users/account.views.js';
import { OwnViews } from '../users/own-views.service.js';
import { EventJournal, type Position } from './event-journal.js';
import { LiveSessions } from './live-sessions.service.js';
import { eventOf } from './session.js';

/** What a notice of an event carries: the data itself where it is small and public, else ids to read it by. */
export interface EventNotice {
  readonly type: string;
  readonly account_id: string;
  readonly d?: unknown;
  /** Where sessions outlive their process: which event this is. */
  readonly position?: Position;
  readonly [id: string]: unknown;
}

/** Reads the data of an event; `undefined` when there is nothing left to tell. */
export type EventReader = (notice: EventNotice) => Promise<unknown>;

/** Events on their way from a commit to the gateway sessions of an account (contract/gateway.md section 11). */
@Injectable()
export class GatewayEvents implements OnModuleInit {
  private readonly readers = new Map<string, EventReader>();
  /** The last event of each account that is still being read: later ones follow it. */
  private readonly underway = new Map<string, Promise<void>>();

  constructor(
    private readonly replica: Replica,
    private readonly sessions: LiveSessions,
    private readonly accounts: AccountService,
    private readonly views: OwnViews,
    private readonly logins: SessionService,
    private readonly log: Log,
    private readonly journal: EventJournal,
    private readonly store: SessionStore,
  ) {}

  onModuleInit(): void {
    if (this.store.isShared) {
      this.replica.prepare('event', async (tx, data) => {
        const notice = data as EventNotice;
        // Sealed for those who are connected; nobody else is told.
        if (notice.type === 'AUTH_SESSION_CHANGE') return data;
        return { ...notice, position: await this.journal.write(tx, notice) };
      });
    }
    this.replica.on('event', (notice) => this.hear(notice as EventNotice), { inOrder: true });
    this.reader('USER_UPDATE', async ({ account_id }) => {
      const account = await this.accounts.find(account_id);
      return account ? privateUserView(account) : undefined;
    });
    this.reader('USER_SETTINGS_UPDATE', ({ account_id }) => this.views.settings(account_id));
    this.reader('WEBAUTHN_CREDENTIALS_UPDATE', ({ account_id }) => this.views.passkeys(account_id));
  }

  /**
   * Announces an event to all sessions of an account, on every replica, once `tx` is committed. A notice is small
   * and goes through the database: it holds no secret; whatever is larger than a few ids is left to a reader.
   */
  announce(tx: Tx, notice: EventNotice): Promise<void> {
    return this.replica.announce(tx, { topic: 'event', data: notice });
  }

  /** How the data of events of a type is read where notices carry none. */
  reader(type: string, read: EventReader): void {
    if (this.readers.has(type)) throw new Error(`events of type ${type} have a reader`);
    this.readers.set(type, read);
  }

  /** Events of one account are sent in the order of their commits, however long each takes to read. */
  private hear(notice: EventNotice): void {
    const { account_id: accountId } = notice;
    if (this.sessions.countOf(accountId) === 0) return;
    const before = this.underway.get(accountId) ?? Promise.resolve();
    const turn = before.then(() => this.tell(notice));
    this.underway.set(accountId, turn);
    void turn.then(() => {
      if (this.underway.get(accountId) === turn) this.underway.delete(accountId);
    });
  }

  /** An event that cannot be read is missing from the order: nobody resumes past it. */
  private async tell(notice: EventNotice): Promise<void> {
    const { type, account_id: accountId } = notice;
    try {
      if (type === 'AUTH_SESSION_CHANGE') return this.tellRotation(notice);
      const d = await this.read(notice);
      if (d !== undefined) this.sessions.dispatch(accountId, eventOf(type, d), notice.position);
    } catch (error) {
      this.log.error('an event could not be sent', { type, error });
      this.sessions.breakReplay(accountId);
    }
  }

  /** The data of an event; undefined when there is nothing left to tell. */
  async read(notice: EventNotice): Promise<unknown> {
    if ('d' in notice) return notice.d;
    const read = this.readers.get(notice.type);
    if (!read) throw new Error(`events of type ${notice.type} have neither data nor a reader`);
    return read(notice);
  }

  private tellRotation({ type, session_id, sealed }: EventNotice): void {
    const change = this.logins.openRotation(String(session_id), String(sealed));
    this.sessions.dispatchToLogin(String(session_id), eventOf(type, change, true));
  }
}
