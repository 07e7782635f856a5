import { Injectable } from '@nestjs/common';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { ListedSession } from '../store/session-store.js';
import type { AccountSessions } from './account-sessions.js';
import { LiveSessions } from './live-sessions.service.js';
import type { GatewaySession } from './session.js';

/** The session that a Resume asks for, or why it gets none; `moved`: another Resume has it. */
export type Found = GatewaySession | 'moved' | 'unknown' | 'foreign' | 'impossible' | 'evicted';

/** How a session begins. */
export interface Begun {
  /** The sessions of the account. */
  readonly listed: readonly ListedSession[];
  /** It dispatches that list behind READY, so that it need not be told. */
  readonly isTold: boolean;
}

/** What becomes of gateway sessions beside the memory of the process that serves them. */
export abstract class SessionKeeping {
  /** What the new session hears of from now on is kept for it. */
  abstract attach(session: GatewaySession, account: AccountSessions): void;
  /**
   * From here on the session misses no event, whoever serves it; null: the account has its limit of sessions.
   */
  abstract begin(session: GatewaySession, account: AccountSessions, limit: number): Begun | Promise<Begun | null>;
  /** The session for a Resume, wherever it is. */
  abstract find(id: string, identity: SessionIdentity | BotIdentity, seq: number): Found | Promise<Found>;
  abstract tick(now: number): void;
  /** The process leaves: what can go on elsewhere is let go of. */
  abstract leave(): Promise<void>;
}

/** They live and die with the process. */
@Injectable()
export class ProcessKeeping extends SessionKeeping {
  constructor(private readonly sessions: LiveSessions) {
    super();
  }

  attach(session: GatewaySession, account: AccountSessions): void {
    session.log.startAt(account.heard?.number ?? 0);
  }

  begin(session: GatewaySession, account: AccountSessions): Begun {
    const listed = [...account.sessions].filter((each) => each.isStarted || each === session);
    return {
      listed: listed.map(({ id, wishes }) => ({ id, mobile: wishes.mobile, isHere: true })),
      isTold: false,
    };
  }

  find(id: string, identity: SessionIdentity | BotIdentity): Found {
    const session = this.sessions.find(id);
    if (!session?.isStarted) return 'unknown';
    return session.isBoundTo(identity) ? session : 'foreign';
  }

  tick(): void {}
  async leave(): Promise<void> {}
}
