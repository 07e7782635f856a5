import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { reportFailure } from '../../core/uncaught-errors.js';
import { Batcher } from '../../platform/database/batcher.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import { eventFrom, isSubscribed, parseOptions, type ReceivedEvent } from '../protocol/event.js';
import { ClosingError } from '../protocol/protocol.js';
import { type Handover, SessionStore } from '../store/session-store.js';
import type { AccountSessions } from './account-sessions.js';
import { AccountWriter } from './account-writer.js';
import { GatewayEvents } from './events.service.js';
import { LiveSessions } from './live-sessions.service.js';
import { Renewal } from './renewal.service.js';
import { credentialBinding, GatewaySession, isAhead, markLost, startStored } from './session.js';
import type { ResumeTarget } from './session-persistence.js';

const SESSION_ID = /^[0-9a-f]{32}$/;
const MOVE_HINT = 'sessions-moved';
const MOVES_PER_HINT = 200;

/** Resumes a session that was owned by another replica, from its stored state and the events since then. */
@Injectable()
export class Takeover implements OnModuleInit {
  constructor(
    private readonly store: SessionStore,
    private readonly sessions: LiveSessions,
    private readonly events: GatewayEvents,
    private readonly renewal: Renewal,
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** A process that misses this hint notices the move at its next write or renewal. */
  onModuleInit(): void {
    this.replicaBus.onHint(MOVE_HINT, ({ moves }) => {
      for (const [id, fence] of Array.isArray(moves) ? moves.filter(Array.isArray) : []) {
        const session = this.sessions.find(String(id));
        if (session?.stored && session.stored.fence < Number(fence)) this.renewal.onMoved(session);
      }
    });
  }

  /** Returns the session for a Resume. Moves it here if another replica owns it. */
  async find(id: string, identity: SessionIdentity | BotIdentity, seq: number): Promise<ResumeTarget> {
    if (!SESSION_ID.test(id)) return 'unknown';
    const local = this.sessions.find(id);
    const writer = local && this.sessions.getAccount(local.accountId)?.writer;
    if (local?.stored && isAhead(local.stored)) await writer?.restoreStale(local);
    else if (!local && (await this.renewal.isAhead(id))) throw new ClosingError('unavailable');
    const fence = local?.stored?.fence ?? 0;
    const claim = await this.store.claim({ id, fence, binding: credentialBinding(identity), seq });
    if (local?.stored && claim === 'unknown') {
      if (!local.isBoundTo(identity)) return 'foreign';
      markLost(local.stored);
      writer?.scheduleWrite(local);
    }
    if (local && (claim === 'held' || claim === 'unknown')) {
      await writer?.waitUntilWritten();
      return this.sessions.find(id) === local ? local : 'moved';
    }
    if (typeof claim === 'string') return claim === 'held' ? 'moved' : claim;
    this.moves.submit([id, claim.fence]).catch(reportFailure);
    return this.adopt(claim, id, identity);
  }

  private readonly moves = new Batcher(
    async (moves: readonly (readonly [id: string, fence: number])[]): Promise<undefined[]> => {
      this.replicaBus.hint(MOVE_HINT, { moves });
      return [];
    },
    { maxSize: MOVES_PER_HINT },
  );

  private async adopt(handover: Handover, id: string, identity: SessionIdentity | BotIdentity): Promise<ResumeTarget> {
    const before = this.sessions.find(id);
    if (before) this.renewal.onMoved(before);
    const { fence, since, step, standing, breaks, payloads, lacksCurrentList } = handover;
    const account = this.sessions.getOrCreateAccount(identity.account.id);
    account.writer ??= new AccountWriter(account.id, account.payloads, this.renewal);
    for (const { ref, type, json } of payloads) {
      account.payloads.put(ref, eventFrom(type, json));
      account.payloads.markStored(ref);
    }
    const now = this.clock.monotonic();
    const session = new GatewaySession(
      ...([identity, parseOptions(handover.wishes), null, now, account.payloads, this.config.gateway, id] as const),
      { standing, breaks },
    );
    session.isStarted = true;
    session.lacksCurrentList = lacksCurrentList;
    session.stored = startStored({ fence, since, step });
    this.sessions.add(session, account);
    this.sessions.retain(session);
    try {
      const missed = await this.readMissedEvents(session, account);
      if (!missed) session.log.breakReplay();
      account.writer.startWriting(session, missed ?? []);
      await account.writer.waitUntilWritten();
    } catch (error) {
      this.renewal.onMoved(session);
      throw error;
    }
    if (session.isRevoked) return 'unknown';
    return this.sessions.find(id) === session ? session : 'moved';
  }

  /**
   * Returns the events since the stored state. Returns null if some were deleted, cannot be read, or are more than a
   * session can replay.
   */
  private async readMissedEvents(session: GatewaySession, account: AccountSessions): Promise<ReceivedEvent[] | null> {
    const { replay_events, replay_bytes } = this.config.gateway;
    const missed: ReceivedEvent[] = [];
    let position = session.log.currentState.cursor;
    let bytes = 0;
    for (;;) {
      const page = await this.replicaBus.eventsAfter(account.id, position);
      if (!page) return null;
      for (const row of page.rows) {
        const received = await this.events.readEvent(row);
        if (!received) return null;
        position = Number(row.number);
        const event = received.event && isSubscribed(session.options, received.event) ? account.keep(received) : null;
        bytes += event?.bytes ?? 0;
        // Of consecutive events that the session does not receive, only the last position counts.
        if (missed.at(-1)?.event === null) missed.pop();
        missed.push({ ...received, event });
        if (missed.length > replay_events + 1 || bytes > replay_bytes) return null;
      }
      if (page.isLast) return missed;
    }
  }
}
