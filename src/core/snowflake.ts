import type { Clock } from './clock.js';

export const SNOWFLAKE_EPOCH = 1420070400000;

/**
 * An ID that is never assigned, with the length of a real one. Dummy rows use it where a response must not reveal that
 * a row is missing.
 */
export const UNASSIGNED_ID = '1000000000000000000';

/** The creation time of an ID in milliseconds since 1970 (conventions.md 6.1). */
export const snowflakeTime = (id: string): number => Number(BigInt(id) >> 22n) + SNOWFLAKE_EPOCH;

/**
 * Strictly increasing IDs of one worker: 41 bits for milliseconds, 10 for the worker, 12 for the sequence. A full
 * sequence continues in the next millisecond. If the clock goes back, the highest time so far is used.
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
