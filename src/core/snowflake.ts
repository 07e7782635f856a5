import type { Clock } from './clock.js';

export const SNOWFLAKE_EPOCH = 1420070400000;

/** An id that nothing has, as long as others: it stands in rows for what is not there, where the answer must not tell. */
export const NOBODYS_ID = '1000000000000000000';

/** Milliseconds since 1970 that an id was made at (conventions.md 6.1). */
export const snowflakeTime = (id: string): number => Number(BigInt(id) >> 22n) + SNOWFLAKE_EPOCH;

/**
 * Strictly increasing ids of one worker: 41 bits of milliseconds, 10 of worker, 12 of sequence. A full
 * sequence borrows the next millisecond; a clock that steps back keeps the highest one seen.
 */
export class Snowflakes {
  private last = 0;
  private sequence = 0;

  constructor(
    private readonly clock: Clock,
    private readonly worker: () => number,
  ) {}

  next(): string {
    const now = this.clock.now() - SNOWFLAKE_EPOCH;
    if (now > this.last) {
      this.last = now;
      this.sequence = 0;
    } else if (++this.sequence > 4095) {
      this.last++;
      this.sequence = 0;
    }
    return String((BigInt(this.last) << 22n) | BigInt((this.worker() << 12) | this.sequence));
  }
}
