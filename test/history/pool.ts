import type { Random } from './random.js';
import { now, type Presented } from './recorder.js';

/** How long credentials are presented after the life that they belong to is over: longer than any plausible cache. */
const LINGER_MS = 8000;
/** Of those that nobody presents any more, so many are looked at once more when everything is over. */
const KEPT = 150;

/** The credentials that clients present, living and dead. */
export class Pool {
  private readonly present: { readonly presented: Presented; until: number }[] = [];
  private readonly kept: Presented[] = [];
  private forgotten = 0;

  constructor(private readonly random: Random) {}

  add(presented: Presented): Presented {
    this.present.push({ presented, until: Number.POSITIVE_INFINITY });
    return presented;
  }

  /** Nothing will happen to these any more. */
  retire(some: readonly Presented[]): void {
    for (const one of this.present) if (some.includes(one.presented)) one.until = now() + LINGER_MS;
  }

  pick(random: Random): Presented | undefined {
    while (this.present.length > 0) {
      const index = Math.floor(random.next() * this.present.length);
      const { presented, until } = this.present[index] as { presented: Presented; until: number };
      if (now() < until) return presented;
      this.present.splice(index, 1);
      this.keep(presented);
    }
    return undefined;
  }

  /** Each has the same chance to be kept, however many there are. */
  private keep(presented: Presented): void {
    this.forgotten++;
    if (this.kept.length < KEPT) this.kept.push(presented);
    else if (this.random.chance(KEPT / this.forgotten)) this.kept[Math.floor(this.random.next() * KEPT)] = presented;
  }

  /** What is presented now, and a sample of what was. */
  all(): Presented[] {
    return [...this.present.map(({ presented }) => presented), ...this.kept];
  }
}
