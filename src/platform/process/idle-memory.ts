import { promisify } from 'node:util';
import type { Log } from '../../core/log.js';

const MIB = 2 ** 20;
const LOOK_MS = 2000;
/** CPU utilization below which the process counts as idle. */
const IDLE_SHARE = 0.05;
/** Growth of memory since the last collection that makes another one worthwhile. */
const WORTH_BYTES = 16 * MIB;
/** Maximum heap size for a forced collection, because a larger heap would cause a noticeable pause. */
const MOST_BYTES = 96 * MIB;
const REST_MS = 60_000;

/**
 * Makes V8 return memory that startup or a past load has left in its heap, which V8 would otherwise keep. It only runs
 * while the process is idle, because a collection pauses it for 50 to 100 ms.
 */
export function giveMemoryBack(log: Log): void {
  if (!process.features.inspector) return;
  let busy = performance.eventLoopUtilization();
  let least = 0;
  let restsUntil = 0;
  const look = async () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, busy);
    busy = now;
    const before = process.memoryUsage.rss();
    if (utilization > IDLE_SHARE || performance.now() < restsUntil || before < least + WORTH_BYTES) return;
    if (process.memoryUsage().heapUsed > MOST_BYTES) return;
    restsUntil = performance.now() + REST_MS;
    await collect();
    least = process.memoryUsage.rss();
    log.debug('memory was given back', { before_mib: Math.round(before / MIB), after_mib: Math.round(least / MIB) });
  };
  setInterval(() => void look().catch((error) => log.warn('no memory was given back', { error })), LOOK_MS).unref();
}

/**
 * Forces a full collection, after which V8 returns free memory. The inspector is the only way that works in all
 * supported Node.js versions.
 */
async function collect(): Promise<void> {
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
