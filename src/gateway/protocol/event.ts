import { hash } from 'node:crypto';
import type { EventData, EventType } from '../../core/names.js';
import type { Closing, IdentifyInput } from './protocol.js';

const FRAME_BEGIN = '{"op":0,"d":';

/** An event for any number of sessions. It is encoded once, and all sockets share the buffer. */
export interface GatewayEvent {
  readonly type: string;
  /** The first part of its frames, including the data. */
  readonly frame: Buffer;
  /** Size of the data in bytes. */
  readonly bytes: number;
  /** Sent even if the session ignores this event type; not stored for replay. */
  readonly isPersonal: boolean;
  /** Closes the socket with this code after the event is sent. */
  readonly closing?: Closing;
}

export function eventOf<T extends EventType>(type: T, d: EventData<T>, isPersonal = false): GatewayEvent {
  return eventFrom(type, JSON.stringify(d), isPersonal);
}

export function eventFrom(type: string, json: string, isPersonal = false): GatewayEvent {
  const bytes = Buffer.byteLength(json);
  // Not from the buffer pool: a pooled slice would keep the whole pool in memory for as long as the event can be
  // replayed.
  const frame = Buffer.allocUnsafeSlow(FRAME_BEGIN.length + bytes);
  frame.write(FRAME_BEGIN + json);
  return { type, frame, bytes, isPersonal };
}

export const jsonOf = ({ frame }: GatewayEvent): string => frame.toString('utf8', FRAME_BEGIN.length);

/**
 * Identifies an event of an account: its event number, or for session lists the number of the event before the list.
 */
export type Ref = string;

/** An event received from the journal. `event` is null if there is nothing to send. */
export interface ReceivedEvent {
  readonly ref: Ref;
  /** Null for events that are not in the journal. */
  readonly number: number | null;
  readonly event: GatewayEvent | null;
}

export const journalEvent = (number: number, event: GatewayEvent | null): ReceivedEvent => ({
  ref: String(number),
  number,
  event,
});

/** Returns a session list as an event. Equal lists after the same event get the same reference. */
export function presenceEventAfter(number: number, event: GatewayEvent): ReceivedEvent {
  return { ref: `p${number}.${hash('sha256', event.frame, 'base64url').slice(0, 12)}`, number: null, event };
}

/** An event for one login session only. */
export const personalEvent = (event: GatewayEvent): ReceivedEvent => ({ ref: '', number: null, event });

export const isPresence = (ref: Ref): boolean => ref.startsWith('p');

/** The event number of the event, or of the last event before a session list. */
export const positionOf = (ref: Ref): number => Number.parseInt(isPresence(ref) ? ref.slice(1) : ref, 10);

/** A dispatch of one session: an event with its sequence number. */
export interface Dispatch {
  readonly s: number;
  readonly event: GatewayEvent;
}

/** The second part of a dispatch frame, after the data of the event. */
export const frameEnd = ({ s, event }: Dispatch): Buffer => Buffer.from(`,"s":${s},"t":${JSON.stringify(event.type)}}`);

/** The options that a client sent with Identify. */
export type SessionOptions = Pick<IdentifyInput, 'mobile' | 'ignored' | 'shard'>;

/** True if the session receives the event: checks the shard first, then the ignored types. */
export function isSubscribed(
  { shard, ignored }: SessionOptions,
  { type, isPersonal }: Pick<GatewayEvent, 'type' | 'isPersonal'>,
): boolean {
  return isPersonal || ((shard === null || shard[0] === 0) && !ignored.has(type));
}

export function serializeOptions({ mobile, ignored, shard }: SessionOptions): string {
  return JSON.stringify({ mobile, ignored: [...ignored], shard });
}

export function parseOptions(text: string): SessionOptions {
  const { mobile, ignored, shard } = JSON.parse(text);
  return { mobile, ignored: new Set(ignored), shard };
}
