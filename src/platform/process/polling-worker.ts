import { randomInt } from 'node:crypto';

const DEFAULT_CONCURRENCY = 4;
const POLL_MS = 5_000;
const FIRST_DELAY_SECONDS = 5;
const MAX_DELAY_SECONDS = 3600;

/** Back-off after failed attempts: doubles each time, with 25% jitter. */
export function backOffSeconds(attempts: number): number {
  const delay = Math.min(FIRST_DELAY_SECONDS * 2 ** (attempts - 1), MAX_DELAY_SECONDS);
  return (delay * randomInt(750, 1250)) / 1000;
}

/**
 * Processes a table whose rows are claimed with a lease (`FOR UPDATE SKIP LOCKED`) and deleted or postponed afterwards.
 * Each row is handled at least once, even if a process crashes. It runs when notified and every few seconds.
 */
export class PollingWorker {
  private readonly runs = new Set<Promise<void>>();
  private poll: NodeJS.Timeout | undefined;
  private wakeCount = 0;
  private stopping = false;

  /**
   * @param handleNext claims and handles the next row; resolves to false if none is due
   * @param onUnreadable called if `handleNext` fails
   * @param concurrency maximum number of concurrent workers
   */
  constructor(
    private readonly handleNext: () => Promise<boolean>,
    private readonly onUnreadable: (error: unknown) => void,
    private readonly concurrency = DEFAULT_CONCURRENCY,
  ) {}

  start(): void {
    this.poll = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  /** Checks for due rows immediately. */
  wake(): void {
    this.wakeCount++;
    if (this.stopping || this.runs.size >= this.concurrency) return;
    const lane = this.runUntilIdle().then((seen) => {
      this.runs.delete(lane);
      // A notification since the last check found all workers busy.
      if (seen !== undefined && seen !== this.wakeCount) this.wake();
    });
    this.runs.add(lane);
  }

  /**
   * Runs until nothing is due, including rows that become due in the meantime. Returns the notification count that it
   * has covered, or undefined after a failure.
   */
  private async runUntilIdle(): Promise<number | undefined> {
    try {
      let seen = -1;
      while (seen !== this.wakeCount && !this.stopping) {
        seen = this.wakeCount;
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
    await Promise.all(this.runs);
  }
}
