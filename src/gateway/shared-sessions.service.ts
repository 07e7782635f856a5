import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config.js';
import { Log } from '../log.js';
import { Background } from '../platform/background.js';
import { Database } from '../platform/database.js';
import { Replica } from '../platform/replica.js';
import { type Handover, SessionStore } from '../platform/session-store.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import { Cursor, EventJournal } from './event-journal.js';
import { GatewayEvents } from './events.service.js';
import { LiveSessions } from './live-sessions.service.js';
import { bindingOf, eventOf, GatewaySession } from './session.js';
import { type Heard, SessionWriter, type WriterHost } from './session-writer.js';

/** The session that a Resume asks for, or why it gets none; `moved`: another Resume has it. */
export type Found = GatewaySession | 'moved' | 'unknown' | 'foreign' | 'impossible' | 'evicted';

const SESSION_ID = /^[0-9a-f]{32}$/;
const RETRY_MS = 500;
const RENEWED_AT_ONCE = 200;

/**
 * Gateway sessions that any replica can go on with (contract/gateway.md section 13): created in the store, renewed,
 * taken over with the events that happened meanwhile, and given up when another replica has them.
 */
@Injectable()
export class SharedSessions implements OnModuleInit, WriterHost {
  private readonly underway = new Set<Promise<void>>();
  private readonly untold = new Set<string>();
  /** Accounts whose sessions are about to be told of each other. */
  private readonly telling = new Set<string>();
  private renewAt = Number.NEGATIVE_INFINITY;
  private isRenewing = false;
  private isLeaving = false;

  constructor(
    readonly store: SessionStore,
    private readonly sessions: LiveSessions,
    private readonly events: GatewayEvents,
    private readonly journal: EventJournal,
    private readonly replica: Replica,
    private readonly database: Database,
    private readonly background: Background,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    if (!this.store.isShared) return;
    this.sessions.tellOthers = (accountId) => {
      if (this.telling.has(accountId)) return;
      this.telling.add(accountId);
      this.background.run('telling of gateway sessions', () => this.tell(accountId));
    };
    this.events.reader('SESSIONS_REPLACE', ({ account_id }) => this.list(account_id));
    const moved = ({ id, fence }: Record<string, unknown>) => {
      const session = this.sessions.find(String(id));
      if (session && session.fence < Number(fence)) this.moved(session);
    };
    this.replica.on('session-moved', moved, { early: true });
  }

  /** An event like any other, once the store knows all that there is to tell. */
  private async tell(accountId: string): Promise<void> {
    await Promise.all(this.underway);
    this.telling.delete(accountId);
    try {
      await this.database.transaction((tx) =>
        this.events.announce(tx, { type: 'SESSIONS_REPLACE', account_id: accountId }),
      );
    } catch (error) {
      this.untold.add(accountId);
      throw error;
    }
  }

  /** What cannot be told now is told with a later renewal: only the last list counts. */
  private async list(accountId: string): Promise<object[] | undefined> {
    try {
      return await this.sessions.listOf(accountId);
    } catch {
      this.untold.add(accountId);
      return undefined;
    }
  }

  /** What the new session hears of from now on waits until it is stored. */
  attach(session: GatewaySession): void {
    if (this.store.isShared) session.writer = new SessionWriter(session, this);
  }

  /**
   * Stores a session that starts: from here on it misses no event, whoever serves it. False: the account has its limit
   * of sessions.
   */
  async begin(session: GatewaySession, identity: SessionIdentity | BotIdentity, limit: number): Promise<boolean> {
    const { id, accountId, via, credentialId, writer } = session;
    const { mobile, ignored, shard } = session.wishes;
    if (!writer) return true;
    const login = via === 'session' ? credentialId : null;
    const wishes = JSON.stringify({ mobile, ignored: [...ignored], shard });
    const record = { id, account: accountId, login, binding: bindingOf(identity), wishes };
    if (!(await this.store.create(record, limit))) return false;
    writer.begin(await this.journal.cursor(accountId), []);
    await writer.settled();
    if (session.writer !== writer) throw new Error('the session could not be stored');
    return true;
  }

  /** The session for a Resume, moved here if another replica had it; `held`: it is here if it is anywhere. */
  async find(id: string, identity: SessionIdentity | BotIdentity, seq: number): Promise<Found | 'held'> {
    if (!this.store.isShared) return 'held';
    if (!SESSION_ID.test(id)) return 'unknown';
    if (await this.journal.isLost(identity.account.id, id)) return 'unknown';
    const local = this.sessions.find(id);
    const fence = local?.fence ?? 0;
    const claim = await this.store.claim({ id, fence, binding: bindingOf(identity), seq });
    if (local && claim === 'held') {
      await local.writer?.settled();
      return this.sessions.find(id) === local ? local : 'moved';
    }
    if (typeof claim === 'string') return claim;
    const { fence: current } = claim;
    this.background.run('telling of a gateway session that moved', () =>
      this.database.transaction((tx) =>
        this.replica.announce(tx, { topic: 'session-moved', data: { id, fence: current } }),
      ),
    );
    return this.adopt(claim, id, identity);
  }

