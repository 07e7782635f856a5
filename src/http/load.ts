import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { unavailable } from '../core/errors.js';
import { EventLoop } from '../platform/process/event-loop.js';
import { LiveRequests, WORK } from './live-requests.js';

/** How long load may be shed before balancers are told to send it elsewhere. */
const PATIENCE_MS = 10_000;
/** How long nothing may be shed for the next time to be another story. */
const CALM_MS = 2_000;

/**
 * Whether the process can do more (conventions.md section 12). Only work counts: a request that waits for its client, to
 * send its body or to read its answer, is not at work.
 */
@Injectable()
export class Load {
  private fullSince: number | undefined;
  private calmSince: number | undefined;
  draining = false;
  /** Another process has taken the place of this one: what still comes is served, and its connection ends. */
  retiring = false;

  constructor(
    private readonly config: Config,
    private readonly loop: EventLoop,
    private readonly clock: Clock,
    private readonly live: LiveRequests,
  ) {
    live.onMove = () => this.look();
  }

  /** @throws Refusal SERVICE_UNAVAILABLE while there is more to do than can be done */
  demandRoom(): void {
    this.look();
    if (this.draining || this.isFull) throw unavailable(1);
  }

  /** Whether load has been shed long enough for readiness to say so. */
  get isOverloaded(): boolean {
    this.look();
    return this.fullSince !== undefined && this.clock.monotonic() - this.fullSince >= PATIENCE_MS;
  }

  get isFull(): boolean {
    return this.live.count(WORK) >= this.config.maxInFlight || this.loop.isLate;
  }

  private look(): void {
    if (this.isFull) {
      this.fullSince ??= this.clock.monotonic();
      this.calmSince = undefined;
    } else if (this.fullSince !== undefined) {
      const now = this.clock.monotonic();
      this.calmSince ??= now;
      if (now - this.calmSince >= CALM_MS) this.fullSince = undefined;
    }
  }
}
