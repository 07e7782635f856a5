export const OP = {
  DISPATCH: 0,
  HEARTBEAT: 1,
  IDENTIFY: 2,
  RESUME: 6,
  RECONNECT: 7,
  INVALID_SESSION: 9,
  HELLO: 10,
  HEARTBEAT_ACK: 11,
} as const;

/** Close code and reason of a connection. Reasons are constants and never contain external text. */
export type Closing = readonly [code: number, reason: string];

/** Every close code of contract/gateway.md section 5. */
export const CLOSING = {
  startFailed: [4000, 'Failed to start session'],
  unavailable: [4000, 'Session unavailable'],
  drained: [4000, 'Session drain requested; reconnect to continue'],
  unknownOpcode: [4001, 'Unknown opcode'],
  tooLarge: [4002, 'Payload too large'],
  undecodable: [4002, 'Decode failed'],
  invalidPayload: [4002, 'Invalid payload'],
  invalidIdentify: [4002, 'Invalid identify payload'],
  invalidResume: [4002, 'Invalid resume payload'],
  notAuthenticated: [4003, 'Not authenticated'],
  invalidToken: [4004, 'Invalid token'],
  alreadyAuthenticated: [4005, 'Already authenticated'],
  invalidSequence: [4007, 'Invalid sequence'],
  tooManyConnections: [4008, 'Too many connections'],
  rateLimited: [4008, 'Rate limited'],
  tooManySessions: [4008, 'Too many sessions'],
  heartbeatTimeout: [4009, 'Heartbeat timeout'],
  invalidShard: [4010, 'Invalid shard'],
  invalidVersion: [4012, 'Invalid API version'],
} as const satisfies Record<string, Closing>;

/** Thrown while a message is handled. Closes the connection with this code and reason. */
export class ClosingError extends Error {
  readonly closing: Closing;

  constructor(cause: keyof typeof CLOSING) {
    super(cause);
    this.closing = CLOSING[cause];
  }
}

/** Thrown while a message is handled. The message is dropped silently. */
export class MessageDropped extends Error {}

export const FRAME = {
  heartbeat: '{"op":1,"d":null}',
  reconnect: '{"op":7}',
  invalidSession: '{"op":9,"d":false}',
  heartbeatAck: '{"op":11}',
} as const;

export const helloFrame = (intervalMs: number): string => `{"op":10,"d":{"heartbeat_interval":${intervalMs}}}`;

export interface Payload {
  readonly op: number;
  readonly d: unknown;
  readonly t: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the text of a message, which is valid UTF-8.
 * @throws ClosingError undecodable, invalidPayload
 */
export function parsePayload(text: Buffer): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    throw new ClosingError('undecodable');
  }
  if (!isObject(value)) throw new ClosingError('undecodable');
  const { op, d, t } = value;
  if (!Number.isInteger(op)) throw new ClosingError('invalidPayload');
  return { op: op as number, d, t };
}

export interface IdentifyInput {
  readonly token: string;
  readonly mobile: boolean;
  /** Event types that the session does not receive. */
  readonly ignored: ReadonlySet<string>;
  readonly shard: readonly [id: number, count: number] | null;
}

const MAX_IGNORED = 256;
const MAX_SHARDS = 16_384;

/** @throws ClosingError invalidIdentify, invalidShard */
export function parseIdentify(d: unknown): IdentifyInput {
  if (!isObject(d)) throw new ClosingError('invalidIdentify');
  const { token, properties = {}, ignored_events: ignored = null, shard = null } = d;
  if (typeof token !== 'string' || token === '' || !isObject(properties)) throw new ClosingError('invalidIdentify');
  if (ignored !== null && !isStringList(ignored)) throw new ClosingError('invalidIdentify');
  if (shard !== null && !isShard(shard)) throw new ClosingError('invalidShard');
  return {
    token,
    mobile: properties.mobile === true,
    ignored: new Set(ignored?.map((type) => type.toUpperCase())),
    shard,
  };
}

const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= MAX_IGNORED && value.every((item) => typeof item === 'string');

function isShard(value: unknown): value is [number, number] {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isInteger)) return false;
  const [id, count] = value as [number, number];
  return count >= 1 && count <= MAX_SHARDS && id >= 0 && id < count;
}

export interface ResumeInput {
  readonly token: string;
  readonly sessionId: string;
  readonly seq: number;
}

/** @throws ClosingError invalidResume */
export function parseResume(d: unknown): ResumeInput {
  if (!isObject(d)) throw new ClosingError('invalidResume');
  const { token, session_id: sessionId, seq } = d;
  if (typeof token !== 'string' || token === '' || typeof sessionId !== 'string' || sessionId === '') {
    throw new ClosingError('invalidResume');
  }
  if (!Number.isInteger(seq)) throw new ClosingError('invalidResume');
  return { token, sessionId, seq: seq as number };
}
