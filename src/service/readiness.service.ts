import { Injectable } from '@nestjs/common';
import { Load } from '../http/load.js';
import { HealthChecks } from '../platform/process/health-checks.js';
import { DatabaseMonitor } from '../platform/replicas/database-monitor.js';

/** Decides whether this process should receive traffic. */
@Injectable()
export class Readiness {
  constructor(
    private readonly database: DatabaseMonitor,
    private readonly checks: HealthChecks,
    private readonly load: Load,
  ) {}

  /** Undefined if it should, otherwise the seconds until the next check. */
  get secondsToWait(): number | undefined {
    if (this.load.draining || this.load.isOverloaded) return 1;
    return this.database.isUsable && this.checks.failing.length === 0 ? undefined : 5;
  }
}
