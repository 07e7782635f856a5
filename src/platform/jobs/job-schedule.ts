import type { JobDeclaration } from '../../policy/jobs.js';
import type { Tx } from '../database/database.js';
import { idOfKey, type JobQueue } from './job-queue.js';

/** @throws Error if the expression is invalid or has no next time */
export async function nextRun(cron: string, after: Date): Promise<Date> {
  const { default: parser } = await import('cron-parser');
  return parser.parseExpression(cron, { currentDate: after, tz: 'UTC' }).next().toDate();
}

/**
 * Enqueues the next run of a job with `cron` after a time. All replicas compute the same ID for a run, so the queue has
 * it only once. Does nothing for other jobs.
 */
export async function enqueueNextRun(
  queue: JobQueue,
  tx: Tx,
  name: string,
  declaration: JobDeclaration,
  after: Date,
): Promise<void> {
  if (declaration.cron === undefined) return;
  const startAfter = await nextRun(declaration.cron, after);
  const id = idOfKey(name, `cron ${startAfter.toISOString()}`);
  await queue.insert(tx, { id, name, payload: { cron_at: startAfter.toISOString() }, startAfter, declaration });
}
