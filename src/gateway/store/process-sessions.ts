import { randomBytes } from 'node:crypto';
import {
  type Claim,
  type Created,
  type FencedSession,
  type Holding,
  type Removal,
  type Renewal,
  SessionStore,
  type SessionWrite,
  type SocketCount,
  type StoredPayload,
} from './session-store.js';

/** Sessions exist only in the process. */
export class ProcessSessions extends SessionStore {
  newId(): string {
    return randomBytes(16).toString('hex');
  }

  create(): Created {
    return { since: 0, listed: [] };
  }

  write(_account: string, _payloads: readonly StoredPayload[], steps: readonly SessionWrite[]): Holding[] {
    return steps.map(() => 'held');
  }

  restore(): Holding {
    return 'held';
  }

  claim(): Claim {
    return 'held';
  }

  renew(sessions: readonly FencedSession[]): Renewal {
    return { holdings: sessions.map(() => 'held'), changed: [] };
  }

  retain(): void {}

  remove(): Removal {
    return { holding: 'held', isElsewhere: false };
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
