import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { Database } from '../../platform/database/database.js';
import { type JobCounts, JobQueue, type JobRow } from '../../platform/jobs/job-queue.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { AuditLog } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import type { JobsQuery } from './jobs.dto.js';

const TARGET = { type: 'instance' } as const;

/** Background jobs for administrators. Payloads are never shown, because they may contain personal data. */
@Injectable()
export class AdminJobs {
  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
    private readonly features: FeatureRegistry,
    private readonly audit: AuditLog,
  ) {}

  /** Lists failed jobs, the last failure first, or jobs that wait or run, the oldest first. Also counts all jobs by name. */
  async show({ state = 'failed', limit = 50, after }: JobsQuery) {
    const [counts, { jobs, next }] = await Promise.all([this.queue.count(), this.list(state, limit, after)]);
    return {
      queues: this.queuesOf(counts),
      jobs: jobs.map((job) => this.jobView(job)),
      has_more: next !== null,
      next_after: next,
    };
  }

  private queuesOf(counts: readonly JobCounts[]) {
    const known = new Map(counts.map((count) => [count.name, count]));
    const unused = [...known.values()].filter(({ waiting, active, failed }) => waiting + active + failed === 0);
    for (const { name } of unused) if (!this.features.jobs.has(name)) known.delete(name);
    return [...new Set([...this.features.jobs.keys(), ...known.keys()])].sort().map((name) => ({
      name,
      is_declared: this.features.jobs.has(name),
      waiting: known.get(name)?.waiting ?? 0,
      active: known.get(name)?.active ?? 0,
      failed: known.get(name)?.failed ?? 0,
      due_at: known.get(name)?.due_at?.toISOString() ?? null,
    }));
  }

  private jobView({ id, name, state, attempts, created_at, at, error }: JobRow) {
    return {
      id,
      name,
      is_declared: this.features.jobs.has(name),
      state,
      attempts,
      created_at: created_at.toISOString(),
      at: at.toISOString(),
      error,
    };
  }

  private async list(state: 'failed' | 'waiting', limit: number, after?: string) {
    const [position = '', id = ''] = after?.split('.') ?? [];
    const found = await this.queue.list(state, limit + 1, after === undefined ? undefined : { position, id });
    const jobs = found.slice(0, limit);
    const last = jobs.at(-1);
    return { jobs, next: found.length > limit && last ? `${last.position}.${last.id}` : null };
  }

  /**
   * Makes a failed job due again.
   * @returns the name of the job
   * @throws ApiError UNKNOWN_JOB, or JOB_NOT_RETRYABLE if it is not failed or no feature declares it
   */
  retry(by: Operator, id: string): Promise<string> {
    return this.database.transaction(async (tx) => {
      const job = await this.queue.find(tx, id);
      if (!job) throw new ApiError('UNKNOWN_JOB');
      const { name, is_failed } = job;
      if (!is_failed || !this.features.jobs.has(name)) throw new ApiError('JOB_NOT_RETRYABLE');
      await this.queue.retry(tx, name, id);
      await this.audit.record(tx, by, { action: 'retry_job', target: TARGET, metadata: { id, name } });
      return name;
    });
  }

  /** Deletes all waiting and failed jobs of a name that no feature declares, and returns their number. */
  async deleteUndeclared(by: Operator, name: string): Promise<number> {
    if (this.features.jobs.has(name))
      throw new Error(`The job ${name} is declared by a feature, so it cannot be deleted`);
    return this.database.transaction(async (tx) => {
      const count = await this.queue.deleteAll(tx, name);
      if (count > 0)
        await this.audit.record(tx, by, { action: 'delete_jobs', target: TARGET, metadata: { name, count } });
      return count;
    });
  }
}
