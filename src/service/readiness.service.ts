import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Metrics } from '../core/metrics.js';
import { Load } from '../http/load.js';
import { Dependencies } from '../platform/dependencies/dependencies.service.js';
import { HealthChecks } from '../platform/process/health-checks.js';
import { DatabaseMonitor } from '../platform/replicas/database-monitor.js';

/** Decides whether this process should receive traffic. */
@Injectable()
export class Readiness {
  constructor(
    private readonly database: DatabaseMonitor,
    private readonly checks: HealthChecks,
    private readonly load: Load,
    private readonly dependencies: Dependencies,
    metrics: Metrics,
    { buildId }: Config,
  ) {
    metrics.set('gatehouse_build_info', { version: buildId, node: process.versions.node }, 1);
    metrics.measure('gatehouse_ready', async () => Number(this.secondsToWait === undefined));
  }

  /** Undefined if it should, otherwise the seconds until the next check. */
  get secondsToWait(): number | undefined {
    if (this.load.isLeaving || this.load.isOverloaded) return 1;
    const failing = [...this.checks.failing, ...this.dependencies.missing];
    return this.database.isUsable && failing.length === 0 ? undefined : 5;
  }
}
