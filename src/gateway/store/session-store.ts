import type { Ref } from '../protocol/event.js';
import type { Break, Standing } from '../protocol/session-log.js';

/** A gateway session as it is first stored. */
export interface NewSession {
  readonly id: string;
  readonly account: string;
  /** The login session that opened it, if it was one. */
  readonly login: string | null;
  /** Names the credential that opened it without being one. */
  readonly binding: string;
  /** What the client asked for. */
  readonly wishes: string;
  readonly cursor: number;
  /** Its first dispatch is the list of sessions that READY had, which nobody asks for again. */
  readonly isTold: boolean;
}

export interface StoredPayload {
  readonly ref: Ref;
  readonly type: string;
  readonly json: string;
}

export interface HeldSession {
  readonly id: string;
  readonly fence: number;
}

/** A session without a connection. */
export interface RestingSession extends HeldSession {
  readonly forMs: number;
  /** It was told of all sessions of its account. */
  readonly isTold: boolean;
}

/** What is stored of a session beside its first record. */
interface State {
  /** How many writes there were. */
  readonly step: number;
  readonly standing: Standing;
  /** The place in the journal from which the session may ask for events again. */
  readonly needed: number;
}

/** A session makes a step. */
export interface SessionWrite extends HeldSession, State {
  /** How many breaks of the map are of no use any more, the oldest ones, and which ones are new. */
  readonly drop: number;
  readonly breaks: readonly Break[];
}

/** All that there is of a session, for a store that has lost it. */
export interface WholeSession extends HeldSession, State, Omit<NewSession, 'cursor' | 'isTold'> {
  readonly since: number;
  readonly breaks: readonly Break[];
  readonly payloads: readonly StoredPayload[];
}

/** A session that changes hands, with all that its new owner has to know. */
export interface Handover {
  readonly fence: number;
  readonly since: number;
  readonly step: number;
  readonly standing: Standing;
  readonly wishes: string;
  readonly breaks: readonly Break[];
  readonly payloads: readonly StoredPayload[];
  /** Other sessions of the account have started or ended since nobody holds it. */
  readonly isUntold: boolean;
}

export interface ClaimInput {
  readonly id: string;
  /** The fencing number under which this process holds the session; 0 if it does not. */
  readonly fence: number;
  readonly binding: string;
  readonly seq: number;
}

/** `held`: nothing changes hands, the process holds the session already. */
export type Claim = 'unknown' | 'foreign' | 'impossible' | 'evicted' | 'held' | Handover;

/** How a session stands with its owner: `moved` to another one, or `gone` from the store. */
export type Holding = 'held' | 'moved' | 'gone';

/** What is known of the sessions of an account. */
export interface Known {
  readonly listed?: readonly ListedSession[];
  /** Other processes have some of them. */
  readonly isElsewhere: boolean;
}

export interface Removal extends Known {
  readonly holding: Holding;
}

export interface Renewal {
  readonly holdings: readonly Holding[];
  /** Accounts of which sessions that nobody renewed have expired; each expiry is answered to one process. */
  readonly changed: readonly string[];
}

export interface ListedSession {
  readonly id: string;
  readonly mobile: boolean;
  /** This process has it. */
  readonly isHere: boolean;
}

export interface SocketCount {
  readonly key: string;
  readonly count: number;
}

/** What a session is created as; null: the account has its limit. */
export interface Created {
  readonly since: number;
  readonly listed: readonly ListedSession[];
}

type Answer<T> = T | Promise<T>;

/**
 * Where gateway sessions are kept beside the memory of the process that serves them, so that another can go on. One
 * process owns a session; every change of owner raises its fencing number, and who has an older one writes nothing. What is
 * kept may be lost: the owner puts it back.
 */
export abstract class SessionStore {
  abstract create(session: NewSession, limit: number): Answer<Created | null>;
  /** Steps of sessions of one account, with the events that they are the first to have. A step is made once. */
  abstract write(
    account: string,
    payloads: readonly StoredPayload[],
    steps: readonly SessionWrite[],
  ): Answer<readonly Holding[]>;
  /** Puts a session back; not if another process has taken it since. */
  abstract restore(session: WholeSession): Answer<Holding>;
  /** Makes this process the owner if the session may be resumed from `seq`; else nothing changes. */
  abstract claim(input: ClaimInput): Answer<Claim>;
  /** Keeps sessions that have a connection, and what their accounts may ask for again. */
  abstract renew(sessions: readonly HeldSession[]): Answer<Renewal>;
  /** The sessions have no connection any more: each is kept for the time that is left to it. */
  abstract retain(sessions: readonly RestingSession[]): Answer<void>;
  /** Takes the session from the account's list; `gone`: another process was answered that it did. */
  abstract remove(session: HeldSession, account: string): Answer<Removal>;
  /**
   * Removes the sessions of login sessions, or all of an account but those of one login session. Answers the accounts
   * that had such sessions until now.
   */
  abstract revoke(
    logins: readonly string[],
    accounts: readonly string[],
    except: string | undefined,
  ): Answer<readonly string[]>;
  /** The sessions of an account, as they were created; null: those of this process are all. */
  abstract list(account: string): Promise<ListedSession[]> | null;
  /** Says how many sockets of each address this process has, and answers how many all processes have. */
  abstract sockets(counts: readonly SocketCount[]): Answer<number[]>;
  abstract close(): Promise<void>;
}
