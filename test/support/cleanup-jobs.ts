import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { CleanupJobs } from '../../src/platform/process/cleanup-jobs.js';
import type { Gatehouse } from './gatehouse.js';

/** Runs each cleanup job once. Cleanup jobs skip locked rows, so this first waits for background work. */
export async function sweep(service: Gatehouse): Promise<void> {
  await service.idle();
  await service.app.get(LastUsed).flushNow();
  await service.app.get(CleanupJobs).runAll();
}
