import { Injectable } from '@nestjs/common';
import type { JobName, JobPayload } from '../../core/names.js';
import { assertJson } from '../../core/text/json-value.js';
import { suggest } from '../../core/text/similar.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { JobDeclaration } from '../../policy/jobs.js';
import { Database, type Tx } from '../database/database.js';
import { idOfKey, JobQueue } from './job-queue.js';

/** Options of `Jobs.enqueue`. */
export interface EnqueueOptions {
  /** The job runs at this time or up to five seconds later. Default: after the commit. */
  readonly startAfter?: Date;
  /**
   * Idempotency key, 1 to 512 characters. If a job of this name has the key, another one is not enqueued. Keys of
   * completed jobs are remembered for a day, those of failed jobs for 30 days. `null` enqueues a job on every call.
   */
  readonly key: string | null;
}

/** @throws Error unless the caller decided what a repeated call does */
function assertKey(name: string, key: unknown): void {
  if (key === null || (typeof key === 'string' && key.length >= 1 && key.length <= 512)) return;
  throw new Error(
    `The job ${name} needs a key of 1 to 512 characters, such as the ID of its row. If every call must enqueue a job, set key: null`,
  );
}

/** Enqueues background jobs, which features declare in `jobs`. */
@Injectable()
export class Jobs {
  constructor(
    private readonly database: Database,
    private readonly queue: JobQueue,
    private readonly features: FeatureRegistry,
  ) {}

  /**
   * Enqueues a job in the transaction that needs it. The job runs after the commit, at least once, and never after a
   * rollback. Its payload is JSON. It is stored as plain text, so it contains IDs instead of personal data or secrets.
   * @returns false if there is a job with the same key
   * @throws Error if no feature declares the job, if the key is missing, or if the payload is not JSON
   */
  async enqueue<T extends JobName>(
    tx: Tx,
    name: T,
    payload: JobPayload<T>,
    { startAfter, key }: EnqueueOptions,
  ): Promise<boolean> {
    const declaration = this.requireDeclaration(name);
    assertKey(name, key);
    assertJson(payload, `The payload of the job ${name}`);
    const isNew = await this.queue.insert(tx, {
      name,
      payload: payload as object,
      startAfter: startAfter ?? null,
      id: key === null ? null : idOfKey(name, key),
      declaration,
    });
    if (!isNew && key === null) throw new Error(`Enqueuing the job ${name} failed`);
    if (isNew && startAfter === undefined) this.database.onCommit(tx, () => this.queue.onEnqueued());
    return isNew;
  }

  private requireDeclaration(name: string): JobDeclaration {
    const declaration = this.features.jobs.get(name);
    if (!declaration) {
      const similar = suggest(name, this.features.jobs.keys());
      throw new Error(`Unknown job ${name}${similar || '. Declare it in jobs of a feature'}`);
    }
    return declaration;
  }
}
