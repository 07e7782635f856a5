import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { mintTraceId } from '../../core/secrets.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { JOB_DEFAULTS, type JobDeclaration, type JobHandler } from '../../policy/jobs.js';
import { Database } from '../database/database.js';
import { PollingWorker } from '../process/polling-worker.js';
import { Cleanup } from './cleanup.js';
import { type ClaimedJob, idOfRepeated, JobQueue } from './job-queue.js';
import { enqueueNextRun, nextRun } from './job-schedule.js';

/** A start is faster if the first statements of jobs come after it. */
const FIRST_POLL_MS = 1000;
const MAX_ERROR_LENGTH = 500;

type Handler = JobHandler<Readonly<Record<string, unknown>>>;

/**
 * Runs due jobs, a few at a time. It looks for them after each commit of this process that enqueues one, and every five
 * seconds. With `NODE_ENV=test`, only `runDue` runs jobs, and jobs with `everySeconds` have no runs of their own.
 */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly handlers = new Map<string, Handler>();
  private readonly declarations: ReadonlyMap<string, JobDeclaration>;
  private readonly worker: PollingWorker;
  private readonly stopping = new AbortController();
  private firstPoll: NodeJS.Timeout | undefined;
  private isScheduled = false;
  private isWaiting = false;

  constructor(
    private readonly queue: JobQueue,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly config: Config,
    private readonly modules: ModuleRef,
    features: FeatureRegistry,
    private readonly metrics: Metrics,
    cleanup: Cleanup,
  ) {
    this.declarations = features.jobs;
    this.worker = new PollingWorker(
      () => this.runNext(),
      (error) => log.error('reading the job queue failed', { error }),
    );
    metrics.startAtZero('gatehouse_job_runs_total', { name: [...features.jobs.keys()] });
    metrics.measure('gatehouse_job_oldest_seconds', () => this.measureBacklog('oldest_seconds'));
    metrics.measure('gatehouse_jobs_failed', () => this.measureBacklog('failed'));
    cleanup.add('finished jobs', async (tx, limit) => {
      const rows = await tx.query<unknown[]>(
        `WITH old AS (
           SELECT id FROM pgboss_job WHERE completed_on < now() - interval '1 day' AND state > 'active'
             AND (state <> 'failed' OR completed_on < now() - interval '30 days') ORDER BY completed_on LIMIT ${limit}),
         removed AS (DELETE FROM pgboss_job WHERE id IN (SELECT id FROM old) RETURNING 1)
         SELECT 1 FROM removed`,
      );
      return rows.length;
    });
  }

  private get isAutomatic(): boolean {
    return this.config.nodeEnv !== 'test';
  }

  /** The value of each job in the backlog, for a metric. */
  private async measureBacklog(value: 'oldest_seconds' | 'failed') {
    const names = [...this.declarations.keys()];
    const backlog = names.length === 0 ? [] : await this.queue.backlog();
    return names.map((name) => ({ labels: { name }, value: backlog.find((job) => job.name === name)?.[value] ?? 0 }));
  }

  /** @throws StartError if the handler of a job is not a provider of a module, or a `cron` has no next time */
  async onApplicationBootstrap(): Promise<void> {
    for (const [name, { handler, cron }] of this.declarations) {
      if (cron !== undefined) await this.assertCron(name, cron);
      try {
        this.handlers.set(name, this.modules.get<Handler>(handler, { strict: false }));
      } catch (error) {
        throw new StartError(
          `The handler of the job ${name} was not found. Add ${handler.name} to the providers of a module`,
          { cause: error },
        );
      }
    }
    if (this.handlers.size === 0 || !this.isAutomatic) return;
    this.firstPoll = setTimeout(() => {
      this.queue.onEnqueued = () => this.worker.wake();
      this.worker.start();
    }, FIRST_POLL_MS).unref();
  }

  private async assertCron(name: string, cron: string): Promise<void> {
    try {
      await nextRun(cron, this.clock.date());
    } catch (error) {
      throw new StartError(`The cron of the job ${name} is invalid: ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * Runs all jobs that are due, one after another, and returns how many attempts it made. For tests.
   * @param at also runs jobs that wait for a time up to this one
   */
  async runDue(at?: Date): Promise<number> {
    let attempts = 0;
    if (at) await this.queue.runNow([...this.handlers.keys()], at);
    while (await this.runNext()) attempts++;
    return attempts;
  }

  private async runNext(): Promise<boolean> {
    if (!(this.isScheduled || (await this.schedule()))) return false;
    for (const name of await this.queue.due([...this.handlers.keys()])) {
      const job = await this.queue.claim(name);
      if (!job) continue;
      await this.run(name, job);
      return true;
    }
    return false;
  }

  /**
   * Enqueues the next runs of jobs with `cron` or `everySeconds`. Each of their runs makes the one after it wait.
   * @returns false while migrations are pending, because the tables may not exist yet
   */
  private async schedule(): Promise<boolean> {
    if (await this.database.hasPendingMigrations()) {
      if (!this.isWaiting) this.log.warn('background jobs are paused until the pending migrations are applied');
      this.isWaiting = true;
      return false;
    }
    await this.queue.register(this.declarations);
    for (const [name, declaration] of this.declarations) {
      const { leaseSeconds, everySeconds } = { ...JOB_DEFAULTS, ...declaration };
      if (everySeconds !== undefined && this.isAutomatic) await this.queue.repeat(name, everySeconds, leaseSeconds);
      if (declaration.cron !== undefined) await this.enqueueNext(name, declaration, this.clock.date());
    }
    this.isScheduled = true;
    return true;
  }

  private enqueueNext(name: string, declaration: JobDeclaration, after: Date): Promise<void> {
    return this.database.transaction((tx) => enqueueNextRun(this.queue, tx, name, declaration, after));
  }

  private async run(name: string, job: ClaimedJob): Promise<void> {
    const declaration = this.declarations.get(name) as JobDeclaration;
    const { leaseSeconds, retryLimit, handler } = { ...JOB_DEFAULTS, ...declaration };
    const leaseEnd = AbortSignal.timeout(leaseSeconds * 1000);
    const attempt = {
      id: job.id,
      number: job.retryCount + 1,
      traceId: mintTraceId(),
      signal: AbortSignal.any([leaseEnd, this.stopping.signal]),
    };
    const { cron_at: cronAt, ...payload } = job.data;
    const everySeconds = job.id === idOfRepeated(name) ? declaration.everySeconds : undefined;
    try {
      if (typeof cronAt === 'string') {
        // The database may be ahead of the clock of this process, which must not repeat the run.
        await this.enqueueNext(name, declaration, new Date(Math.max(this.clock.now(), Date.parse(cronAt))));
      }
      // After the lease, another process may run the job. A handler that never ends must not occupy this one.
      await Promise.race([this.handlers.get(name)?.run(payload, attempt), rejectAt(leaseEnd, leaseSeconds)]);
    } catch (error) {
      const isLast = everySeconds !== undefined || attempt.number > retryLimit;
      this.metrics.add('gatehouse_job_runs_total', { name, outcome: isLast ? 'failed' : 'retried' });
      this.log.error('background job failed', {
        ...{ job: name, handler: handler.name, id: job.id, attempt: attempt.number, isLast, error },
        trace_id: attempt.traceId,
      });
      if (everySeconds !== undefined) await this.queue.endRepeated(job, everySeconds);
      // Another process may run the job now, and its attempt must not count as failed.
      else if (!leaseEnd.aborted) await this.queue.fail(name, job.id, describeError(error));
      return;
    }
    if (everySeconds === undefined) await this.queue.complete(name, job.id);
    else await this.queue.endRepeated(job, everySeconds);
    this.metrics.add('gatehouse_job_runs_total', { name, outcome: 'completed' });
  }

  /** Lets the current attempts end, which get an abort signal. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.firstPoll);
    this.stopping.abort();
    await this.worker.stop();
  }
}

/** @throws Error when the lease ends */
const rejectAt = (leaseEnd: AbortSignal, leaseSeconds: number): Promise<never> =>
  new Promise((_resolve, reject) => {
    const text = `The attempt took longer than its lease of ${leaseSeconds} seconds. Raise leaseSeconds, or enqueue smaller jobs`;
    leaseEnd.addEventListener('abort', () => reject(new Error(text)), { once: true });
  });

const describeError = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}`.slice(0, MAX_ERROR_LENGTH) : 'unknown error';
