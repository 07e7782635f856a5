/** The only reader of time. Tests pass one that they can move. */
export class Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number {
    return Date.now();
  }

  date(): Date {
    return new Date(this.now());
  }

  /** Milliseconds since some start, never stepping back or ahead: for measuring how long something lasts. */
  monotonic(): number {
    return performance.now();
  }

  /** Whole seconds since 1970-01-01T00:00:00Z. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }
}