  private async adopt(handover: Handover, id: string, identity: SessionIdentity | BotIdentity): Promise<Found> {
    const before = this.sessions.find(id);
    if (before) this.moved(before);
    const session = GatewaySession.from(handover, id, identity, this.clock.monotonic(), this.config.gateway);
    this.sessions.add(session);
    this.sessions.retain(session);
    const writer = new SessionWriter(session, this);
    session.writer = writer;
    try {
      const cursor = Cursor.parse(handover.cursor);
      const missed = await this.missed(session, cursor);
      if (missed) writer.begin(cursor, missed);
      else session.breakReplay();
      await writer.settled();
    } catch (error) {
      this.moved(session);
      throw error;
    }
    if (session.isRevoked) return 'unknown';
    return this.sessions.find(id) === session ? session : 'moved';
  }

  /** The events that nobody wrote into the session; null if they cannot be told in order. */
  private async missed({ accountId }: GatewaySession, cursor: Cursor): Promise<Heard[] | null> {
    const rows = await this.journal.since(accountId, cursor);
    if (!rows) return null;
    const missed: Heard[] = [];
    for (const { notice, position } of rows) {
      try {
        const d = await this.events.read(notice);
        missed.push({ event: d === undefined ? null : eventOf(notice.type, d), position });
      } catch (error) {
        this.log.error('an event could not be read', { type: notice.type, error });
        return null;
      }
    }
    return missed;
  }

  moved(session: GatewaySession): void {
    session.writer?.abandon();
    this.sessions.forget(session);
    const { holder } = session;
    session.holder = null;
    holder?.drain();
  }

  /** Takes the session out of the store or, while that cannot be, notes where every replica looks that it is lost. */
  async lost(session: GatewaySession): Promise<void> {
    while (!this.isLeaving && this.sessions.find(session.id) === session) {
      try {
        if ((await this.store.remove(session, session.accountId)) === 'moved') this.moved(session);
        return;
      } catch {
        // The database is asked next.
      }
      try {
        return await this.journal.markLost(session);
      } catch (error) {
        this.log.error('a lost gateway session could not be noted', { error });
      }
      await delay(RETRY_MS);
    }
  }

  ended(session: GatewaySession): void {
    if (session.isStarted) this.sessions.changed(session.accountId);
  }

  busy(work: Promise<void>): void {
    const task = work.catch((error) => this.log.error('a gateway session could not be stored', { error }));
    this.underway.add(task);
    void task.finally(() => this.underway.delete(task));
  }

  /** What cannot hear of events is not kept for others: it would be behind without knowing. */
  tick(now: number): void {
    if (!this.store.isShared || now < this.renewAt || this.isRenewing || !this.replica.isConnected) return;
    this.renewAt = now + this.config.gateway.renew_ms;
    this.isRenewing = true;
    this.busy(
      this.renew().finally(() => {
        this.isRenewing = false;
      }),
    );
  }

  private async renew(): Promise<void> {
    const held = [...this.sessions.all].filter(({ holder, writer, isStarted }) => holder && writer && isStarted);
    try {
      for (let first = 0; first < held.length; first += RENEWED_AT_ONCE) {
        await this.renewSome(held.slice(first, first + RENEWED_AT_ONCE));
      }
      for (const accountId of this.untold) this.sessions.changed(accountId);
      this.untold.clear();
    } catch {
      this.renewAt = Number.NEGATIVE_INFINITY;
    }
  }

  private async renewSome(held: readonly GatewaySession[]): Promise<void> {
    const { holdings, changed } = await this.store.renew(held);
    for (const accountId of changed) this.sessions.changed(accountId);
    for (const [index, session] of held.entries()) {
      if (this.sessions.find(session.id) !== session) continue;
      if (holdings[index] === 'moved') this.moved(session);
      else if (holdings[index] === 'gone') session.breakReplay();
      else if (!session.holder) session.writer?.retain();
    }
  }

  /** Writes what is left and lets go of all sessions: they can be resumed elsewhere. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    while (this.underway.size > 0) await Promise.all(this.underway);
    for (const session of [...this.sessions.all]) {
      session.writer?.abandon();
      this.sessions.forget(session);
    }
  }
}
