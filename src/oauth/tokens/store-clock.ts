import { Injectable } from '@nestjs/common';

const SAMPLES = 16;
const MAX_AGE_MS = 60_000;

interface Sample {
  /** Store time minus local time: no more than this, and at least that. */
  readonly offset: number;
  readonly taken: number;
}

/**
 * The clock of the database as this process can tell it, for comparing when a request began with what the database
 * stamped. Local moments are those of `performance.now()`.
 */
@Injectable()
export class StoreClock {
  private samples: Sample[] = [];

  /** The database's clock stood at `stored` (milliseconds since 1970) somewhere between two local moments. */
  observe(stored: number, sent: number, received: number): void {
    // Each sample bounds the difference from below; one that the newest contradicts was taken before the clock was set.
    const sound = this.samples.filter(({ offset, taken }) => offset <= stored - sent && received - taken < MAX_AGE_MS);
    this.samples = [...sound, { offset: stored - received, taken: received }].slice(-SAMPLES);
  }

  /** The database's time at a local moment: never later than it was, and earlier by no more than a reply took. */
  at(moment: number): number {
    return moment + Math.max(...this.samples.map(({ offset }) => offset));
  }
}
