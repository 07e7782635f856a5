import { type GatewayEvent, presenceEventAfter, type ReceivedEvent } from '../protocol/event.js';
import { Payloads } from '../protocol/payloads.js';
import type { GatewayNumbers } from '../settings/gateway.settings.js';
import type { AccountWriter } from './account-writer.js';
import type { GatewaySession } from './session.js';

/** The sessions of one account in this process and their shared state. */
export class AccountSessions {
  readonly sessions = new Set<GatewaySession>();
  readonly payloads: Payloads;
  /** Writes dispatches to the shared store before clients receive them. */
  writer: AccountWriter | null = null;
  /** The last received event of the account: its number and its journal row ID. */
  lastEvent: { readonly number: number; readonly id: number } | null = null;

  /** Number of received notices that sessions of the account have started or ended, on any replica. */
  changes = 0;

  /** Time of the last SESSIONS_REPLACE. */
  lastListSentAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly id: string,
    private readonly numbers: GatewayNumbers,
  ) {
    this.payloads = new Payloads(numbers.replay_bytes);
  }

  dispatch(received: ReceivedEvent): void {
    this.storePayload(received);
    for (const session of this.sessions) this.deliver(session, received);
  }

  /**
   * Sends the session list to all sessions that have a connection, ordered after the last received event.
   * Only the last list matters. A session without a connection gets the current list when it is resumed, unless the
   * list is unchanged.
   */
  sendList(makeEvent: () => GatewayEvent, informed: GatewaySession | null): void {
    if (informed) informed.lacksCurrentList = informed.holder === null;
    const others = [...this.sessions].filter((session) => session.isStarted && session !== informed);
    if (others.length === 0) return;
    const event = makeEvent();
    for (const session of others)
      session.lacksCurrentList = session.holder === null && !session.lastSentList?.equals(event.frame);
    const held = others.filter(({ holder }) => holder);
    if (held.length > 0) this.sendListTo(held, event);
  }

  sendListTo(sessions: readonly GatewaySession[], event: GatewayEvent): void {
    const received = presenceEventAfter(this.lastEvent?.number ?? 0, event);
    this.storePayload(received);
    for (const session of sessions) {
      session.lastSentList = event.frame;
      this.deliver(session, received);
    }
  }

  get hasConnection(): boolean {
    for (const { holder } of this.sessions) if (holder) return true;
    return false;
  }

  storePayload({ ref, event }: ReceivedEvent): void {
    if (event && !event.isPersonal && event.bytes <= this.numbers.replay_event_bytes) this.payloads.put(ref, event);
  }

  /** Stores an event for replay. Returns its stored copy if it was stored before, so that sessions share its memory. */
  keep(received: ReceivedEvent): GatewayEvent | null {
    this.storePayload(received);
    return this.payloads.get(received.ref) ?? received.event;
  }

  deliver(session: GatewaySession, received: ReceivedEvent): void {
    if (session.stored) this.writer?.push(session, received);
    else session.applyEvents([received]);
  }

  /** Deletes events that no session can replay. */
  trim(): void {
    let place = Number.POSITIVE_INFINITY;
    const lists = new Set(this.writer?.listsUnderway);
    for (const { log, stored } of this.sessions) {
      if (stored && stored.pending.length > 0) return;
      place = Math.min(place, log.firstPositionNeeded());
      for (const ref of log.replayableLists()) lists.add(ref);
    }
    this.payloads.trim(place, lists);
  }
}
