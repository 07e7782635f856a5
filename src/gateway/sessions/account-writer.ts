import { setTimeout as delay } from 'node:timers/promises';
import {
  type GatewayEvent,
  isPresence,
  jsonOf,
  positionOf,
  type ReceivedEvent,
  type Ref,
  serializeOptions,
} from '../protocol/event.js';
import type { Payloads } from '../protocol/payloads.js';
import type { SessionLog, SessionLogState, Step } from '../protocol/session-log.js';
import type { Holding, KnownSessions, SessionStore, StoredPayload } from '../store/session-store.js';
import { type GatewaySession, isAhead, isClosed, isHolding, type Stored, stopHolding } from './session.js';

export interface WriterHost {
  readonly store: SessionStore;
  /** Called when another process owns the session. */
  onMoved(session: GatewaySession): void;
  /** Called when all data of the session is stored and no connection holds it. */
  onRetained(session: GatewaySession): void;
  /** Called when the session has been removed from the store, or will expire there. */
  onRemoved(session: GatewaySession, known: KnownSessions | undefined): void;
  /** Records that the shared store is stale. Clients receive newer events only after this has succeeded. */
  markAhead(sessions: readonly GatewaySession[]): Promise<void>;
  /** Records that the shared store is complete again. */
  unmarkAhead(sessions: readonly GatewaySession[]): Promise<void>;
  /** Registers work that must finish before shutdown. */
  trackWork(work: Promise<void>): void;
}

const WRITE_ATTEMPTS = 2;
const SESSIONS_PER_WRITE = 100;
const MAX_BATCH = 256;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const TAKEOVER_CHECK_MS = 25;

type StoredSession = GatewaySession & { stored: Stored };
const isStored = (session: GatewaySession): session is StoredSession =>
  session.stored !== null && !isClosed(session.stored);

interface Planned {
  readonly session: StoredSession;
  readonly step: Step;
}

/** The stored state of a session after a step. Keeps a floor that was raised in the meantime. */
function stateAfter({ currentState }: SessionLog, { seq, floor, cursor }: Step): SessionLogState {
  return { seq, acknowledged: currentState.acknowledged, floor: Math.max(floor, currentState.floor), cursor };
}

/** The lowest event number that the session may need for a replay after a step. */
function neededAfter(log: SessionLog, { dispatches }: Step): number {
  return Math.min(log.firstPositionNeeded(), ...dispatches.flatMap(({ ref }) => (ref === null ? [] : positionOf(ref))));
}

/**
 * Writes the dispatches of one account to the store before clients receive them: each event once, and the state of each
 * session.
 * Sessions that the store has lost are restored. If the store does not respond, sessions continue without it after the
 * database has recorded that. From then on the stored data is stale and unusable until it is complete again.
 */
export class AccountWriter {
  private readonly due = new Set<StoredSession>();
  /** Sessions that were held when they received an event. */
  private readonly held = new Set<StoredSession>();
  private running: Promise<void> | null = null;
  private underway: readonly Planned[] = [];
  /** Size of the events since all received events were written. */
  private pushedBytes = 0;

  constructor(
    private readonly accountId: string,
    private readonly payloads: Payloads,
    private readonly host: WriterHost,
  ) {}

  push(session: GatewaySession, received: ReceivedEvent): void {
    if (!isStored(session)) return;
    session.stored.pending.push(received);
    this.pushedBytes += received.event?.bytes ?? 0;
    this.start(session);
  }

  /** Starts writing: first the missed events, then those received in the meantime. */
  startWriting(session: GatewaySession, missed: readonly ReceivedEvent[]): void {
    if (!isStored(session)) return;
    session.stored.pending = [...missed, ...session.stored.pending];
    stopHolding(session.stored);
    this.start(session);
  }

  /** Schedules a write because the stored state has changed. */
  scheduleWrite(session: GatewaySession): void {
    if (!isStored(session)) return;
    session.stored.needsWrite = true;
    this.start(session);
  }

  end(session: GatewaySession, how: 'retain' | 'remove'): void {
    if (!isStored(session)) return;
    session.stored.ending = how;
    if (how === 'remove') stopHolding(session.stored);
    this.start(session);
  }

