import { JobRunner } from '../../src/platform/jobs/job-runner.service.js';
import type { Gatehouse } from './gatehouse.js';

/**
 * Runs all background jobs that are due, one after another, and returns the number of attempts. In tests, jobs run only
 * here. With `at`, jobs that wait for a time up to this one are due now, also those that wait for another attempt.
 */
export function runJobs(service: Gatehouse, at?: Date): Promise<number> {
  return service.app.get(JobRunner).runDue(at);
}

/**
 * Makes the completed jobs of a name due again, as after a process that ended before it could record them. Returns how
 * many there were.
 */
export async function repeatJobs(service: Gatehouse, name: string): Promise<number> {
  const again =
    "UPDATE pgboss_job SET state = 'retry', start_after = now() WHERE name = $1 AND state = 'completed' RETURNING 1";
  return (await service.sql(`WITH again AS (${again}) SELECT 1 FROM again`, [name])).length;
}
