import type { GatewayNumbers } from '../../core/config/gateway-numbers.js';
import { type Dispatch, type Heard, isPresence, isWanted, placeOf, type Ref, type Wishes } from './event.js';
import type { Payloads } from './payloads.js';

/** From this sequence on, sequences and numbers go on together; or one that is no event of the journal. */
export type Break = readonly [s: number, ref: Ref];

/** A sequence whose event cannot be asked for again. */
export const VOID = '-';
const READY_SEQUENCE = 1;

/** Where a session stands, as it is stored: all of it but what it dispatched. */
export interface Standing {
  readonly seq: number;
  readonly acknowledged: number;
  /** The highest sequence that a Resume cannot get any more. */
  readonly floor: number;
  /** The number of the last event of the account that the session has dispatched or passed over. */
  readonly cursor: number;
}

/** What a session does next with events that it heard of. */
export interface Step {
  readonly seq: number;
  readonly floor: number;
  readonly cursor: number;
  readonly breaks: readonly Break[];
  readonly dispatches: readonly (Dispatch & { readonly ref: Ref | null })[];
}

/**
 * The sequence of a session. Events are kept once for the account: of its own the session has where it stands, and a map
 * from sequences to events that says only where the two do not go on together.
 */
export class SessionLog {
  private standing: Standing;
  private breaks: Break[];
  /** How many breaks were forgotten since this was last asked. */
  private dropped = 0;

  constructor(
    private readonly wishes: Wishes,
    private readonly payloads: Payloads,
    private readonly numbers: GatewayNumbers,
    standing: Standing = { seq: READY_SEQUENCE, acknowledged: 0, floor: 0, cursor: 0 },
    breaks: readonly Break[] = [],
  ) {
    this.standing = standing;
    this.breaks = [...breaks];
  }

  get now(): Standing {
    return this.standing;
  }

  get allBreaks(): readonly Break[] {
    return this.breaks;
  }

  /** The journal is known up to here. */
  startAt(cursor: number): void {
    this.standing = { ...this.standing, cursor };
  }

  plan(heard: readonly Heard[]): Step {
    let { seq, floor, cursor } = this.standing;
    const breaks: Break[] = [];
    const dispatches: Step['dispatches'][number][] = [];
    for (const { ref, number, event } of heard) {
      if (number !== null) {
        if (number <= cursor) continue;
        cursor = number;
      }
      if (!event || !isWanted(this.wishes, event)) continue;
      seq++;
      const isTooLarge = event.bytes > this.numbers.replay_event_bytes;
      floor = Math.max(isTooLarge ? seq : floor, seq - this.numbers.replay_events);
      const kept = event.isPersonal || isTooLarge ? null : ref;
      dispatches.push({ s: seq, event, ref: kept });
      const last = breaks.at(-1) ?? this.breaks.at(-1);
      if (refAfter(last, seq) !== (kept ?? VOID)) breaks.push([seq, kept ?? VOID]);
    }
    return { seq, floor, cursor, breaks, dispatches };
  }

  commit({ seq, floor, cursor, breaks }: Step): void {
    // What was found missing meanwhile stays missing.
    this.standing = { ...this.standing, seq, cursor, floor: Math.max(floor, this.standing.floor) };
    this.breaks.push(...breaks);
    this.forget();
  }

  /** The client has processed everything up to `seq`: that is not asked for again. */
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

  /** The place in the journal from which the session may ask for events again. */
  placeNeeded(): number {
    for (let s = this.firstNeeded; s <= this.standing.seq; s++) {
      const ref = this.refAt(s);
      if (ref !== VOID) return placeOf(ref);
    }
    return this.standing.cursor + 1;
  }

  /** The events that a Resume may ask for, by what names them. */
  keptRefs(): Ref[] {
    const refs: Ref[] = [];
    for (let s = this.firstNeeded; s <= this.standing.seq; s++) {
      const ref = this.refAt(s);
      if (ref !== VOID) refs.push(ref);
    }
    return refs;
  }

  /** The lists of sessions that a Resume may ask for. */
  keptLists(): Ref[] {
    const first = this.firstNeeded;
    return this.breaks.flatMap(([s, ref]) => (s >= first && isPresence(ref) ? ref : []));
  }

  /** Events may have been missed: the next Resume is refused, so that none is skipped in silence. */
  breakReplay(): void {
    this.standing = { ...this.standing, floor: Number.MAX_SAFE_INTEGER };
    this.forget();
  }

  /** What a Resume from `seq` gets: the later events, or why it gets none. Lists of sessions that are gone are no loss. */
  since(seq: number): Dispatch[] | 'impossible' | 'gone' {
    if (seq > this.standing.seq || seq < this.standing.acknowledged) return 'impossible';
    if (seq < this.standing.floor) return 'gone';
    const missed: Dispatch[] = [];
    for (let s = seq + 1; s <= this.standing.seq; s++) {
      const ref = this.refAt(s);
      const event = this.payloads.get(ref);
      if (event) missed.push({ s, event });
      else if (ref !== VOID && !isPresence(ref)) return 'gone';
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
    return refAfter(this.breaks[low - 1], s) ?? VOID;
  }
}

/** What a sequence stands for if nothing else is said after a break. */
function refAfter(last: Break | undefined, s: number): Ref | undefined {
  if (!last) return undefined;
  const [from, ref] = last;
  if (ref === VOID || s === from) return ref;
  return isPresence(ref) ? undefined : String(placeOf(ref) + s - from);
}
