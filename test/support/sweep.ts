import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { CleanupJobs } from '../../src/platform/process/cleanup-jobs.js';
import type { Gatehouse } from './gatehouse.js';

/** One round of the janitor. It leaves out rows that somebody else writes at the moment: nobody does. */
export async function sweep(service: Gatehouse): Promise<void> {
  await service.idle();
  await service.app.get(LastUsed).flushNow();
  await service.app.get(CleanupJobs).runAll();
}
