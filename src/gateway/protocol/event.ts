import { hash } from 'node:crypto';
import type { EventType, EventTypes } from './event-types.js';
import type { Closing, IdentifyInput } from './protocol.js';

const FRAME_BEGIN = '{"op":0,"d":';

/** An event as it is sent to any number of sessions: it is encoded once, and all sockets share the memory. */
export interface GatewayEvent {
  readonly type: string;
  /** The beginning of its frames, with the data. */
  readonly frame: Buffer;
  /** Size of the data. */
  readonly bytes: number;
  /** Sent whatever a session ignores; not kept for replay. */
  readonly isPersonal: boolean;
  /** How the socket that gets it ends. */
  readonly closing?: Closing;
}

export function eventOf<T extends EventType>(type: T, d: EventTypes[T], isPersonal = false): GatewayEvent {
  return eventFrom(type, JSON.stringify(d), isPersonal);
}

export function eventFrom(type: string, json: string, isPersonal = false): GatewayEvent {
  const bytes = Buffer.byteLength(json);
  // Memory of its own: a piece of a pool would keep the whole pool for as long as the event may be asked for again.
  const frame = Buffer.allocUnsafeSlow(FRAME_BEGIN.length + bytes);
  frame.write(FRAME_BEGIN + json);
  return { type, frame, bytes, isPersonal };
}

export const jsonOf = ({ frame }: GatewayEvent): string => frame.toString('utf8', FRAME_BEGIN.length);

/** What names an event among those of its account: its number, or after which one a list of sessions was told. */
export type Ref = string;

/** An event that was heard of; no `event` where there is nothing to tell. */
export interface Heard {
  readonly ref: Ref;
  /** Null for what is in no journal. */
  readonly number: number | null;
  readonly event: GatewayEvent | null;
}

export const numbered = (number: number, event: GatewayEvent | null): Heard => ({ ref: String(number), number, event });

/** Lists of sessions that say the same after the same event are one. */
export function presenceAfter(number: number, event: GatewayEvent): Heard {
  return { ref: `p${number}.${hash('sha256', event.frame, 'base64url').slice(0, 12)}`, number: null, event };
}

/** To a login session alone. */
export const personal = (event: GatewayEvent): Heard => ({ ref: '', number: null, event });

export const isPresence = (ref: Ref): boolean => ref.startsWith('p');

/** The number of the event, or of the last one before it. */
export const placeOf = (ref: Ref): number => Number.parseInt(isPresence(ref) ? ref.slice(1) : ref, 10);

/** A dispatch of one session: the event under its sequence number. */
export interface Dispatch {
  readonly s: number;
  readonly event: GatewayEvent;
}

/** What follows the data of the event in the frame of a dispatch. */
export const frameEnd = ({ s, event }: Dispatch): Buffer => Buffer.from(`,"s":${s},"t":${JSON.stringify(event.type)}}`);

/** What a client asked for when it identified. */
export type Wishes = Pick<IdentifyInput, 'mobile' | 'ignored' | 'shard'>;

/** Shard, then what is ignored. */
export function isWanted(
  { shard, ignored }: Wishes,
  { type, isPersonal }: Pick<GatewayEvent, 'type' | 'isPersonal'>,
): boolean {
  return isPersonal || ((shard === null || shard[0] === 0) && !ignored.has(type));
}

export function textOfWishes({ mobile, ignored, shard }: Wishes): string {
  return JSON.stringify({ mobile, ignored: [...ignored], shard });
}

export function wishesOf(text: string): Wishes {
  const { mobile, ignored, shard } = JSON.parse(text);
  return { mobile, ignored: new Set(ignored), shard };
}
