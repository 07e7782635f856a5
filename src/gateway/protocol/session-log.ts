import type { GatewayNumbers } from '../settings/gateway.settings.js';
import {
  type Dispatch,
  isPresence,
  isSubscribed,
  positionOf,
  type ReceivedEvent,
  type Ref,
  type SessionOptions,
} from './event.js';
import type { Payloads } from './payloads.js';

/**
 * Start of a run of sequence numbers that map to consecutive event numbers, or a single entry that is not in the
 * journal.
 */
export type Break = readonly [s: number, ref: Ref];

/** Marks a sequence number whose event cannot be replayed. */
export const NOT_REPLAYABLE = '-';
const READY_SEQUENCE = 1;

/** The stored state of a session, without its dispatches. */
export interface SessionLogState {
  readonly seq: number;
  readonly acknowledged: number;
  /** The highest sequence number that can no longer be replayed. */
  readonly floor: number;
  /** The event number of the last event that the session has dispatched or skipped. */
  readonly cursor: number;
}

/** The result of planning: the dispatches for new events and the state after them. */
export interface Step {
  readonly seq: number;
  readonly floor: number;
  readonly cursor: number;
  readonly breaks: readonly Break[];
  readonly dispatches: readonly (Dispatch & { readonly ref: Ref | null })[];
}

/**
 * Sequence numbers of a session. Events are stored once per account.
 * The session stores only its state and a compressed map from sequence numbers to events. The map has an entry wherever
 * the two do not advance together.
 */
export class SessionLog {
  private standing: SessionLogState;
  private breaks: Break[];
  /** Number of breaks that were discarded since the last `takeDropped`. */
  private dropped = 0;

  constructor(
    private readonly options: SessionOptions,
    private readonly payloads: Payloads,
    private readonly numbers: GatewayNumbers,
    sessionLogState: SessionLogState = { seq: READY_SEQUENCE, acknowledged: 0, floor: 0, cursor: 0 },
    breaks: readonly Break[] = [],
  ) {
    this.standing = sessionLogState;
    this.breaks = [...breaks];
  }

  get currentState(): SessionLogState {
    return this.standing;
  }

  get allBreaks(): readonly Break[] {
    return this.breaks;
  }

  /** Sets the event number after which events are dispatched. */
  startAt(cursor: number): void {
    this.standing = { ...this.standing, cursor };
  }

  plan(received: readonly ReceivedEvent[]): Step {
    let { seq, floor, cursor } = this.standing;
    const breaks: Break[] = [];
    const dispatches: Step['dispatches'][number][] = [];
    for (const { ref, number, event } of received) {
      if (number !== null) {
        if (number <= cursor) continue;
        cursor = number;
      }
      if (!event || !isSubscribed(this.options, event)) continue;
      seq++;
      const isTooLarge = event.bytes > this.numbers.replay_event_bytes;
      floor = Math.max(isTooLarge ? seq : floor, seq - this.numbers.replay_events);
      const kept = event.isPersonal || isTooLarge ? null : ref;
      dispatches.push({ s: seq, event, ref: kept });
      const last = breaks.at(-1) ?? this.breaks.at(-1);
      if (refAfter(last, seq) !== (kept ?? NOT_REPLAYABLE)) breaks.push([seq, kept ?? NOT_REPLAYABLE]);
    }
    return { seq, floor, cursor, breaks, dispatches };
  }

  commit({ seq, floor, cursor, breaks }: Step): void {
    // Keep a floor that was raised in the meantime.
    this.standing = { ...this.standing, seq, cursor, floor: Math.max(floor, this.standing.floor) };
    this.breaks.push(...breaks);
    this.forget();
  }

  /** The client has processed all dispatches up to `seq`, so they need not be replayable. */
  acknowledge(seq: number): void {
    const acknowledged = Math.max(this.standing.acknowledged, Math.min(seq, this.standing.seq));
    this.standing = { ...this.standing, acknowledged };
    this.forget();
  }

  private forget(): void {
    const first = this.firstNeeded;
    let count = 0;
    while ((this.breaks[count + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= first) count++;
    if (count === 0) return;
    this.breaks = this.breaks.slice(count);
    this.dropped += count;
  }

  takeDropped(): number {
    const { dropped } = this;
    this.dropped = 0;
    return dropped;
  }

  private get firstNeeded(): number {
    return Math.max(this.standing.acknowledged, this.standing.floor) + 1;
  }

  /** The lowest event number whose event the session may need for a replay. */
  firstPositionNeeded(): number {
    for (let s = this.firstNeeded; s <= this.standing.seq; s++) {
      const ref = this.refAt(s);
      if (ref !== NOT_REPLAYABLE) return positionOf(ref);
    }
    return this.standing.cursor + 1;
  }

  /** References of all events that a Resume may need. */
  replayableRefs(): Ref[] {
    const refs: Ref[] = [];
    for (let s = this.firstNeeded; s <= this.standing.seq; s++) {
      const ref = this.refAt(s);
      if (ref !== NOT_REPLAYABLE) refs.push(ref);
    }
    return refs;
  }

  /** References of the session lists that a Resume may need. */
  replayableLists(): Ref[] {
    const first = this.firstNeeded;
    return this.breaks.flatMap(([s, ref]) => (s >= first && isPresence(ref) ? ref : []));
  }

  /** Makes the next Resume fail, because events may have been missed and must not be skipped silently. */
  breakReplay(): void {
    this.standing = { ...this.standing, floor: Number.MAX_SAFE_INTEGER };
    this.forget();
  }

  /**
   * Returns the dispatches after `seq`, or the reason why they cannot be replayed. Missing session lists are
   * acceptable.
   */
  since(seq: number): Dispatch[] | 'impossible' | 'gone' {
    if (seq > this.standing.seq || seq < this.standing.acknowledged) return 'impossible';
    if (seq < this.standing.floor) return 'gone';
    const missed: Dispatch[] = [];
    for (let s = seq + 1; s <= this.standing.seq; s++) {
      const ref = this.refAt(s);
      const event = this.payloads.get(ref);
      if (event) missed.push({ s, event });
      else if (ref !== NOT_REPLAYABLE && !isPresence(ref)) return 'gone';
    }
    return missed;
  }

  private refAt(s: number): Ref {
    let [low, high] = [0, this.breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.breaks[middle] as Break)[0] <= s) low = middle + 1;
      else high = middle;
    }
    return refAfter(this.breaks[low - 1], s) ?? NOT_REPLAYABLE;
  }
}

/** The reference of a sequence number that follows a break without another entry. */
function refAfter(last: Break | undefined, s: number): Ref | undefined {
  if (!last) return undefined;
  const [from, ref] = last;
  if (ref === NOT_REPLAYABLE || s === from) return ref;
  return isPresence(ref) ? undefined : String(positionOf(ref) + s - from);
}
