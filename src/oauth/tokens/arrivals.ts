import { Injectable } from '@nestjs/common';

/** Node accepts a connection in one turn of the event loop and reads it in a later one. */
const QUIET_TURNS = 2;
const MAX_TURNS = 100;

/**
 * Yields to the event loop, so that concurrent redemptions are all received before the first one commits. Otherwise a
 * parallel redemption could look like a replay.
 */
@Injectable()
export class Arrivals {
  private count = 0;

  note(): void {
    this.count++;
  }

  /** Resolves when no more requests arrive or after `MAX_TURNS` turns. */
  async waitForConcurrentRequests(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; turn < MAX_TURNS && quiet < QUIET_TURNS; turn++) {
      const known = this.count;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.count === known ? quiet + 1 : 0;
    }
  }
}
