import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { HealthCheck } from '../../policy/health.js';

const HEALTH_CHECK_INTERVAL_MS = 1000;
const HEALTH_CHECK_TIMEOUT_MS = 5000;

interface WatchedCheck {
  readonly cause: string;
  /** Last known result; false until first checked. */
  isPassing: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Runs the health checks that features declare once a second in the background. The process is not ready while one
 * fails; readiness requests use the last results. The log and a metric name the failing check.
 */
@Injectable()
export class HealthChecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly checks = new Map<string, WatchedCheck>();
  private isStopped = false;

  constructor(
    private readonly modules: ModuleRef,
    private readonly features: FeatureRegistry,
    private readonly config: Config,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** Names of the checks whose last run failed. */
  get failing(): readonly string[] {
    return [...this.checks].filter(([, { isPassing }]) => !isPassing).map(([name]) => name);
  }

  /** @throws Error if a declared provider is in no module, so that the service does not start */
  async onApplicationBootstrap(): Promise<void> {
    const used = [...this.features.healthChecks].filter(([, { isUsed }]) => isUsed?.(this.config) ?? true);
    await Promise.all(
      used.map(([name, { check, cause }]) => {
        const watched = { cause, isPassing: false };
        this.checks.set(name, watched);
        return this.runCheck(name, this.modules.get(check, { strict: false }), watched, true);
      }),
    );
  }

  private async runCheck(name: string, health: HealthCheck, watched: WatchedCheck, isFirst = false): Promise<void> {
    try {
      await withTimeout(health.check());
      if (!watched.isPassing && !isFirst) this.log.info(`health check ${name} passes again`);
      watched.isPassing = true;
    } catch (error) {
      if (watched.isPassing || isFirst)
        this.log.error(`health check ${name} failed: the service is not ready. Check ${watched.cause}`, { error });
      watched.isPassing = false;
    }
    this.metrics.set('gatehouse_health_check', { check: name }, Number(watched.isPassing));
    if (this.isStopped) return;
    watched.timer = setTimeout(() => {
      this.runCheck(name, health, watched).catch((error) => this.log.error(`health check ${name} stopped`, { error }));
    }, HEALTH_CHECK_INTERVAL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    for (const { timer } of this.checks.values()) clearTimeout(timer);
  }
}

/** @throws what `work` throws, or an error if it takes too long */
async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`No response within ${HEALTH_CHECK_TIMEOUT_MS / 1000} s`)),
      HEALTH_CHECK_TIMEOUT_MS,
    ).unref();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
