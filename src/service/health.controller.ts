import { Controller, Get, Header } from '@nestjs/common';
import { addressIsIn, clientAddress } from '../core/address.js';
import { Config } from '../core/config/config.js';
import { Refusal, unavailable } from '../core/errors.js';
import { Metrics } from '../core/metrics.js';
import { Load } from '../http/load.js';
import { DatabaseWatch } from '../platform/replicas/database-watch.js';
import { Answers } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, TheCall } from '../policy/decorators.js';

@Controller()
export class HealthController {
  constructor(
    private readonly database: DatabaseWatch,
    private readonly load: Load,
    private readonly metrics: Metrics,
    private readonly config: Config,
  ) {}

  /** The process answers. */
  @Get('health/live')
  @CredentialFree()
  live() {
    return { status: 'ok' };
  }

  /** The process should get traffic: its database is usable, load is not being shed, no shutdown is under way. */
  @Get('health/ready')
  @CredentialFree()
  ready() {
    if (this.load.draining || this.load.isOverloaded) throw unavailable(1);
    if (!this.database.isUsable) throw unavailable(5);
    return { status: 'ok' };
  }

  /** Prometheus text, only to `METRICS_ALLOW`, and not here when metrics have a port of their own. */
  @Get('metrics')
  @CredentialFree()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @Answers({ type: 'text/plain' })
  async prometheus(@TheCall() { req }: Call) {
    const address = clientAddress(req, this.config.trustedProxies);
    if (this.config.metricsPort !== undefined || !address || !addressIsIn(address, this.config.metricsAllow)) {
      throw new Refusal('NOT_FOUND');
    }
    return this.metrics.text();
  }
}
