import type { Ref } from '../protocol/event.js';
import type { Break, SessionLogState } from '../protocol/session-log.js';

/** The first record of a gateway session. */
export interface NewSession {
  readonly id: string;
  readonly account: string;
  /** ID of the login session or the bot token that opened it. */
  readonly login: string;
  /** A hash of the credential that opened it. */
  readonly binding: string;
  /** The Identify options as JSON. */
  readonly wishes: string;
  readonly cursor: number;
  /** True if the first dispatch is the session list of READY. That list cannot be replayed. */
  readonly isTold: boolean;
}

export interface StoredPayload {
  readonly ref: Ref;
  readonly type: string;
  readonly json: string;
}

export interface FencedSession {
  readonly id: string;
  readonly fence: number;
}

/** A session without a connection. */
export interface RetainedSession extends FencedSession {
  readonly forMs: number;
  /** True if the session has received the current session list. */
  readonly isTold: boolean;
}

/** The mutable state of a stored session. */
interface State {
  /** Number of writes. */
  readonly step: number;
  readonly standing: SessionLogState;
  /** The lowest event number that the session may need for a replay. */
  readonly needed: number;
}

export interface SessionWrite extends FencedSession, State {
  /** How many of the oldest breaks to delete. `breaks` contains the new ones. */
  readonly drop: number;
  readonly breaks: readonly Break[];
}

/** The complete state of a session, for a store that has lost it. */
export interface StoredSession extends FencedSession, State, Omit<NewSession, 'cursor' | 'isTold'> {
  readonly since: number;
  readonly breaks: readonly Break[];
  readonly payloads: readonly StoredPayload[];
}

/** A session that moves to another process, with its complete state. */
export interface Handover {
  readonly fence: number;
  readonly since: number;
  readonly step: number;
  readonly standing: SessionLogState;
  readonly wishes: string;
  readonly breaks: readonly Break[];
  readonly payloads: readonly StoredPayload[];
  /** Other sessions of the account started or ended while this one had no connection. */
  readonly lacksCurrentList: boolean;
}

export interface ClaimInput {
  readonly id: string;
  /** Fencing number under which this process owns the session; 0 if it does not. */
  readonly fence: number;
  readonly binding: string;
  readonly seq: number;
}

/** The result of a claim. `held`: this process already owns the session. */
export type Claim = 'unknown' | 'foreign' | 'impossible' | 'evicted' | 'held' | Handover;

/** Ownership of a session: still `held`, `moved` to another process, or `gone` from the store. */
export type Holding = 'held' | 'moved' | 'gone';

/** Known facts about the sessions of an account. */
export interface KnownSessions {
  readonly listed?: readonly ListedSession[];
  /** True if other processes have some of the sessions. */
  readonly isElsewhere: boolean;
}

export interface Removal extends KnownSessions {
  readonly holding: Holding;
}

export interface Renewal {
  /** Null if the server of a session does not respond. */
  readonly holdings: readonly (Holding | null)[];
  /** Accounts with expired sessions. Each expiration is reported to one process only. */
  readonly changed: readonly string[];
}

export interface ListedSession {
  readonly id: string;
  readonly mobile: boolean;
  /** True if this process owns it. */
  readonly isHere: boolean;
}

/** Revoked credentials: login sessions and bot tokens with their accounts, or all of a bot. */
export interface Revocation {
  readonly sessions?: readonly string[];
  readonly owners?: readonly string[];
  readonly bot?: string;
}

export interface SocketCount {
  readonly key: string;
  readonly count: number;
}

/** The result of creating a session. `create` returns null if the account has too many sessions. */
export interface Created {
  readonly since: number;
  readonly listed: readonly ListedSession[];
}

type MaybePromise<T> = T | Promise<T>;

/**
 * Stores gateway sessions outside the process that serves them, so that another process can resume them.
 * One process owns a session. Each change of owner increments its fencing number, and writes with an older number are
 * rejected. Data in the store may be lost; the owner restores it.
 */
export abstract class SessionStore {
  /** Returns the ID of a new session: 32 hex digits that cannot be guessed. */
  abstract newId(account: string): string;
  abstract create(session: NewSession, limit: number): MaybePromise<Created | null>;
  /**
   * Writes steps of sessions of one account, with the events that are not stored yet. Repeating a step has no effect.
   */
  abstract write(
    account: string,
    payloads: readonly StoredPayload[],
    steps: readonly SessionWrite[],
  ): MaybePromise<readonly Holding[]>;
  /** Restores a session unless another process has claimed it since. */
  abstract restore(session: StoredSession): MaybePromise<Holding>;
  /** Makes this process the owner if the session can be resumed from `seq`. Otherwise nothing changes. */
  abstract claim(input: ClaimInput): MaybePromise<Claim>;
  /** Extends the leases of sessions that have a connection, and of the replayable events of their accounts. */
  abstract renew(sessions: readonly FencedSession[]): MaybePromise<Renewal>;
  /** Sets the remaining retention time of sessions that lost their connection. */
  abstract retain(sessions: readonly RetainedSession[]): MaybePromise<void>;
  /** Removes the session from the list of its account. `gone`: another process has already removed it. */
  abstract remove(session: FencedSession): MaybePromise<Removal>;
  /** Removes the gateway sessions of revoked credentials. Returns the accounts that had such sessions. */
  abstract revoke(revocation: Revocation): MaybePromise<readonly string[]>;
  /** Returns the sessions of an account in order of creation. Null: only this process has sessions. */
  abstract list(account: string): Promise<ListedSession[]> | null;
  /** Stores the number of sockets per IP address of this process. Returns the totals of all processes. */
  abstract sockets(counts: readonly SocketCount[]): MaybePromise<number[]>;
  abstract close(): Promise<void>;
}
