import { Injectable } from '@nestjs/common';
import { Log } from '../../core/log.js';

/** Maximum time spent sending per turn of the event loop. */
const BATCH_MS = 10;

interface Queue {
  /** Sends until the given time. Returns true if the socket would accept more data now. */
  write(until: number): boolean;
}

/**
 * Sends queued events to sockets in time-limited batches, so that an event for many sockets does not block the event
 * loop.
 */
@Injectable()
export class FanOut {
  private readonly due = new Set<Queue>();
  /** End of the sending time in this turn. Undefined if nothing was sent in it. */
  private turnEndsAt: number | undefined;

  constructor(private readonly log: Log) {}

  /** Sends immediately if no other queue is waiting. */
  add(queue: Queue): void {
    this.turnEndsAt ??= this.begin();
    if (this.due.size > 0 || performance.now() >= this.turnEndsAt || this.write(queue, this.turnEndsAt))
      this.due.add(queue);
  }

  private begin(): number {
    setImmediate(() => this.run());
    return performance.now() + BATCH_MS;
  }

  private run(): void {
    this.turnEndsAt = undefined;
    if (this.due.size === 0) return;
    const until = this.begin();
    this.turnEndsAt = until;
    for (const queue of this.due) {
      if (performance.now() >= until) return;
      this.due.delete(queue);
      if (this.write(queue, until)) this.due.add(queue);
    }
  }

  private write(queue: Queue, until: number): boolean {
    try {
      return queue.write(until);
    } catch (error) {
      this.log.error('sending a gateway event failed', { error });
      return false;
    }
  }
}
