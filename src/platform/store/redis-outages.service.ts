import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { RedisProbe } from './redis-probe.js';

const MEASURE_INTERVAL_MS = 1000;

/** Records in the log and in metrics when this process loses its connection to Redis, and for how long. */
@Injectable()
export class RedisOutages implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Times of the loss and of the last measurement, if the connection is lost. */
  private outage: { readonly since: number; measuredAt: number; readonly timer: NodeJS.Timeout } | undefined;
  private isStopped = false;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    /** Undefined without `REDIS_URL`. */
    private readonly redis: RedisProbe,
  ) {}

  onApplicationBootstrap(): void {
    const { client } = (this.redis as RedisProbe | undefined) ?? {};
    if (!client) return;
    client.on('close', () => this.onLost());
    client.on('ready', () => this.onBack());
    if (client.status !== 'ready') this.onLost();
  }

  /** Also called for each failed attempt to connect again. */
  private onLost(): void {
    if (this.outage || this.isStopped) return;
    const now = performance.now();
    const timer = setInterval(() => this.measure(), MEASURE_INTERVAL_MS).unref();
    this.outage = { since: now, measuredAt: now, timer };
    this.metrics.add('gatehouse_redis_losses_total', {});
    this.log.warn('the connection to Redis is lost');
  }

  private onBack(): void {
    const { outage } = this;
    if (!outage) return;
    this.measure();
    clearInterval(outage.timer);
    this.outage = undefined;
    const seconds = Number(((performance.now() - outage.since) / 1000).toFixed(1));
    this.log.info('the connection to Redis is back', { seconds });
  }

  /** Adds the time since the last measurement, so that the counter also grows during an outage. */
  private measure(): void {
    if (!this.outage) return;
    const now = performance.now();
    this.metrics.add('gatehouse_redis_lost_seconds_total', {}, (now - this.outage.measuredAt) / 1000);
    this.outage.measuredAt = now;
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.outage?.timer);
  }
}
