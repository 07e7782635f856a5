import { Controller, Get, Header } from '@nestjs/common';
import { addressIsIn, clientAddress } from '../core/address.js';
import { Config } from '../core/config/config.js';
import { ApiError, unavailable } from '../core/errors.js';
import { MetricsReader } from '../core/metrics.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall } from '../policy/decorators.js';
import { Readiness } from './readiness.service.js';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: MetricsReader,
    private readonly config: Config,
  ) {}

  /** Check whether the process responds. */
  @Get('health/live')
  @CredentialFree()
  live() {
    return { status: 'ok' };
  }

  /**
   * Check whether the process should receive traffic. The database is usable, the health checks of modules pass, no
   * load is shed and no shutdown is in progress.
   */
  @Get('health/ready')
  @CredentialFree()
  ready() {
    const seconds = this.readiness.secondsToWait;
    if (seconds !== undefined) throw unavailable(seconds);
    return { status: 'ok' };
  }

  /**
   * Get metrics in Prometheus text format. Only for IP addresses in `METRICS_ALLOW`, and not on this port if
   * `METRICS_PORT` is set.
   */
  @Get('metrics')
  @CredentialFree()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiResponses({ type: 'text/plain' })
  async prometheus(@CurrentCall() { req }: Call) {
    const address = clientAddress(req, this.config.trustedProxies);
    if (this.config.metricsPort !== undefined || !address || !addressIsIn(address, this.config.metricsAllow)) {
      throw new ApiError('NOT_FOUND');
    }
    return this.metrics.text();
  }
}
