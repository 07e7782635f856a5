/** Pseudo-random numbers from a seed (mulberry32, Tommy Ettinger, public domain). */
export class Random {
  constructor(private state: number) {}

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** True with this probability, from 0 to 1. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(some: readonly T[]): T {
    return some[Math.floor(this.next() * some.length)] as T;
  }

  shuffled<T>(some: readonly T[]): T[] {
    return some
      .map((one) => ({ one, place: this.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ one }) => one);
  }

  /** A new sequence, seeded by this one. Other draws do not change it. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}
