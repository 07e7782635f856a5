import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';

const PAUSE_MS = 1000;
const PATIENCE_MS = 5000;

/** Throws if the dependency cannot be used. */
export type HealthCheck = () => Promise<void>;

interface Watched {
  readonly check: HealthCheck;
  /** Last known result; false until first checked. */
  isWell: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Health checks of the dependencies of modules, besides the database. Each is run once a second in the background. The
 * process is not ready while one fails; readiness requests use the last results. The log and a metric name the failing
 * check.
 */
@Injectable()
export class HealthChecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly watched = new Map<string, Watched>();
  private isOver = false;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Registers a check. Its name appears in the log and in a metric label: lowercase letters, digits and hyphens. A
   * check fails after five seconds.
   */
  add(name: string, check: HealthCheck): void {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(name) || this.watched.has(name))
      throw new Error(`the health check ${name} cannot be added`);
    this.watched.set(name, { check, isWell: false });
  }

  /** Names of the checks whose last run failed. */
  get failing(): readonly string[] {
    return [...this.watched].filter(([, { isWell }]) => !isWell).map(([name]) => name);
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([...this.watched].map(([name, watched]) => this.look(name, watched, true)));
  }

  private async look(name: string, watched: Watched, isFirst = false): Promise<void> {
    try {
      await inTime(watched.check());
      if (!watched.isWell && !isFirst) this.log.info(`the health check ${name} passes again`);
      watched.isWell = true;
    } catch (error) {
      if (watched.isWell || isFirst)
        this.log.error(`the health check ${name} fails: the service is not ready`, { error });
      watched.isWell = false;
    }
    this.metrics.healthChecks.set({ check: name }, Number(watched.isWell));
    if (this.isOver) return;
    watched.timer = setTimeout(() => {
      this.look(name, watched).catch((error) =>
        this.log.error(`the health check ${name} is no longer made`, { error }),
      );
    }, PAUSE_MS).unref();
  }

  beforeApplicationShutdown(): void {
    this.isOver = true;
    for (const { timer } of this.watched.values()) clearTimeout(timer);
  }
}

/** @throws what `work` throws, or an error if it takes too long */
async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS).unref();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
