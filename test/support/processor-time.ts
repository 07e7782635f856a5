const LOOPS = 20_000_000;
/** What the reference work takes on a quiet machine of the kind that the limits are meant for. */
const REFERENCE_MS = 30;

const spentSince = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** Processor milliseconds of synchronous work: what others do on the machine meanwhile does not count. */
export function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return spentSince(start);
}

/** How much slower than the reference this machine is at the moment; at least 1. */
export function slowness(): number {
  const times = [1, 2, 3].map(() =>
    processorTime(() => {
      let state = 1;
      for (let i = 0; i < LOOPS; i++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
      }
      if (state === 0) throw new Error('unreachable');
    }),
  );
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}

/**
 * The longest that `work` holds the event loop: processor milliseconds between two turns. Taken by processor time, so
 * that a machine with much else to do does not count as a loop that is held.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isRunning = true;
  let last = process.cpuUsage();
  const turn = () => {
    longest = Math.max(longest, spentSince(last));
    last = process.cpuUsage();
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isRunning = false;
  return longest;
}

/** The least of several attempts: a loop that is really held is held every time, a collection of garbage is not. */
export async function leastOf(enough: number, measure: () => number | Promise<number>, attempts = 4): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts && least > enough; i++) least = Math.min(least, await measure());
  return least;
}
