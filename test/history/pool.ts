import type { Random } from './random.js';
import { now, type PresentedCredential } from './recorder.js';

/** How long credentials are presented after their life has ended. Longer than any plausible cache lifetime. */
const LINGER_MS = 8000;
/** How many of the credentials that are no longer presented are checked once more at the end. */
const KEPT = 150;

/** The credentials that clients present, whether valid or revoked. */
export class Pool {
  private readonly present: { readonly presented: PresentedCredential; until: number }[] = [];
  private readonly kept: PresentedCredential[] = [];
  private forgotten = 0;

  constructor(private readonly random: Random) {}

  add(presented: PresentedCredential): PresentedCredential {
    this.present.push({ presented, until: Number.POSITIVE_INFINITY });
    return presented;
  }

  /** Marks credentials to which nothing more happens. */
  retire(some: readonly PresentedCredential[]): void {
    for (const one of this.present) if (some.includes(one.presented)) one.until = now() + LINGER_MS;
  }

  pick(random: Random): PresentedCredential | undefined {
    while (this.present.length > 0) {
      const index = Math.floor(random.next() * this.present.length);
      const { presented, until } = this.present[index] as { presented: PresentedCredential; until: number };
      if (now() < until) return presented;
      this.present.splice(index, 1);
      this.keep(presented);
    }
    return undefined;
  }

  /** Each credential has the same chance to be kept, however many there are (reservoir sampling). */
  private keep(presented: PresentedCredential): void {
    this.forgotten++;
    if (this.kept.length < KEPT) this.kept.push(presented);
    else if (this.random.chance(KEPT / this.forgotten)) this.kept[Math.floor(this.random.next() * KEPT)] = presented;
  }

  /** All credentials that are presented now, and a sample of the former ones. */
  all(): PresentedCredential[] {
    return [...this.present.map(({ presented }) => presented), ...this.kept];
  }
}
