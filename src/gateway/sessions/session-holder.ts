import type { Dispatch } from '../protocol/event.js';
import type { Closing } from '../protocol/protocol.js';

/** Whoever holds a session: what the session needs of a connection. */
export interface SessionHolder {
  readonly isClosed: boolean;
  /** Sends a dispatch of the session, in its turn. */
  deliver(dispatch: Dispatch): void;
  /** Asks the client to come back, and ends. */
  drain(): void;
  close(closing: Closing): void;
}
