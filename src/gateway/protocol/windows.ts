/** A fixed-window counter. A new window starts with the first count after the previous one ended. */
export class FixedWindow {
  private endsAt = Number.NEGATIVE_INFINITY;
  private count = 0;

  /** Counts one use. Returns false if the limit is exceeded. */
  take(now: number, limit: number, lengthMs: number): boolean {
    if (now >= this.endsAt) {
      this.endsAt = now + lengthMs;
      this.count = 0;
    }
    return ++this.count <= limit;
  }

  hasEnded(now: number): boolean {
    return now >= this.endsAt;
  }
}

const COMPACT_AT = 16;

/** A sliding-window counter. */
export class RollingWindow {
  private times: number[] = [];
  private first = 0;

  /** Counts one use. Returns false, without counting, if the limit is exceeded. */
  take(now: number, limit: number, lengthMs: number): boolean {
    while ((this.times[this.first] ?? Number.POSITIVE_INFINITY) <= now - lengthMs) this.first++;
    if (this.times.length - this.first >= limit) return false;
    if (this.first >= COMPACT_AT && this.first * 2 >= this.times.length) {
      this.times = this.times.slice(this.first);
      this.first = 0;
    }
    this.times.push(now);
    return true;
  }
}

/** Usage of one client IP address (IPv6: its /64 prefix). */
export class AddressUse {
  sockets = 0;
  private readonly payloads = new FixedWindow();
  private readonly attempts = new FixedWindow();

  constructor(readonly key: string) {}

  takePayload(now: number, limit: number, lengthMs: number): boolean {
    return this.payloads.take(now, limit, lengthMs);
  }

  takeAttempt(now: number, limit: number, lengthMs: number): boolean {
    return this.attempts.take(now, limit, lengthMs);
  }

  isIdle(now: number): boolean {
    return this.sockets === 0 && this.payloads.hasEnded(now) && this.attempts.hasEnded(now);
  }
}
