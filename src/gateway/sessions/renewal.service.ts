import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { type FencedSession, type KnownSessions, SessionStore } from '../store/session-store.js';
import type { WriterHost } from './account-writer.js';
import { LiveSessions } from './live-sessions.service.js';
import { Presence } from './presence.service.js';
import { type GatewaySession, isAhead, isClosed, markLost } from './session.js';

const STORE_RETRY_MS = 500;
const SESSIONS_PER_CALL = 200;

/**
 * Renews the leases of stored sessions, restores sessions that the store has lost, and releases those that another
 * replica owns.
 * The database records sessions that continued while the store did not respond, so that no replica resumes them from
 * stale data.
 */
@Injectable()
export class Renewal implements WriterHost {
  private readonly underway = new Set<Promise<void>>();
  /** Sessions that lost their connection since the last `retain`. */
  private readonly resting = new Set<GatewaySession>();
  private renewAt = Number.NEGATIVE_INFINITY;
  private isRenewing = false;
  private isLeaving = false;

  constructor(
    readonly store: SessionStore,
    private readonly sessions: LiveSessions,
    private readonly presence: Presence,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
    cleanup: Cleanup,
  ) {
    // Stale data of the session in the store has expired by then.
    cleanup.addExpiry('gateway_session_ahead', 'session_id', "created_at < now() - interval '10 minutes'");
  }

  onMoved(session: GatewaySession): void {
    if (session.stored) session.stored.state = 'closed';
    this.sessions.forget(session);
    const { holder } = session;
    session.holder = null;
    holder?.drain();
  }

  onRetained(session: GatewaySession): void {
    this.resting.add(session);
  }

  onRemoved(session: GatewaySession, known: KnownSessions | undefined): void {
    if (session.isStarted) this.presence.onChanged(session.accountId, known);
  }

  trackWork(work: Promise<void>): void {
    const task = work.catch((error) => this.log.error('storing a gateway session in Redis failed', { error }));
    this.underway.add(task);
    const done = () => this.underway.delete(task);
    task.then(done, done);
  }

  async markAhead(sessions: readonly GatewaySession[]): Promise<void> {
    const ids = sessions.map(({ id }) => id);
    const MARK_AHEAD =
      'INSERT INTO gateway_session_ahead (session_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING';
    while (!this.isLeaving) {
      try {
        await this.database.statement('session-ahead', MARK_AHEAD, [ids]);
        return;
      } catch (error) {
        this.log.error('marking outdated gateway sessions in Redis failed', { error });
      }
      await delay(STORE_RETRY_MS);
    }
    throw new Error('The process is shutting down');
  }

  async unmarkAhead(sessions: readonly GatewaySession[]): Promise<void> {
    const UNMARK_AHEAD = 'DELETE FROM gateway_session_ahead WHERE session_id = ANY ($1)';
    await this.database.statement('session-no-longer-ahead', UNMARK_AHEAD, [sessions.map(({ id }) => id)]);
  }

  /** True if clients have received more events of a session than the store has. */
  async isAhead(id: string): Promise<boolean> {
    return (await this.isAheadBatched(id)) === true;
  }

  /** Batched, because after a replica ends all its clients resume at the same time. */
  private readonly isAheadBatched = batchById(async (ids) => {
    const SESSIONS_AHEAD = 'SELECT session_id FROM gateway_session_ahead WHERE session_id = ANY ($1::text[])';
    const rows = await this.database.statement<{ session_id: string }>('sessions-ahead', SESSIONS_AHEAD, [ids]);
    return new Map(rows.map(({ session_id }) => [session_id, true]));
  });

  tick(now: number): void {
    if (this.resting.size > 0) this.trackWork(this.retain());
    if (now < this.renewAt || this.isRenewing) return;
    this.renewAt = now + this.config.gateway.renew_ms;
    this.isRenewing = true;
    this.trackWork(
      this.renew().finally(() => {
        this.isRenewing = false;
      }),
    );
  }

  /** Sessions not reported keep their lease until it expires. */
  private async retain(): Promise<void> {
    const now = this.clock.monotonic();
    const resting = [...this.resting].filter(({ holder, stored }) => !holder && stored && !isClosed(stored));
    this.resting.clear();
    for (let first = 0; first < resting.length; first += SESSIONS_PER_CALL) {
      const some = resting
        .slice(first, first + SESSIONS_PER_CALL)
        .map(({ id, stored, retainedUntil, lacksCurrentList }) => ({
          ...{ id, fence: stored?.fence ?? 0, forMs: Math.max(1, retainedUntil - now), isTold: !lacksCurrentList },
        }));
      try {
        await this.store.retain(some);
      } catch (error) {
        this.log.debug('retaining gateway sessions in Redis failed', { error });
      }
    }
  }

  private async renew(): Promise<void> {
    const kept = [...this.sessions.all].filter(({ stored, isStarted }) => stored && isStarted);
    try {
      const held = kept.filter(({ holder, stored }) => holder && stored && !isAhead(stored));
      for (let first = 0; first < held.length; first += SESSIONS_PER_CALL) {
        await this.renewSome(held.slice(first, first + SESSIONS_PER_CALL));
      }
      for (const session of kept) {
        if (session.stored && isAhead(session.stored))
          await this.sessions.getAccount(session.accountId)?.writer?.restoreStale(session);
      }
    } catch (error) {
      this.log.debug('renewing gateway sessions in Redis failed', { error });
      this.renewAt = this.clock.monotonic() + Math.min(STORE_RETRY_MS, this.config.gateway.renew_ms);
    }
  }

  private async renewSome(sessions: readonly GatewaySession[]): Promise<void> {
    const held: FencedSession[] = sessions.map(({ id, stored }) => ({ id, fence: stored?.fence ?? 0 }));
    const { holdings, changed } = await this.store.renew(held);
    for (const accountId of changed) this.presence.onChanged(accountId);
    for (const [index, session] of sessions.entries()) {
      const { stored } = session;
      if (!stored || this.sessions.find(session.id) !== session) continue;
      const writer = this.sessions.getAccount(session.accountId)?.writer;
      if (holdings[index] === 'moved') this.onMoved(session);
      else if (holdings[index] === 'gone') {
        markLost(stored);
        writer?.scheduleWrite(session);
      } else if (!session.holder) writer?.end(session, 'retain');
    }
  }

  /** Writes all pending data and releases all sessions, so that other replicas can resume them. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    while (this.underway.size > 0) await Promise.all(this.underway);
    await this.retain();
    for (const session of [...this.sessions.all]) {
      if (session.stored) session.stored.state = 'closed';
      this.sessions.forget(session);
    }
  }
}
