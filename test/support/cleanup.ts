import type { INestApplication } from '@nestjs/common';
import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import { Cleanup } from '../../src/platform/jobs/cleanup.js';
import type { Gatehouse } from './gatehouse.js';

/** Runs each cleanup task once. */
export function cleanUp(app: INestApplication): Promise<void> {
  return app.get(Cleanup).run({}, new AbortController());
}

/** Runs each cleanup task once. Some tasks skip locked rows, so this first waits for background work. */
export async function runCleanup(service: Gatehouse): Promise<void> {
  await service.idle();
  await service.app.get(LastUsed).flushNow();
  await cleanUp(service.app);
}
