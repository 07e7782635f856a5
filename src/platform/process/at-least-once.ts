import { randomInt } from 'node:crypto';

const LANES = 4;
const POLL_MS = 5_000;
const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 3600;

/** How long to wait after a number of failed attempts: twice as long each time, a quarter more or less. */
export function backOffSeconds(attempts: number): number {
  const delay = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  return (delay * randomInt(750, 1250)) / 1000;
}

/**
 * Works off a table whose rows are claimed with a lease (`FOR UPDATE SKIP LOCKED`) and removed or put off afterwards, so
 * that each is handled at least once whoever dies meanwhile: when told that there is something, and every few seconds.
 */
export class Drain {
  private readonly lanes = new Set<Promise<void>>();
  private poll: NodeJS.Timeout | undefined;
  private wishes = 0;
  private stopping = false;

  /** `handleNext`: claims and handles the next row; false when nothing is due. `most`: how many at once. */
  constructor(
    private readonly handleNext: () => Promise<boolean>,
    private readonly onUnreadable: (error: unknown) => void,
    private readonly most = LANES,
  ) {}

  start(): void {
    this.poll = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  /** Looks at once for what is due. */
  wake(): void {
    this.wishes++;
    if (this.stopping || this.lanes.size >= this.most) return;
    const lane = this.work().then((seen) => {
      this.lanes.delete(lane);
      // Whoever woke us since the last look found no room for another lane.
      if (seen !== undefined && seen !== this.wishes) this.wake();
    });
    this.lanes.add(lane);
  }

  /** Until nothing is due, also of what became due meanwhile. Answers the wishes that it has seen to. */
  private async work(): Promise<number | undefined> {
    try {
      let seen = -1;
      while (seen !== this.wishes && !this.stopping) {
        seen = this.wishes;
        while (!this.stopping && (await this.handleNext()));
      }
      return seen;
    } catch (error) {
      this.onUnreadable(error);
      return undefined;
    }
  }

  /** Stops between two rows. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.poll);
    await Promise.all(this.lanes);
  }
}
