import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { Replica } from '../../platform/replicas/replica.js';
import { eventOf } from '../protocol/event.js';
import type { ListedSessionView } from '../protocol/event-types.js';
import { type ListedSession, SessionStore } from '../store/session-store.js';
import { LiveSessions } from './live-sessions.service.js';

interface Untold {
  readonly accountId: string;
  /** Whether other processes have to hear of it too. */
  isOurs: boolean;
  notBefore: number;
  /** Who there is, as long as nothing else is heard. */
  listed: readonly ListedSession[] | undefined;
}

// Telling n sessions of n sessions costs n squared: this many milliseconds apart, that stays a steady small load.
const quietPeriod = (sessions: number): number => (sessions * sessions) / 100;
const RETRY_MS = 500;
const HINT = 'presence';

/**
 * Tells the sessions of an account of each other when one starts or ends (SESSIONS_REPLACE): at once while they are few.
 * Only the last list counts, so nothing is lost with one; what cannot be told is told later.
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

  /** A session has started or ended here. `listed`: who there is since then, where that is known already. */
  changed(accountId: string, listed?: readonly ListedSession[]): void {
    this.note(accountId, true, listed);
  }

  private note(accountId: string, isOurs: boolean, listed?: readonly ListedSession[]): void {
    const account = this.sessions.of(accountId);
    if (account) account.changes++;
    const known = this.untold.get(accountId);
    if (known) {
      known.isOurs ||= isOurs;
      known.listed = undefined;
    } else this.untold.set(accountId, { accountId, isOurs, notBefore: Number.NEGATIVE_INFINITY, listed });
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
    const found = untold.listed ?? this.find(untold.accountId);
    if (found instanceof Promise) this.tellLater(untold, found);
    else this.dispatch(untold, found);
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
          this.untold.set(accountId, { accountId, isOurs, notBefore, listed: undefined });
        },
      )
      .finally(() => {
        this.telling.delete(accountId);
        this.tellDue(accountId, this.clock.monotonic());
      });
  }

  private find(accountId: string): ListedSession[] | Promise<ListedSession[]> {
    return this.store.list(accountId) ?? this.ofProcess(accountId);
  }

  private ofProcess(accountId: string): ListedSession[] {
    const started = [...(this.sessions.of(accountId)?.sessions ?? [])].filter(({ isStarted }) => isStarted);
    return started.map(({ id, wishes }) => ({ id, mobile: wishes.mobile, isHere: true }));
  }

  /** Where nobody else listens, nobody else is told. */
  private dispatch({ accountId, isOurs }: Untold, listed: readonly ListedSession[]): void {
    this.sessions.of(accountId)?.tell(eventOf('SESSIONS_REPLACE', sessionList(listed)));
    if (isOurs && listed.some(({ isHere }) => !isHere)) this.replica.hint(HINT, { account: accountId });
  }

  tick(now: number): void {
    for (const accountId of this.untold.keys()) this.tellDue(accountId, now);
  }
}

/** `all` first, then each session (contract/gateway.md section 11). */
export function sessionList(sessions: readonly ListedSession[]): ListedSessionView[] {
  const entry = (session_id: string, mobile: boolean) =>
    ({ session_id, status: 'online', afk: false, mobile }) as const;
  const isMobile = sessions.every(({ mobile }) => mobile);
  return [entry('all', isMobile), ...sessions.map(({ id, mobile }) => entry(id, mobile))];
}
