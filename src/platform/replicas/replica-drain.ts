import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Log } from '../../core/log.js';
import type { Tx } from '../database/database.js';
import { ReplicaBus } from './replica-bus.js';

/** Worker IDs, or null for all replicas. */
export type DrainTarget = readonly number[] | null;

/**
 * Takes replicas out of the load balancer at the request of an operator. Until the time of the request, readiness fails,
 * requests are served, and connections close after their next response. A restart ends it.
 */
@Injectable()
export class ReplicaDrain {
  private endsAt = 0;
  private readonly handlers: (() => void)[] = [];

  constructor(
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    replicaBus.on('drain', (data) => this.apply(data));
  }

  /** The end of the current drain, or null if there is none. */
  get until(): Date | null {
    return this.clock.now() < this.endsAt ? new Date(this.endsAt) : null;
  }

  /** Calls `handler` when a drain starts, changes its time or is canceled. */
  onChange(handler: () => void): void {
    this.handlers.push(handler);
  }

  /** Drains replicas until a time after `tx` commits. With null, cancels their drain. */
  announce(tx: Tx, workers: DrainTarget, until: Date | null): Promise<void> {
    return this.replicaBus.announce(tx, { topic: 'drain', data: { workers, until: until?.getTime() ?? 0 } });
  }

  /** A notice can be delivered twice. */
  private apply({ workers, until }: Record<string, unknown>): void {
    if (Array.isArray(workers) && !workers.includes(this.replicaBus.workerId)) return;
    const endsAt = Number(until);
    if (endsAt === this.endsAt) return;
    this.endsAt = endsAt;
    if (this.until) this.log.info('not ready: drained by an operator', { until: this.until.toISOString() });
    else this.log.info('ready again: the drain was canceled');
    for (const handler of this.handlers) handler();
  }
}
