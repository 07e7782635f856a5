import { Injectable } from '@nestjs/common';

/** A connection is accepted in one turn of the event loop and read in a later one. */
const QUIET_TURNS = 2;
const MAX_TURNS = 100;

/**
 * Requests that have reached the process are read before one of them changes what they all ask for: of parallel
 * redemptions none begins, as far as the process can tell, only after another is over.
 */
@Injectable()
export class Arrivals {
  private count = 0;

  note(): void {
    this.count++;
  }

  /** Resolves once no more requests come in, or enough turns have passed. */
  async gathered(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; turn < MAX_TURNS && quiet < QUIET_TURNS; turn++) {
      const known = this.count;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.count === known ? quiet + 1 : 0;
    }
  }
}
