import { JobRunner } from '../../src/platform/jobs/job-runner.service.js';
import type { Gatehouse } from './gatehouse.js';

/**
 * Runs all background jobs that are due, one after another, and returns the number of attempts. In tests, jobs run only
 * here. With `at`, jobs that wait for a time up to this one are due now, also those that wait for another attempt.
 */
export function runJobs(service: Gatehouse, at?: Date): Promise<number> {
  return service.app.get(JobRunner).runDue(at);
}
