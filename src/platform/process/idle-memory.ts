import { promisify } from 'node:util';
import type { Log } from '../../core/log.js';

const MIB = 2 ** 20;
const IDLE_CHECK_INTERVAL_MS = 2000;
/** CPU utilization below which the process counts as idle. */
const MAX_IDLE_UTILIZATION = 0.05;
/** Growth of memory since the last collection that makes another one worthwhile. */
const MIN_GROWTH_BYTES = 16 * MIB;
/** Maximum heap size for a forced collection, because a larger heap would cause a noticeable pause. */
const MAX_HEAP_BYTES = 96 * MIB;
const MIN_COLLECTION_INTERVAL_MS = 60_000;

/**
 * Makes V8 return memory that startup or a past load has left in its heap, which V8 would otherwise keep. It only runs
 * while the process is idle, because a collection pauses it for 50 to 100 ms.
 */
export function releaseIdleMemory(log: Log): void {
  if (!process.features.inspector) return;
  let busy = performance.eventLoopUtilization();
  let least = 0;
  let restsUntil = 0;
  const check = async () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, busy);
    busy = now;
    const before = process.memoryUsage.rss();
    if (utilization > MAX_IDLE_UTILIZATION || performance.now() < restsUntil || before < least + MIN_GROWTH_BYTES)
      return;
    if (process.memoryUsage().heapUsed > MAX_HEAP_BYTES) return;
    restsUntil = performance.now() + MIN_COLLECTION_INTERVAL_MS;
    await collectGarbage();
    least = process.memoryUsage.rss();
    log.debug('memory returned to the operating system', {
      before_mib: Math.round(before / MIB),
      after_mib: Math.round(least / MIB),
    });
  };
  setInterval(
    () => void check().catch((error) => log.warn('returning memory to the operating system failed', { error })),
    IDLE_CHECK_INTERVAL_MS,
  ).unref();
}

/**
 * Forces a full collection, after which V8 returns free memory. The inspector is the only way that works in all
 * supported Node.js versions.
 */
async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  const post = promisify<string, void>(session.post.bind(session));
  try {
    await post('HeapProfiler.enable');
    await post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
