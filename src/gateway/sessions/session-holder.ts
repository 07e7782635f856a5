import type { Dispatch } from '../protocol/event.js';
import type { Closing } from '../protocol/protocol.js';

/** The part of a connection that a session uses. */
export interface SessionHolder {
  readonly isClosed: boolean;
  /** Queues a dispatch of the session. */
  deliver(dispatch: Dispatch): void;
  /** Asks the client to reconnect, then closes. */
  drain(): void;
  close(closing: Closing): void;
}
