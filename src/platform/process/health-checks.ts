import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';

const PAUSE_MS = 1000;
const PATIENCE_MS = 5000;

/** Throws while what it looks at cannot be used. */
export type HealthCheck = () => Promise<void>;

interface Watched {
  readonly check: HealthCheck;
  /** As it was last seen; nobody has looked yet: it is not. */
  isWell: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * What modules need beside the database before the process should get traffic: each is looked at once a second, in the
 * background. Readiness waits for none of them; the log and a metric name the one that fails.
 */
@Injectable()
export class HealthChecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly watched = new Map<string, Watched>();
  private isOver = false;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** Names stand in the log and in a label: lower case, digits and hyphens. A check has five seconds. */
  add(name: string, check: HealthCheck): void {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(name) || this.watched.has(name))
      throw new Error(`the health check ${name} cannot be added`);
    this.watched.set(name, { check, isWell: false });
  }

  /** Those that failed when they were last looked at. */
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

/** @throws what `work` throws, or that it took too long */
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
