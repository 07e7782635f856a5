import type { JobDeclaration } from '../../policy/jobs.js';
import type { Tx } from '../database/database.js';
import { idOfKey, type JobQueue } from './job-queue.js';

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
  const { default: parser } = await import('cron-parser');
  const startAfter = parser.parseExpression(declaration.cron, { currentDate: after, tz: 'UTC' }).next().toDate();
  const id = idOfKey(name, `cron ${startAfter.toISOString()}`);
  await queue.insert(tx, { id, name, payload: { cron_at: startAfter.toISOString() }, startAfter, declaration });
}
