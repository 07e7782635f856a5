import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** Tiers of code that threads beside this one compile. */
const BACKGROUND_TIERS = ['--no-opt', '--no-maglev', '--no-sparkplug'];
/** For what they have begun, which takes them a millisecond or a few each. */
const COMPILED_MS = 50;

/**
 * Ends the process. `process.exit` waits for the threads that compile, and one of them that then waits for this thread to
 * collect garbage waits for good, and the process with it (nodejs/node#54918): from here on they begin nothing, and have
 * time for what they have begun.
 */
export async function exitCalmly(code: number): Promise<never> {
  for (const tier of BACKGROUND_TIERS) setFlagsFromString(tier);
  await delay(COMPILED_MS);
  process.exit(code);
}
