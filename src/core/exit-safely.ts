import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** V8 flags that disable the compiler tiers that run on background threads. */
const BACKGROUND_TIERS = ['--no-opt', '--no-maglev', '--no-sparkplug'];
/** Time for compilations that have already started. Each takes a few milliseconds. */
const COMPILER_DRAIN_MS = 50;

/**
 * Ends the process. `process.exit` waits for compiler threads. If such a thread waits for this thread to collect
 * garbage, both wait forever (nodejs/node#54918). This function stops new compilations and gives running ones time to
 * finish.
 */
export async function exitSafely(code: number): Promise<never> {
  for (const tier of BACKGROUND_TIERS) setFlagsFromString(tier);
  await delay(COMPILER_DRAIN_MS);
  process.exit(code);
}
