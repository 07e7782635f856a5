import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../core/config/config.js';

const SAMPLE_INTERVAL_MS = 500;

/** Detects whether the event loop was delayed within the last half second, which slows down all requests. */
@Injectable()
export class EventLoop implements OnApplicationShutdown {
  private readonly delay = monitorEventLoopDelay({ resolution: 20 });
  private readonly watch: NodeJS.Timeout;
  isLate = false;

  constructor({ maxLoopDelayMs }: Config) {
    this.delay.enable();
    this.watch = setInterval(() => {
      this.isLate = maxLoopDelayMs > 0 && this.delay.max / 1e6 > maxLoopDelayMs;
      this.delay.reset();
    }, SAMPLE_INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.watch);
    this.delay.disable();
  }
}
