import { setTimeout as delay } from 'node:timers/promises';

/**
 * Coalesces repeated requests into one run at a time, with a pause between two runs. The first request runs
 * immediately; one more run covers all requests that arrive in the meantime. Callers do not wait.
 */
export class CoalescingRunner {
  private isRequested = false;
  private running: Promise<void> | null = null;

  constructor(
    private readonly work: () => Promise<unknown>,
    /** Called after each run. */
    private readonly pauseMs: () => number,
  ) {}

  request(): void {
    this.isRequested = true;
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    while (this.isRequested) {
      this.isRequested = false;
      await this.work().catch(() => {});
      await delay(this.pauseMs());
    }
    // Set in the same tick as the last check of the loop. Otherwise a request in between would wait for the next one.
    this.running = null;
  }

  /** Waits until all requested runs are done. */
  async whenIdle(): Promise<void> {
    while (this.running) await this.running;
  }
}
