import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Log } from '../../core/log.js';

/** Work that an answer does not wait for and that may be lost with the process. */
@Injectable()
export class Background implements BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly log: Log) {}

  /** Starts `work` in a later turn of the event loop; a failure is logged under `what`. */
  run(what: string, work: () => Promise<void>): void {
    const task = new Promise<void>((resolve) => setImmediate(resolve))
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
