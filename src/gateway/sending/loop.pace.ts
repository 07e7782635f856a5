import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work in many small parts, which leaves the event loop to others after a while. */
export class Pace {
  private since = Number.NEGATIVE_INFINITY;
  private pause: Promise<void> | null = null;

  constructor(private readonly workMs: number) {}

  /** Waits for the next turn of the event loop if the parts of this turn have taken long. */
  async turn(): Promise<void> {
    while (performance.now() - this.since >= this.workMs) {
      this.pause ??= nextTurn().then(() => {
        this.pause = null;
        this.since = performance.now();
      });
      await this.pause;
    }
  }
}
