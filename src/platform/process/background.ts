import { randomInt } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Log } from '../../core/log.js';

/** The shortest and the longest pause before work that nobody may notice. */
const PAUSE_MS = [50, 500] as const;

/** Work that an answer does not wait for and that may be lost with the process. */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly log: Log) {}

  /** Starts `work` in a later turn of the event loop; a failure is logged under `what`. */
  run(what: string, work: () => Promise<void>): void {
    this.begin(what, new Promise((resolve) => setImmediate(resolve)), work);
  }

  /** The same after a pause, drawn anew each time: that there is work is seen neither beside the answer nor at a set time after it. */
  runLater(what: string, work: () => Promise<void>): void {
    const pause = randomInt(...PAUSE_MS);
    this.begin(what, new Promise((resolve) => setTimeout(resolve, pause)), work);
  }

  private begin(what: string, when: Promise<void>, work: () => Promise<void>): void {
    const task = when
      .then(work)
      .catch((error) => this.log.error(`${what} failed`, { error }))
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  /** Waits until nothing runs. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.idle();
  }
}