  /** Session lists that are being written and are therefore in no log yet. */
  get listsUnderway(): Ref[] {
    return this.underway.flatMap(({ step }) =>
      step.dispatches.flatMap(({ ref }) => (ref !== null && isPresence(ref) ? ref : [])),
    );
  }

  /** Waits until all received events are written. */
  async waitUntilWritten(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Waits until the events in memory are written if there are many. Also waits for sessions that are being taken over. */
  async waitIfBusy(): Promise<void> {
    while (this.pushedBytes > MAX_BATCH_BYTES) {
      if (this.running) await this.running;
      else if (this.hasHolding()) await delay(TAKEOVER_CHECK_MS);
      else this.pushedBytes = 0;
    }
  }

  private hasHolding(): boolean {
    for (const session of this.held) if (!isStored(session) || !isHolding(session.stored)) this.held.delete(session);
    return this.held.size > 0;
  }

  private start(session: StoredSession): void {
    if (isHolding(session.stored)) {
      this.held.add(session);
      return;
    }
    this.due.add(session);
    this.running ??= this.beginRun();
  }

  private beginRun(): Promise<void> {
    const running = Promise.resolve()
      .then(() => this.run())
      .finally(() => {
        this.running = null;
        if (!this.hasHolding()) this.pushedBytes = 0;
        const [next] = this.due;
        if (next) this.start(next);
      });
    this.host.trackWork(running);
    return running;
  }

  private async run(): Promise<void> {
    while (this.due.size > 0) {
      const some = [...this.due].slice(0, SESSIONS_PER_WRITE);
      for (const session of some) this.due.delete(session);
      await this.advance(some.filter(isStored));
    }
  }

  private async advance(sessions: readonly StoredSession[]): Promise<void> {
    const isLeaving = ({ stored }: StoredSession) => stored.ending === 'remove';
    await Promise.all(sessions.filter(isLeaving).map((session) => this.remove(session)));
    const remaining = sessions.filter((session) => !isLeaving(session));
    const planned = remaining
      .filter(({ stored }) => stored.pending.length > 0 || stored.needsWrite || stored.state === 'lost')
      .map((session) => this.plan(session));
    this.underway = planned;
    const lacking = planned.filter(({ session: { stored } }) => isAhead(stored) || stored.state === 'lost');
    const plain = planned.filter((each) => !lacking.includes(each));
    if (plain.length > 0) await this.write(plain);
    for (const each of lacking) {
      if (isAhead(each.session.stored)) each.session.commit(each.step);
      else await this.restoreLost(each);
    }
    this.underway = [];
    for (const session of remaining) this.retainIfIdle(session);
  }

  private plan(session: StoredSession): Planned {
    const { stored } = session;
    stored.needsWrite = false;
    let bytes = 0;
    let count = 0;
    while (count < stored.pending.length && count < MAX_BATCH && bytes <= MAX_BATCH_BYTES) {
      bytes += stored.pending[count++]?.event?.bytes ?? 0;
    }
    const step = session.log.plan(stored.pending.splice(0, count));
    if (stored.pending.length > 0) this.due.add(session);
    return { session, step };
  }

  private async write(planned: readonly Planned[]): Promise<void> {
    const payloads = this.payloadsOf(planned);
    const steps = planned.map(({ session, step }) => {
      const { stored, log, id } = session;
      stored.step++;
      const [standing, needed, drop] = [stateAfter(log, step), neededAfter(log, step), log.takeDropped()];
      return { id, fence: stored.fence, step: stored.step, standing, needed, drop, breaks: step.breaks };
    });
    const holdings = await this.attempt(() => this.host.store.write(this.accountId, payloads, steps));
    if (!holdings) return this.continueWithoutStore(planned);
    for (const { ref } of payloads) this.payloads.markStored(ref);
    for (const [index, each] of planned.entries()) await this.settle(each, holdings[index] ?? 'gone');
  }

  private payloadsOf(planned: readonly Planned[]): StoredPayload[] {
    const found = new Map<string, StoredPayload>();
    for (const { ref, event } of planned.flatMap(({ step }) => step.dispatches)) {
      if (ref === null) continue;
      // A trimmed list is deleted from the store, so the same list may have to be written again.
      if (isPresence(ref) || !this.payloads.isStored(ref))
        found.set(ref, { ref, type: event.type, json: jsonOf(event) });
    }
    return [...found.values()];
  }

  private async settle(each: Planned, holding: Holding): Promise<void> {
    if (!isStored(each.session)) return;
    if (holding === 'held') each.session.commit(each.step);
    else if (holding === 'moved') this.host.onMoved(each.session);
    else await this.restoreLost(each);
  }

  /** Restores the complete state of a session that the store has lost. */
  private async restoreLost(each: Planned): Promise<void> {
    const { session, step } = each;
    const holding = await this.attempt(() => this.restore(session, step));
    if (!isStored(session)) return;
    if (holding === 'moved') return this.host.onMoved(session);
    if (holding === null) return this.continueWithoutStore([each]);
    if (session.stored.state === 'lost') session.stored.state = 'stored';
    session.commit(step);
  }

  private async restore(session: StoredSession, step: Step): Promise<Holding> {
    const { id, binding, accountId: account, credentialId, options, stored, log } = session;
    stored.step++;
    log.takeDropped();
    const payloads = new Map<string, StoredPayload>();
    const keep = (ref: string, event: GatewayEvent | undefined) => {
      if (event) payloads.set(ref, { ref, type: event.type, json: jsonOf(event) });
    };
    for (const ref of log.replayableRefs()) keep(ref, this.payloads.get(ref));
    for (const { ref, event } of step.dispatches) if (ref !== null) keep(ref, event);
    return this.host.store.restore({
      ...{ id, fence: stored.fence, step: stored.step, account, login: credentialId },
      ...{ binding, wishes: serializeOptions(options), since: stored.since },
      breaks: [...log.allBreaks, ...step.breaks],
      needed: neededAfter(log, step),
      standing: stateAfter(log, step),
      payloads: [...payloads.values()],
    });
  }

  /** Continues without the store. After this, no replica resumes the sessions from the stale stored data. */
  private async continueWithoutStore(planned: readonly Planned[]): Promise<void> {
    await this.host.markAhead(planned.map(({ session }) => session));
    for (const { session, step } of planned) {
      if (!isStored(session)) continue;
      session.stored.state = 'ahead';
      session.commit(step);
    }
  }

  /** Restores a stale session when the store may respond again. New events wait until it is done. */
  async restoreStale(session: GatewaySession): Promise<void> {
    await this.waitUntilWritten();
    if (session.stored?.state !== 'ahead' || !isStored(session)) return;
    const { stored } = session;
    stored.state = 'restoring';
    try {
      const holding = await this.restore(session, session.log.plan([]));
      if (isClosed(stored)) await this.host.store.remove({ id: session.id, fence: stored.fence });
      else if (holding === 'moved') this.host.onMoved(session);
      else {
        await this.host.unmarkAhead([session]);
        if (isStored(session)) stored.state = 'stored';
      }
    } finally {
      stopHolding(stored);
      if (isStored(session)) this.start(session);
    }
  }

  private retainIfIdle(session: StoredSession): void {
    if (!isStored(session) || session.stored.ending !== 'retain' || this.due.has(session)) return;
    session.stored.ending = null;
    this.host.onRetained(session);
  }

  private async remove(session: StoredSession): Promise<void> {
    const { stored, id } = session;
    const wasAhead = isAhead(stored);
    stored.state = 'closed';
    this.due.delete(session);
    const removal = await this.attempt(() => this.host.store.remove({ id, fence: stored.fence }));
    if (removal?.holding === 'held') this.host.onRemoved(session, removal);
    else if (!removal || wasAhead) this.host.onRemoved(session, undefined);
  }

  /** Returns null if the store does not respond. Repeating a write that already succeeded has no effect. */
  private async attempt<T>(work: () => T | Promise<T>): Promise<T | null> {
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt++) {
      try {
        return await work();
      } catch {
        // Retry once, because a late response does not mean that the store is down.
      }
    }
    return null;
  }
}
