import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { unavailable } from '../core/errors.js';
import { Metrics } from '../core/metrics.js';
import { EventLoop } from '../platform/process/event-loop.js';
import { ReplicaDrain } from '../platform/replicas/replica-drain.js';
import { LiveRequests, WORK } from './live-requests.js';

/** How long the process may shed load before readiness fails, so that load balancers send requests elsewhere. */
const OVERLOAD_GRACE_MS = 10_000;
/** Quiet period after which an overload episode is over. */
const RECOVERY_MS = 2_000;

/**
 * Decides whether the process can accept more requests (conventions.md section 12). Requests that wait for their client
 * to send a body or read a response do not count.
 */
@Injectable()
export class Load {
  private overloadedSince: number | undefined;
  private recoveringSince: number | undefined;
  draining = false;
  /** The process will drain soon: requests are served, but readiness fails so that load balancers send no more. */
  leaving = false;
  /** Another process has replaced this one. Requests are still served, and then their connections close. */
  retiring = false;

  constructor(
    private readonly config: Config,
    private readonly loop: EventLoop,
    private readonly clock: Clock,
    private readonly live: LiveRequests,
    private readonly metrics: Metrics,
    private readonly replicaDrain: ReplicaDrain,
  ) {
    metrics.startAtZero('gatehouse_shed_total', { queue: [WORK] });
    live.onStageChange = () => this.updateOverload();
  }

  /** Whether load balancers should send requests to other processes. */
  get isLeaving(): boolean {
    return this.leaving || this.draining || this.replicaDrain.until !== null;
  }

  /** Whether each connection closes after its next response. */
  get closesConnections(): boolean {
    return this.draining || this.retiring || this.replicaDrain.until !== null;
  }

  /** @throws ApiError SERVICE_UNAVAILABLE while the process is overloaded or draining */
  assertCapacity(): void {
    this.updateOverload();
    if (this.draining) throw unavailable(1).withCause('shutting down');
    if (this.isFull) this.reject();
  }

  /** @throws ApiError SERVICE_UNAVAILABLE, which is counted as shed work */
  reject(): never {
    this.metrics.add('gatehouse_shed_total', { queue: WORK });
    const cause = this.loop.isLate ? 'the event loop is late (MAX_LOOP_DELAY_MS)' : 'too many requests (MAX_IN_FLIGHT)';
    throw unavailable(1).withCause(cause);
  }

  /** Whether load has been shed for so long that readiness fails. */
  get isOverloaded(): boolean {
    this.updateOverload();
    return this.overloadedSince !== undefined && this.clock.monotonic() - this.overloadedSince >= OVERLOAD_GRACE_MS;
  }

  get isFull(): boolean {
    return this.live.count(WORK) >= this.config.maxInFlight || this.loop.isLate;
  }

  private updateOverload(): void {
    if (this.isFull) {
      this.overloadedSince ??= this.clock.monotonic();
      this.recoveringSince = undefined;
    } else if (this.overloadedSince !== undefined) {
      const now = this.clock.monotonic();
      this.recoveringSince ??= now;
      if (now - this.recoveringSince >= RECOVERY_MS) this.overloadedSince = undefined;
    }
  }
}
