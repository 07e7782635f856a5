import { Controller, Get, Header } from '@nestjs/common';
import { addressIsIn, clientAddress } from '../core/address.js';
import { Config } from '../core/config/config.js';
import { Refusal, unavailable } from '../core/errors.js';
import { Metrics } from '../core/metrics.js';
import { Answers } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, TheCall } from '../policy/decorators.js';
import { Readiness } from './readiness.service.js';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    private readonly config: Config,
  ) {}

  /** The process answers. */
  @Get('health/live')
  @CredentialFree()
  live() {
    return { status: 'ok' };
  }

  /**
   * The process should get traffic: its database is usable, the checks of modules pass, load is not being shed, no shutdown
   * is under way.
   */
  @Get('health/ready')
  @CredentialFree()
  ready() {
    const seconds = this.readiness.secondsToWait;
    if (seconds !== undefined) throw unavailable(seconds);
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
