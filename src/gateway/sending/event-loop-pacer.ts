import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields to the event loop at intervals during work that consists of many small steps. */
export class EventLoopPacer {
  private since = Number.NEGATIVE_INFINITY;
  private pause: Promise<void> | null = null;

  constructor(private readonly workMs: number) {}

  /** Waits for the next turn of the event loop if this turn has used up its time. */
  async yieldIfDue(): Promise<void> {
    while (performance.now() - this.since >= this.workMs) {
      this.pause ??= nextTurn().then(() => {
        this.pause = null;
        this.since = performance.now();
      });
      await this.pause;
    }
  }
}
