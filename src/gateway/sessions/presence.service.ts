import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { Replica } from '../../platform/replicas/replica.js';
import { eventOf } from '../protocol/event.js';
import type { ListedSessionView } from '../protocol/event-types.js';
import { type Known, type ListedSession, SessionStore } from '../store/session-store.js';
import { LiveSessions } from './live-sessions.service.js';
import type { GatewaySession } from './session.js';

interface Untold {
  readonly accountId: string;
  /** True if other processes must also be notified. */
  isOurs: boolean;
  notBefore: number;
  /** The known session list. Undefined after any further change. */
  known: Known | undefined;
  /** The session that already has exactly this list. */
  told: GatewaySession | null;
}

// Sending n lists to n sessions is quadratic. This many milliseconds between updates keep the load low and steady.
const quietPeriod = (sessions: number): number => (sessions * sessions) / 100;
const RETRY_MS = 500;
const HINT = 'presence';

/**
 * Sends SESSIONS_REPLACE to the sessions of an account when one starts or ends. Small accounts are updated immediately.
 * Only the last list matters, so a failed update is retried later.
 */
@Injectable()
export class Presence implements OnModuleInit {
  private readonly untold = new Map<string, Untold>();
  private readonly telling = new Set<string>();

  constructor(
    private readonly sessions: LiveSessions,
    private readonly store: SessionStore,
    private readonly replica: Replica,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.sessions.onEnd = (accountId) => this.changed(accountId);
    this.replica.onHint(HINT, ({ account }) => {
      if (this.sessions.of(String(account))) this.note(String(account), false);
    });
  }

  /**
   * Called when a session has started or ended here. `known`: the session list after the change. `told`: the session
   * that already has it.
   */
  changed(accountId: string, known?: Known, told: GatewaySession | null = null): void {
    this.note(accountId, true, known, known ? told : null);
  }

  /** Sends the list that a session missed while it had no connection. */
  async tellLate(session: GatewaySession): Promise<void> {
    if (!session.isUntold) return;
    session.isUntold = false;
    const account = this.sessions.of(session.accountId);
    try {
      const listed = await this.find(session.accountId);
      account?.tellThese([session], eventOf('SESSIONS_REPLACE', sessionList(listed)));
      await account?.writer?.settled();
    } catch (error) {
      session.isUntold = true;
      this.log.debug('gateway sessions could not be listed', { error });
    }
  }

  private note(accountId: string, isOurs: boolean, known?: Known, told: GatewaySession | null = null): void {
    const account = this.sessions.of(accountId);
    if (account) account.changes++;
    const waiting = this.untold.get(accountId);
    if (waiting) {
      waiting.isOurs ||= isOurs;
      waiting.known = undefined;
      waiting.told = null;
    } else this.untold.set(accountId, { accountId, isOurs, notBefore: Number.NEGATIVE_INFINITY, known, told });
    this.tellDue(accountId, this.clock.monotonic());
  }

  private tellDue(accountId: string, now: number): void {
    const untold = this.untold.get(accountId);
    if (!untold || this.telling.has(accountId) || now < untold.notBefore) return;
    const account = this.sessions.of(accountId);
    if (account) {
      if (now - account.toldAt < quietPeriod(account.sessions.size)) return;
      account.toldAt = now;
    }
    this.untold.delete(accountId);
    this.tell(untold);
  }

  private tell(untold: Untold): void {
    const { accountId, isOurs, known } = untold;
    const isHeld = this.sessions.of(accountId)?.isHeld ?? false;
    const found = isHeld || (isOurs && !known) ? (known?.listed ?? this.find(accountId)) : [];
    if (found instanceof Promise) this.tellLater(untold, found);
    else this.dispatch(untold, found, known?.isElsewhere);
  }

  private tellLater(untold: Untold, found: Promise<ListedSession[]>): void {
    const { accountId } = untold;
    this.telling.add(accountId);
    found
      .then(
        (listed) => this.dispatch(untold, listed),
        (error) => {
          this.log.debug('gateway sessions could not be listed', { error });
          const notBefore = this.clock.monotonic() + RETRY_MS;
          const isOurs = untold.isOurs || this.untold.get(accountId)?.isOurs === true;
          this.untold.set(accountId, { accountId, isOurs, notBefore, known: undefined, told: null });
        },
      )
      .finally(() => {
        this.telling.delete(accountId);
        this.tellDue(accountId, this.clock.monotonic());
      })
      .catch((error) => this.log.error('the presence of an account could not be sent', { error }));
  }

  private find(accountId: string): ListedSession[] | Promise<ListedSession[]> {
    return this.store.list(accountId) ?? this.ofProcess(accountId);
  }

  private ofProcess(accountId: string): ListedSession[] {
    const started = [...(this.sessions.of(accountId)?.sessions ?? [])].filter(({ isStarted }) => isStarted);
    return started.map(({ id, wishes }) => ({ id, mobile: wishes.mobile, isHere: true }));
  }

  /** Sends the list here, and notifies other processes only if they have sessions of the account. */
  private dispatch(
    { accountId, isOurs, told }: Untold,
    listed: readonly ListedSession[],
    isElsewhere = listed.some(({ isHere }) => !isHere),
  ): void {
    this.sessions.of(accountId)?.tell(() => eventOf('SESSIONS_REPLACE', sessionList(listed)), told);
    if (isOurs && isElsewhere) this.replica.hint(HINT, { account: accountId });
  }

  tick(now: number): void {
    for (const accountId of this.untold.keys()) this.tellDue(accountId, now);
  }
}

/** Returns `all` first, then each session (contract/gateway.md section 11). */
export function sessionList(sessions: readonly ListedSession[]): ListedSessionView[] {
  const entry = (session_id: string, mobile: boolean) =>
    ({ session_id, status: 'online', afk: false, mobile }) as const;
  const isMobile = sessions.every(({ mobile }) => mobile);
  return [entry('all', isMobile), ...sessions.map(({ id, mobile }) => entry(id, mobile))];
}
