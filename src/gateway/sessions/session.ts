import { hash, randomBytes } from 'node:crypto';
import type { GatewayNumbers } from '../../core/config/gateway-numbers.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { Heard, Wishes } from '../protocol/event.js';
import type { Payloads } from '../protocol/payloads.js';
import { type Break, SessionLog, type Standing, type Step } from '../protocol/session-log.js';
import { FixedWindow } from '../protocol/windows.js';
import type { SessionHolder } from './session-holder.js';

/** Names the credential that opens a session, for whoever may resume it. */
export function bindingOf(identity: SessionIdentity | BotIdentity): string {
  const credential = identity.via === 'session' ? identity.sessionId : identity.digest.toString('hex');
  return hash('sha256', `gateway:${identity.account.id}:${identity.via}:${credential}`, 'base64url');
}

/** What the store of all replicas has of a session, and what it has still to be told. */
export interface Stored {
  /** Under which this process owns the session. */
  readonly fence: number;
  /** Since when the session is listed, by the clock of the store. */
  readonly since: number;
  /** The writes that were made. */
  step: number;
  pending: Heard[];
  /** What is heard waits until the session is stored. */
  isHeld: boolean;
  isDirty: boolean;
  /** The store has nothing of the session any more. */
  isGone: boolean;
  /** Clients have seen more than the store has, and all replicas can know that. */
  isAhead: boolean;
  ending: 'retain' | 'remove' | null;
  /** Another process has it, or nobody. */
  isOver: boolean;
}

/**
 * A gateway session: the credential that opened it, its sequence, and what a Resume can ask for. It lives on a connection
 * or, for a while, without one.
 */
export class GatewaySession {
  readonly accountId: string;
  readonly via: 'session' | 'bot';
  /** The login session, or the bot's application. */
  readonly credentialId: string;
  /** Of the bot's secret; a login session is known by its id, which outlives a rotation of its token. */
  readonly botDigest: Buffer | null;
  readonly binding: string;
  readonly payloads = new FixedWindow();
  readonly log: SessionLog;
  /** Null where sessions live and die with the process. */
  stored: Stored | null = null;
  /** Of the token that was presented last. */
  presented: Buffer;
  /** READY was sent. */
  isStarted = false;
  /** Other sessions of the account have started or ended while nobody held it. */
  isUntold = false;
  /** The last list of them that it was told here, as it was sent. */
  toldList: Buffer | null = null;
  /** Its credential died. */
  isRevoked = false;
  /** When it is forgotten, while it has no connection. */
  retainedUntil = 0;

  constructor(
    identity: SessionIdentity | BotIdentity,
    readonly wishes: Wishes,
    public holder: SessionHolder | null,
    /** When its credential was last seen alive. */
    public checkedAt: number,
    kept: Payloads,
    numbers: GatewayNumbers,
    readonly id = randomBytes(16).toString('hex'),
    was?: { standing: Standing; breaks: readonly Break[] },
  ) {
    this.accountId = identity.account.id;
    this.via = identity.via;
    this.credentialId = identity.via === 'session' ? identity.sessionId : identity.applicationId;
    this.botDigest = identity.via === 'bot' ? identity.digest : null;
    this.presented = identity.digest;
    this.binding = bindingOf(identity);
    this.log = new SessionLog(wishes, kept, numbers, was?.standing, was?.breaks);
  }

  get seq(): number {
    return this.log.now.seq;
  }

  /** Whether a credential is the one that opened the session. */
  isBoundTo(identity: SessionIdentity | BotIdentity): boolean {
    return identity.account.id === this.accountId && bindingOf(identity) === this.binding;
  }

  /** Takes what it heard of, where nothing has to be stored first. */
  take(heard: readonly Heard[]): void {
    this.commit(this.log.plan(heard));
  }

  /** Makes a step, and sends what belongs to it if somebody is there. */
  commit(step: Step): void {
    this.log.commit(step);
    for (const dispatch of step.dispatches) this.holder?.deliver(dispatch);
  }
}
