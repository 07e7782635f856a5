import type { Call } from '../policy/call.js';

/** Who judges requests before a route is known, and hears of every answer. */
export abstract class Doorkeeper {
  /**
   * Before anything is read, on every path, known or not (credentials.md section 4, rows 1 and 2). `address` is `null`
   * where the client's cannot be told.
   * @throws Refusal SERVICE_UNAVAILABLE, FORBIDDEN, GLOBAL_IP_BANNED, GLOBAL_IP_TEMPORARILY_BANNED
   */
  abstract arrive(call: Call, address: string | null): void;
  /** The answer is out, or nobody waits for it any more. */
  abstract leave(call: Call, status: number): void;
}
