import { Injectable } from '@nestjs/common';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { ListedSession } from '../store/session-store.js';
import type { AccountSessions } from './account-sessions.js';
import { LiveSessions } from './live-sessions.service.js';
import type { GatewaySession } from './session.js';

/** The session for a Resume, or the reason why there is none. `moved`: another Resume has claimed it. */
export type ResumeTarget = GatewaySession | 'moved' | 'unknown' | 'foreign' | 'impossible' | 'evicted';

/** The result of starting a session. */
export interface StartedSession {
  /** All sessions of the account. */
  readonly listed: readonly ListedSession[];
  /** True if that list is dispatched after READY, so that it need not be sent again. */
  readonly isListDispatched: boolean;
}

/** Stores gateway sessions outside the memory of the process that serves them, or not. */
export abstract class SessionPersistence {
  /** Queues events for the new session from now on. */
  abstract attach(session: GatewaySession, account: AccountSessions): void;
  /**
   * Starts the session. From here on it misses no event on any replica. Returns null if the account has too many
   * sessions.
   */
  abstract begin(
    session: GatewaySession,
    account: AccountSessions,
    limit: number,
  ): StartedSession | Promise<StartedSession | null>;
  /** Finds the session for a Resume on any replica. */
  abstract find(id: string, identity: SessionIdentity | BotIdentity, seq: number): ResumeTarget | Promise<ResumeTarget>;
  abstract tick(now: number): void;
  /** Releases sessions on shutdown so that other replicas can resume them. */
  abstract leave(): Promise<void>;
}

/** Sessions exist only in this process and end with it. */
@Injectable()
export class ProcessPersistence extends SessionPersistence {
  constructor(private readonly sessions: LiveSessions) {
    super();
  }

  attach(session: GatewaySession, account: AccountSessions): void {
    session.log.startAt(account.lastEvent?.number ?? 0);
  }

  begin(session: GatewaySession, account: AccountSessions): StartedSession {
    const listed = [...account.sessions].filter((each) => each.isStarted || each === session);
    return {
      listed: listed.map(({ id, options }) => ({ id, mobile: options.mobile, isHere: true })),
      isListDispatched: false,
    };
  }

  find(id: string, identity: SessionIdentity | BotIdentity): ResumeTarget {
    const session = this.sessions.find(id);
    if (!session?.isStarted) return 'unknown';
    return session.isBoundTo(identity) ? session : 'foreign';
  }

  tick(): void {}
  async leave(): Promise<void> {}
}
