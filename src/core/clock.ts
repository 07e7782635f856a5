/** The only source of time. Tests pass a clock that they control. */
export class Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number {
    return Date.now();
  }

  date(): Date {
    return new Date(this.now());
  }

  /** Milliseconds since an arbitrary start. Never jumps, so use it to measure durations. */
  monotonic(): number {
    return performance.now();
  }

  /** Whole seconds since 1970-01-01T00:00:00Z. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }
}
