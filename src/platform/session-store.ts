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
}

export interface StoredEvent {
  readonly s: number;
  readonly type: string;
  readonly json: string;
}

/** A step of a session, from the sequence that is stored to a later one. */
export interface SessionWrite {
  readonly from: number;
  readonly seq: number;
  readonly acknowledged: number;
  readonly floor: number;
  /** Which events of the account the session knows of. */
  readonly cursor: string;
  readonly events: readonly StoredEvent[];
}

/** A session that changes hands, with all that its new owner has to know. */
export interface Handover {
  readonly fence: number;
  readonly seq: number;
  readonly acknowledged: number;
  readonly floor: number;
  readonly wishes: string;
  readonly cursor: string;
  readonly events: readonly StoredEvent[];
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

export interface Renewal {
  readonly holdings: readonly Holding[];
  /** Accounts of which sessions that nobody renewed have expired; each expiry is answered to one process. */
  readonly changed: readonly string[];
}

export interface HeldSession {
  readonly id: string;
  readonly fence: number;
}

export interface SocketCount {
  readonly key: string;
  readonly count: number;
}

type Answer<T> = T | Promise<T>;

/**
 * Where gateway sessions are kept beside the memory of the process that serves them, so that another can go on. One
 * process owns a session; every change of owner raises its fencing number, and who has an older one writes nothing.
 */
export abstract class SessionStore {
  /** False: sessions live and die with the process. */
  abstract readonly isShared: boolean;
  /** False: the account has its limit of sessions. */
  abstract create(session: NewSession, limit: number): Answer<boolean>;
  abstract write(session: HeldSession, write: SessionWrite): Answer<Holding>;
  /** Makes this process the owner if the session may be resumed from `seq`; else nothing changes. */
  abstract claim(input: ClaimInput): Answer<Claim>;
  /** Keeps sessions that have a connection. */
  abstract renew(sessions: readonly HeldSession[]): Answer<Renewal>;
  /** The session has no connection any more: it is kept for the time of retention. */
  abstract retain(session: HeldSession): Answer<void>;
  /** Takes the session from the account's list; `gone`: another process was answered that it did. */
  abstract remove(session: HeldSession, account: string): Answer<Holding>;
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
  abstract list(account: string): Answer<Pick<NewSession, 'id' | 'wishes'>[] | null>;
  /** Says how many sockets of each address this process has, and answers how many all processes have. */
  abstract sockets(counts: readonly SocketCount[]): Answer<number[]>;
  abstract close(): Promise<void>;
}

/** Sessions are nowhere but in the process. */
export class ProcessSessions extends SessionStore {
  readonly isShared = false;

  create(): boolean {
    return true;
  }

  write(): Holding {
    return 'held';
  }

  claim(): Claim {
    return 'held';
  }

  renew(sessions: readonly HeldSession[]): Renewal {
    return { holdings: sessions.map(() => 'held'), changed: [] };
  }

  retain(): void {}

  remove(): Holding {
    return 'held';
  }

  revoke(): readonly string[] {
    return [];
  }

  list(): null {
    return null;
  }

  sockets(counts: readonly SocketCount[]): number[] {
    return counts.map(({ count }) => count);
  }

  async close(): Promise<void> {}
}
