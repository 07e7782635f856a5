import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';

const HEALTH_CHECK_INTERVAL_MS = 1000;
const HEALTH_CHECK_TIMEOUT_MS = 5000;

/** Throws if the dependency cannot be used. */
export type HealthCheck = () => Promise<void>;

interface WatchedCheck {
  readonly check: HealthCheck;
  /** Last known result; false until first checked. */
  isPassing: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Health checks of the dependencies of modules, besides the database. Each is run once a second in the background. The
 * process is not ready while one fails; readiness requests use the last results. The log and a metric name the failing
 * check.
 */
@Injectable()
export class HealthChecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly checks = new Map<string, WatchedCheck>();
  private isStopped = false;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Registers a check. Its name appears in the log and in a metric label: lowercase letters, digits and hyphens. A
   * check fails after five seconds.
   */
  add(name: string, check: HealthCheck): void {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(name) || this.checks.has(name))
      throw new Error(`the health check ${name} cannot be added`);
    this.checks.set(name, { check, isPassing: false });
  }

  /** Names of the checks whose last run failed. */
  get failing(): readonly string[] {
    return [...this.checks].filter(([, { isPassing }]) => !isPassing).map(([name]) => name);
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([...this.checks].map(([name, watched]) => this.runCheck(name, watched, true)));
  }

  private async runCheck(name: string, watched: WatchedCheck, isFirst = false): Promise<void> {
    try {
      await withTimeout(watched.check());
      if (!watched.isPassing && !isFirst) this.log.info(`the health check ${name} passes again`);
      watched.isPassing = true;
    } catch (error) {
      if (watched.isPassing || isFirst)
        this.log.error(`the health check ${name} fails: the service is not ready`, { error });
      watched.isPassing = false;
    }
    this.metrics.healthChecks.set({ check: name }, Number(watched.isPassing));
    if (this.isStopped) return;
    watched.timer = setTimeout(() => {
      this.runCheck(name, watched).catch((error) =>
        this.log.error(`the health check ${name} is no longer made`, { error }),
      );
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
      () => reject(new Error(`no answer within ${HEALTH_CHECK_TIMEOUT_MS / 1000} s`)),
      HEALTH_CHECK_TIMEOUT_MS,
    ).unref();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
