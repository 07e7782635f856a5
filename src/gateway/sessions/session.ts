import { hash } from 'node:crypto';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { ReceivedEvent, SessionOptions } from '../protocol/event.js';
import type { Payloads } from '../protocol/payloads.js';
import { type Break, SessionLog, type SessionLogState, type Step } from '../protocol/session-log.js';
import { FixedWindow } from '../protocol/windows.js';
import type { GatewayNumbers } from '../settings/gateway.settings.js';
import type { SessionHolder } from './session-holder.js';

/** A hash that identifies the credential of a session. Only the same credential may resume it. */
export function credentialBinding(identity: SessionIdentity | BotIdentity): string {
  const credential = identity.via === 'session' ? identity.sessionId : identity.digest.toString('hex');
  return hash('sha256', `gateway:${identity.account.id}:${identity.via}:${credential}`, 'base64url');
}

/**
 * What the shared store has of a session:
 * - `starting`: events wait until the session is stored.
 * - `stored`: everything that clients have received.
 * - `lost`: the store has lost the session.
 * - `ahead`: clients have received more than the store has, and the database has recorded that.
 * - `restoring`: `ahead`, and events wait until the session is stored again.
 * - `closed`: this process no longer owns the session.
 */
type StoreState = 'starting' | 'stored' | 'lost' | 'ahead' | 'restoring' | 'closed';

/** A session in the shared store and the writes that are pending. */
export interface Stored {
  /** Fencing number under which this process owns the session. */
  readonly fence: number;
  /** Creation time of the session, by the clock of the store. */
  readonly since: number;
  /** Number of writes. */
  step: number;
  pending: ReceivedEvent[];
  state: StoreState;
  /** Data other than events has changed and must be written. */
  needsWrite: boolean;
  ending: 'retain' | 'remove' | null;
}

export const startStored = ({ fence, since, step }: Pick<Stored, 'fence' | 'since' | 'step'>): Stored => ({
  ...{ fence, since, step, pending: [], state: 'starting', needsWrite: false, ending: null },
});

export const isClosed = ({ state }: Stored): boolean => state === 'closed';

/** Whether clients have received more than the store has. */
export const isAhead = ({ state }: Stored): boolean => state === 'ahead' || state === 'restoring';

/** Whether events wait until the session is stored. */
export const isHolding = ({ state }: Stored): boolean => state === 'starting' || state === 'restoring';

/** Lets the events be written that wait for the session. */
export function stopHolding(stored: Stored): void {
  if (stored.state === 'starting') stored.state = 'stored';
  if (stored.state === 'restoring') stored.state = 'ahead';
}

/** Records that the store has lost the session. In other states, the next write finds that out. */
export function markLost(stored: Stored): void {
  if (stored.state === 'stored') stored.state = 'lost';
}

/**
 * A gateway session: its credential, its sequence and its replayable events. It can exist without a connection for a
 * limited time.
 */
export class GatewaySession {
  readonly accountId: string;
  readonly via: 'session' | 'bot';
  /** ID of the login session, or of the bot's token. */
  readonly credentialId: string;
  /**
   * Digest of the bot's secret. Login sessions are identified by their ID, which does not change when the token is
   * rotated.
   */
  readonly botDigest: Buffer | null;
  readonly binding: string;
  readonly payloads = new FixedWindow();
  readonly log: SessionLog;
  /** Null if sessions exist only in the process. */
  stored: Stored | null = null;
  /** Digest of the last presented token. */
  presentedDigest: Buffer;
  /** True once READY was sent. */
  isStarted = false;
  /** Other sessions of the account started or ended while this one had no connection. */
  lacksCurrentList = false;
  /** The last session list that this session received from this process, as a frame. */
  lastSentList: Buffer | null = null;
  /** True once its credential is revoked. */
  isRevoked = false;
  /** Number of received notices that its token was rotated. */
  tokenRotations = 0;
  /** When the session is removed if it still has no connection. */
  retainedUntil = 0;

  constructor(
    identity: SessionIdentity | BotIdentity,
    readonly options: SessionOptions,
    public holder: SessionHolder | null,
    /** When its credential was last validated. */
    public checkedAt: number,
    kept: Payloads,
    numbers: GatewayNumbers,
    readonly id: string,
    was?: { standing: SessionLogState; breaks: readonly Break[] },
  ) {
    this.accountId = identity.account.id;
    this.via = identity.via;
    this.credentialId = identity.via === 'session' ? identity.sessionId : identity.tokenId;
    this.botDigest = identity.via === 'bot' ? identity.digest : null;
    this.presentedDigest = identity.digest;
    this.binding = credentialBinding(identity);
    this.log = new SessionLog(options, kept, numbers, was?.standing, was?.breaks);
  }

  get seq(): number {
    return this.log.currentState.seq;
  }

  /** True if the credential is the one that opened the session. */
  isBoundTo(identity: SessionIdentity | BotIdentity): boolean {
    return identity.account.id === this.accountId && credentialBinding(identity) === this.binding;
  }

  /** Dispatches events without storing them first. */
  applyEvents(received: readonly ReceivedEvent[]): void {
    this.commit(this.log.plan(received));
  }

  /** Applies a step and sends its dispatches if there is a connection. */
  commit(step: Step): void {
    this.log.commit(step);
    for (const dispatch of step.dispatches) this.holder?.deliver(dispatch);
  }
}
