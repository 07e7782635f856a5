import { Injectable } from '@nestjs/common';

const MAX_SAMPLES = 16;
const MAX_AGE_MS = 60_000;

interface Sample {
  /** A lower bound of database time minus local time. */
  readonly offset: number;
  readonly taken: number;
}

/**
 * Estimates the clock of the database, to compare the start of a request with timestamps of the database. Local times
 * are those of `performance.now()`.
 */
@Injectable()
export class StoreClock {
  private samples: Sample[] = [];

  /**
   * Adds a sample. The clock of the database showed `stored` (milliseconds since 1970) between the local times `sent`
   * and `received`.
   */
  observe(stored: number, sent: number, received: number): void {
    // Each sample is a lower bound. If it exceeds the upper bound of the new sample, the clock was set in between, so
    // drop it.
    const sound = this.samples.filter(({ offset, taken }) => offset <= stored - sent && received - taken < MAX_AGE_MS);
    this.samples = [...sound, { offset: stored - received, taken: received }].slice(-MAX_SAMPLES);
  }

  /** Returns the database time at a local time. It is never too late, and too early by at most one round trip. */
  at(moment: number): number {
    return moment + Math.max(...this.samples.map(({ offset }) => offset));
  }
}
