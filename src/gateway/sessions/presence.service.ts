import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import { eventOf } from '../protocol/event.js';
import type { ListedSessionView } from '../protocol/event-types.js';
import { type KnownSessions, type ListedSession, SessionStore } from '../store/session-store.js';
import { LiveSessions } from './live-sessions.service.js';
import type { GatewaySession } from './session.js';

interface PendingPresence {
  readonly accountId: string;
  /** True if other processes must also be notified. */
  isLocalChange: boolean;
  notBefore: number;
  /** The known session list. Undefined after any further change. */
  known: KnownSessions | undefined;
  /** The session that already has exactly this list. */
  informedSession: GatewaySession | null;
}

// Sending n lists to n sessions is quadratic. This many milliseconds between updates keep the load low and steady.
const minIntervalMs = (sessions: number): number => (sessions * sessions) / 100;
const LIST_RETRY_MS = 500;
const PRESENCE_HINT = 'presence';

/**
 * Sends SESSIONS_REPLACE to the sessions of an account when one starts or ends. Small accounts are updated immediately.
 * Only the last list matters, so a failed update is retried later.
 */
@Injectable()
export class Presence implements OnModuleInit {
  private readonly pending = new Map<string, PendingPresence>();
  private readonly sending = new Set<string>();

  constructor(
    private readonly sessions: LiveSessions,
    private readonly store: SessionStore,
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.sessions.onEnd = (accountId) => this.onChanged(accountId);
    this.replicaBus.onHint(PRESENCE_HINT, ({ account }) => {
      if (this.sessions.getAccount(String(account))) this.recordChange(String(account), false);
    });
  }

  /**
   * Called when a session has started or ended here. `known`: the session list after the change. `told`: the session
   * that already has it.
   */
  onChanged(accountId: string, known?: KnownSessions, informed: GatewaySession | null = null): void {
    this.recordChange(accountId, true, known, known ? informed : null);
  }

  /** Sends the list that a session missed while it had no connection. */
  async sendDeferredList(session: GatewaySession): Promise<void> {
    if (!session.lacksCurrentList) return;
    session.lacksCurrentList = false;
    const account = this.sessions.getAccount(session.accountId);
    try {
      const listed = await this.find(session.accountId);
      account?.sendListTo([session], eventOf('SESSIONS_REPLACE', sessionList(listed)));
      await account?.writer?.waitUntilWritten();
    } catch (error) {
      session.lacksCurrentList = true;
      this.log.debug('listing gateway sessions in Redis failed', { error });
    }
  }

  private recordChange(
    accountId: string,
    isOurs: boolean,
    known?: KnownSessions,
    informed: GatewaySession | null = null,
  ): void {
    const account = this.sessions.getAccount(accountId);
    if (account) account.changes++;
    const waiting = this.pending.get(accountId);
    if (waiting) {
      waiting.isLocalChange ||= isOurs;
      waiting.known = undefined;
      waiting.informedSession = null;
    } else
      this.pending.set(accountId, {
        accountId,
        isLocalChange: isOurs,
        notBefore: Number.NEGATIVE_INFINITY,
        known,
        informedSession: informed,
      });
    this.sendIfDue(accountId, this.clock.monotonic());
  }

  private sendIfDue(accountId: string, now: number): void {
    const pending = this.pending.get(accountId);
    if (!pending || this.sending.has(accountId) || now < pending.notBefore) return;
    const account = this.sessions.getAccount(accountId);
    if (account) {
      if (now - account.lastListSentAt < minIntervalMs(account.sessions.size)) return;
      account.lastListSentAt = now;
    }
    this.pending.delete(accountId);
    this.sendList(pending);
  }

  private sendList(pending: PendingPresence): void {
    const { accountId, isLocalChange, known } = pending;
    const isHeld = this.sessions.getAccount(accountId)?.hasConnection ?? false;
    const found = isHeld || (isLocalChange && !known) ? (known?.listed ?? this.find(accountId)) : [];
    if (found instanceof Promise) this.sendWhenListed(pending, found);
    else this.dispatch(pending, found, known?.isElsewhere);
  }

  private sendWhenListed(pending: PendingPresence, found: Promise<ListedSession[]>): void {
    const { accountId } = pending;
    this.sending.add(accountId);
    found
      .then(
        (listed) => this.dispatch(pending, listed),
        (error) => {
          this.log.debug('listing gateway sessions in Redis failed', { error });
          const notBefore = this.clock.monotonic() + LIST_RETRY_MS;
          const isOurs = pending.isLocalChange || this.pending.get(accountId)?.isLocalChange === true;
          this.pending.set(accountId, {
            accountId,
            isLocalChange: isOurs,
            notBefore,
            known: undefined,
            informedSession: null,
          });
        },
      )
      .finally(() => {
        this.sending.delete(accountId);
        this.sendIfDue(accountId, this.clock.monotonic());
      })
      .catch((error) =>
        this.log.error('sending the sessions of an account to its gateway connections failed', { error }),
      );
  }

  private find(accountId: string): ListedSession[] | Promise<ListedSession[]> {
    return this.store.list(accountId) ?? this.ofProcess(accountId);
  }

  private ofProcess(accountId: string): ListedSession[] {
    const started = [...(this.sessions.getAccount(accountId)?.sessions ?? [])].filter(({ isStarted }) => isStarted);
    return started.map(({ id, options }) => ({ id, mobile: options.mobile, isHere: true }));
  }

  /** Sends the list here, and notifies other processes only if they have sessions of the account. */
  private dispatch(
    { accountId, isLocalChange, informedSession }: PendingPresence,
    listed: readonly ListedSession[],
    isElsewhere = listed.some(({ isHere }) => !isHere),
  ): void {
    this.sessions
      .getAccount(accountId)
      ?.sendList(() => eventOf('SESSIONS_REPLACE', sessionList(listed)), informedSession);
    if (isLocalChange && isElsewhere) this.replicaBus.hint(PRESENCE_HINT, { account: accountId });
  }

  tick(now: number): void {
    for (const accountId of this.pending.keys()) this.sendIfDue(accountId, now);
  }
}

/** Returns `all` first, then each session (contract/gateway.md section 11). */
export function sessionList(sessions: readonly ListedSession[]): ListedSessionView[] {
  const entry = (session_id: string, mobile: boolean) =>
    ({ session_id, status: 'online', afk: false, mobile }) as const;
  const isMobile = sessions.every(({ mobile }) => mobile);
  return [entry('all', isMobile), ...sessions.map(({ id, mobile }) => entry(id, mobile))];
}
