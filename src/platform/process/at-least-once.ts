import { randomInt } from 'node:crypto';

const LANES = 4;
const POLL_MS = 5_000;
const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 3600;

/** Back-off after failed attempts: doubles each time, with 25% jitter. */
export function backOffSeconds(attempts: number): number {
  const delay = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), LONGEST_DELAY_SECONDS);
  return (delay * randomInt(750, 1250)) / 1000;
}

/**
 * Processes a table whose rows are claimed with a lease (`FOR UPDATE SKIP LOCKED`) and deleted or postponed afterwards.
 * Each row is handled at least once, even if a process crashes. It runs when notified and every few seconds.
 */
export class Drain {
  private readonly lanes = new Set<Promise<void>>();
  private poll: NodeJS.Timeout | undefined;
  private wishes = 0;
  private stopping = false;

  /**
   * @param handleNext claims and handles the next row; resolves to false if none is due
   * @param onUnreadable called if `handleNext` fails
   * @param most maximum number of concurrent workers
   */
  constructor(
    private readonly handleNext: () => Promise<boolean>,
    private readonly onUnreadable: (error: unknown) => void,
    private readonly most = LANES,
  ) {}

  start(): void {
    this.poll = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  /** Checks for due rows immediately. */
  wake(): void {
    this.wishes++;
    if (this.stopping || this.lanes.size >= this.most) return;
    const lane = this.work().then((seen) => {
      this.lanes.delete(lane);
      // A notification since the last check found all workers busy.
      if (seen !== undefined && seen !== this.wishes) this.wake();
    });
    this.lanes.add(lane);
  }

  /**
   * Runs until nothing is due, including rows that become due in the meantime. Returns the notification count that it
   * has covered, or undefined after a failure.
   */
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

  /** Stops after the current rows. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.poll);
    await Promise.all(this.lanes);
  }
}
