import { setTimeout as delay } from 'node:timers/promises';

/**
 * Something that is wished for many times and done once for all wishes before it: at once when nothing was done just now,
 * one at a time, with a pause between two under load. Who wishes waits for nothing.
 */
export class Coalesced {
  private isWished = false;
  private running: Promise<void> | null = null;

  constructor(
    private readonly work: () => Promise<unknown>,
    /** Asked after each time. */
    private readonly pauseMs: () => number,
  ) {}

  wish(): void {
    this.isWished = true;
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    while (this.isWished) {
      this.isWished = false;
      await this.work().catch(() => {});
      await delay(this.pauseMs());
    }
    // Not a moment after the last look: a wish of that moment would wait for the next one.
    this.running = null;
  }

  /** Does what is wished for and nothing more. */
  async settled(): Promise<void> {
    while (this.running) await this.running;
  }
}
