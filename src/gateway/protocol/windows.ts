/** Counts within windows that follow one another; one begins with the first count after the last has ended. */
export class FixedWindow {
  private endsAt = Number.NEGATIVE_INFINITY;
  private count = 0;

  /** Counts one more. False if that is more than `limit`. */
  take(now: number, limit: number, lengthMs: number): boolean {
    if (now >= this.endsAt) {
      this.endsAt = now + lengthMs;
      this.count = 0;
    }
    return ++this.count <= limit;
  }

  isOver(now: number): boolean {
    return now >= this.endsAt;
  }
}

const COMPACT_AT = 16;

/** Counts within the time that has just passed. */
export class RollingWindow {
  private times: number[] = [];
  private first = 0;

  /** Counts one more. False if that is more than `limit`. */
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

/** What one client address (IPv6: its /64) has used up. */
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
    return this.sockets === 0 && this.payloads.isOver(now) && this.attempts.isOver(now);
  }
}
