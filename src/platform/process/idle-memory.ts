import { promisify } from 'node:util';
import type { Log } from '../../core/log.js';

const MIB = 2 ** 20;
const LOOK_MS = 2000;
/** For which share of that time the process may have been busy to count as idle. */
const IDLE_SHARE = 0.05;
/** How much it must have taken from the system since the last time. */
const WORTH_BYTES = 16 * MIB;
/** To look through more, garbage included, keeps whoever comes just then waiting for too long. */
const MOST_BYTES = 96 * MIB;
const REST_MS = 60_000;

/**
 * Has V8 give back what a start, or a load that is over, has left of its heap: of itself it keeps the room for new objects
 * that it once needed, and garbage until it needs the place. Only while the process is idle, for it stands still
 * meanwhile, 50 to 100 ms.
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

/** The only way that Node has, in all its lines, to say that memory is wanted: a collection, and the rest is given back. */
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
