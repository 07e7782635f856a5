import type { GatewayNumbers } from '../../core/config/gateway-numbers.js';
import { type GatewayEvent, type Heard, presenceAfter } from '../protocol/event.js';
import { Payloads } from '../protocol/payloads.js';
import type { AccountWriter } from './account-writer.js';
import type { GatewaySession } from './session.js';

/** The sessions of one account in this process, and what they have in common. */
export class AccountSessions {
  readonly sessions = new Set<GatewaySession>();
  readonly payloads: Payloads;
  /** Brings into the store of all replicas what is dispatched, before anybody sees it. */
  writer: AccountWriter | null = null;
  /** The last event of the account that was heard, by its number and by its place in the journal. */
  heard: { readonly number: number; readonly id: number } | null = null;

  /** How often some of them were heard to have started or ended, here or elsewhere. */
  changes = 0;

  /** When they were last told of each other. */
  toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly id: string,
    private readonly numbers: GatewayNumbers,
  ) {
    this.payloads = new Payloads(numbers.replay_bytes);
  }

  dispatch(heard: Heard): void {
    this.keep(heard);
    for (const session of this.sessions) this.give(session, heard);
  }

  /**
   * Tells sessions of the others, after the last event that was heard: those that somebody holds. The last list is all that
   * counts, so whoever resumes another gets the one of that time, unless it knows it.
   */
  tell(makeEvent: () => GatewayEvent, told: GatewaySession | null): void {
    if (told) told.isUntold = told.holder === null;
    const others = [...this.sessions].filter((session) => session.isStarted && session !== told);
    if (others.length === 0) return;
    const event = makeEvent();
    for (const session of others) session.isUntold = session.holder === null && !session.toldList?.equals(event.frame);
    const held = others.filter(({ holder }) => holder);
    if (held.length > 0) this.tellThese(held, event);
  }

  tellThese(sessions: readonly GatewaySession[], event: GatewayEvent): void {
    const heard = presenceAfter(this.heard?.number ?? 0, event);
    this.keep(heard);
    for (const session of sessions) {
      session.toldList = event.frame;
      this.give(session, heard);
    }
  }

  get isHeld(): boolean {
    for (const { holder } of this.sessions) if (holder) return true;
    return false;
  }

  keep({ ref, event }: Heard): void {
    if (event && !event.isPersonal && event.bytes <= this.numbers.replay_event_bytes) this.payloads.put(ref, event);
  }

  give(session: GatewaySession, heard: Heard): void {
    if (session.stored) this.writer?.push(session, heard);
    else session.take([heard]);
  }

  /** Forgets events that no session can ask for any more. */
  trim(): void {
    let place = Number.POSITIVE_INFINITY;
    const lists = new Set(this.writer?.listsUnderway);
    for (const { log, stored } of this.sessions) {
      if (stored && stored.pending.length > 0) return;
      place = Math.min(place, log.placeNeeded());
      for (const ref of log.keptLists()) lists.add(ref);
    }
    this.payloads.trim(place, lists);
  }
}
