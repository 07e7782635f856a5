import { randomInt } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Log } from '../../core/log.js';

/** Bounds of the random pause in milliseconds before work that clients must not be able to notice. */
const DELAY_RANGE_MS = [50, 500] as const;

/** Runs work that no response waits for, and that may be lost with the process. */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly log: Log) {}

  /** Starts `work` in a later turn of the event loop; a failure is logged under `what`. */
  run(what: string, work: () => Promise<void>): void {
    this.begin(what, new Promise((resolve) => setImmediate(resolve)), work);
  }

  /**
   * Starts `work` after a random pause, so that neither load during the response nor a fixed delay after it reveals the
   * work (timing side channel).
   */
  runLater(what: string, work: () => Promise<void>): void {
    const pause = randomInt(...DELAY_RANGE_MS);
    this.begin(what, new Promise((resolve) => setTimeout(resolve, pause)), work);
  }

  private begin(what: string, when: Promise<void>, work: () => Promise<void>): void {
    const task = when
      .then(work)
      .catch((error) => this.log.error(`${what} failed`, { error }))
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.idle();
  }
}
