import { hash, randomBytes } from 'node:crypto';
import type { Handover } from '../platform/session-store.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import type { Connection } from './connection.js';
import type { Position } from './event-journal.js';
import type { GatewayNumbers } from './numbers.js';
import type { IdentifyInput } from './protocol.js';
import type { SessionWriter } from './session-writer.js';
import { FixedWindow } from './windows.js';

/** An event as it is sent to any number of sessions: its data is serialised once. */
export interface GatewayEvent {
  readonly type: string;
  readonly json: string;
  /** Size of the data. */
  readonly bytes: number;
  /** Sent whatever a session ignores; not kept for replay. */
  readonly isPersonal: boolean;
}

export function eventOf(type: string, d: unknown, isPersonal = false): GatewayEvent {
  const json = JSON.stringify(d);
  return { type, json, bytes: Buffer.byteLength(json), isPersonal };
}

/** A dispatch of one session: the event under its sequence number. */
export interface Dispatch {
  readonly s: number;
  readonly event: GatewayEvent;
}

export const dispatchFrame = ({ s, event }: Dispatch): string =>
  `{"op":0,"d":${event.json},"s":${s},"t":${JSON.stringify(event.type)}}`;

/** What a client asked for when it identified. */
export type Wishes = Pick<IdentifyInput, 'mobile' | 'ignored' | 'shard'>;

/** Names the credential that opens a session, for whoever may resume it. */
export function bindingOf(identity: SessionIdentity | BotIdentity): string {
  const credential = identity.via === 'session' ? identity.sessionId : identity.digest.toString('hex');
  return hash('sha256', `gateway:${identity.account.id}:${identity.via}:${credential}`, 'base64url');
}

const READY_SEQUENCE = 1;
const NEVER = Number.POSITIVE_INFINITY;
const COMPACT_AT = 64;

/**
 * A gateway session: the credential that opened it, its sequence, and the events that a Resume can ask for. It lives
 * on a connection or, for a while, without one.
 */
export class GatewaySession {
  readonly accountId: string;
  readonly via: 'session' | 'bot';
  /** The login session, or the bot's application. */
  readonly credentialId: string;
  /** Of the bot's secret; a login session is known by its id, which outlives a rotation of its token. */
  readonly botDigest: Buffer | null;
  readonly payloads = new FixedWindow();
  /** Brings what is dispatched into the store of all replicas first, where there is one. */
  writer: SessionWriter | null = null;
  /** Under which this process owns the session. */
  fence = 1;
  /** READY was sent. */
  isStarted = false;
  /** Its credential died. */
  isRevoked = false;
  /** When it is forgotten, while it has no connection. */
  retainedUntil = 0;
  /** The sequence of the last dispatch. */
  seq = READY_SEQUENCE;
  private acknowledged = 0;
  /** The highest sequence that a Resume cannot get any more. */
  private floor = 0;
  private kept: Dispatch[] = [];
  private first = 0;
  private keptBytes = 0;

  constructor(
    identity: SessionIdentity | BotIdentity,
    readonly wishes: Wishes,
    public holder: Connection | null,
    /** When its credential was last seen alive. */
    public checkedAt: number,
    private readonly numbers: GatewayNumbers,
    readonly id = randomBytes(16).toString('hex'),
  ) {
    this.accountId = identity.account.id;
    this.via = identity.via;
    this.credentialId = identity.via === 'session' ? identity.sessionId : identity.applicationId;
    this.botDigest = identity.via === 'bot' ? identity.digest : null;
  }

  /** A session as its last owner left it. */
  static from(
    handover: Handover,
    id: string,
    identity: SessionIdentity | BotIdentity,
    now: number,
    numbers: GatewayNumbers,
  ): GatewaySession {
    const { mobile, ignored, shard } = JSON.parse(handover.wishes);
    const session = new GatewaySession(identity, { mobile, ignored: new Set(ignored), shard }, null, now, numbers, id);
    session.isStarted = true;
    session.fence = handover.fence;
    session.seq = handover.seq;
    session.acknowledged = handover.acknowledged;
    session.floor = handover.floor;
    for (const { s, type, json } of handover.events) {
      session.keep({ s, event: { type, json, bytes: Buffer.byteLength(json), isPersonal: false } });
    }
    return session;
  }

  get state(): { seq: number; acknowledged: number; floor: number } {
    return { seq: this.seq, acknowledged: this.acknowledged, floor: this.floor };
  }

  /** Whether a credential is the one that opened the session. */
  isBoundTo(identity: SessionIdentity | BotIdentity): boolean {
    if (identity.account.id !== this.accountId) return false;
    return identity.via === 'session'
      ? this.via === 'session' && identity.sessionId === this.credentialId
      : this.botDigest?.equals(identity.digest) === true;
  }

  dispatch(event: GatewayEvent, position?: Position): void {
    if (this.writer) this.writer.push({ event, position });
    else if (this.wants(event)) this.commit(event);
  }

  wants(event: GatewayEvent): boolean {
    return event.isPersonal || !this.isUnwanted(event);
  }

  isTooLarge({ bytes }: GatewayEvent): boolean {
    return bytes > this.numbers.replay_event_bytes;
  }

  /** Gives an event the next sequence number, keeps it for replay and sends it if somebody is there. */
  commit(event: GatewayEvent): void {
    const dispatch = { s: ++this.seq, event };
    if (!event.isPersonal && this.floor !== NEVER) this.keep(dispatch);
    this.holder?.deliver(dispatch);
  }

  private isUnwanted({ type }: GatewayEvent): boolean {
    const { shard, ignored } = this.wishes;
    return (shard !== null && shard[0] !== 0) || ignored.has(type);
  }

  private keep(dispatch: Dispatch): void {
    if (this.isTooLarge(dispatch.event)) {
      this.floor = dispatch.s;
      return;
    }
    this.kept.push(dispatch);
    this.keptBytes += dispatch.event.bytes;
    while (this.kept.length - this.first > this.numbers.replay_events || this.keptBytes > this.numbers.replay_bytes) {
      this.floor = this.dropFirst();
    }
  }

  private dropFirst(): number {
    const { s, event } = this.kept[this.first] as Dispatch;
    this.first++;
    this.keptBytes -= event.bytes;
    if (this.first >= COMPACT_AT && this.first * 2 >= this.kept.length) {
      this.kept = this.kept.slice(this.first);
      this.first = 0;
    }
    return s;
  }

  /** The client has processed everything up to `seq`: that is not asked for again. */
  acknowledge(seq: number): void {
    this.acknowledged = Math.max(this.acknowledged, Math.min(seq, this.seq));
    while ((this.kept[this.first]?.s ?? Number.POSITIVE_INFINITY) <= this.acknowledged) this.dropFirst();
    this.writer?.touch();
  }

  /** Events may have been missed: the next Resume is refused, so that none is skipped in silence. */
  breakReplay(): void {
    this.writer?.lose();
    this.floor = NEVER;
    this.kept = [];
    this.first = 0;
    this.keptBytes = 0;
  }

  /** What a Resume from `seq` gets: the later events, or why it gets none. */
  since(seq: number): Dispatch[] | 'impossible' | 'gone' {
    if (seq > this.seq || seq < this.acknowledged) return 'impossible';
    if (seq < this.floor) return 'gone';
    return this.kept.slice(this.first).filter(({ s }) => s > seq);
  }
}
