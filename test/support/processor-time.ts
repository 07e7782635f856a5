const LOOPS = 2_000_000;
/** What the reference work takes on a quiet machine of the kind that the limits are meant for. */
const REFERENCE_MS = 3;

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

/** Processor milliseconds of synchronous work: what others do on the machine meanwhile does not count. */
export function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return milliseconds(process.cpuUsage(start));
}

const reference = (): number =>
  processorTime(() => {
    let state = 1;
    for (let i = 0; i < LOOPS; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
    }
    if (state === 0) throw new Error('unreachable');
  });

/** How much slower than the reference this machine is at the moment; at least 1. */
const slowness = (): number => Math.max(1, reference() / REFERENCE_MS);

/**
 * The longest that `work` holds the event loop: processor milliseconds between two turns. Taken by processor time, so
 * that a machine with much else to do does not count as a loop that is held.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isRunning = true;
  let last = process.cpuUsage();
  // The system is asked once a turn: in some containers a question costs more than a turn does.
  const turn = () => {
    const now = process.cpuUsage();
    longest = Math.max(longest, milliseconds(now) - milliseconds(last));
    last = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isRunning = false;
  return longest;
}

const ATTEMPTS = 8;

/**
 * The least of several attempts, each in milliseconds of a quiet machine by reference work next to it: what is really
 * slow is slow every time, while a collection of garbage and a slow moment of the machine pass. It ends early with one
 * that is `enough`, and with two that are `hopeless`.
 */
export async function leastOf(
  { enough, hopeless = Number.POSITIVE_INFINITY }: { enough: number; hopeless?: number },
  measure: () => number | Promise<number>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ATTEMPTS && least > enough && (i < 2 || least < hopeless); i++) {
    const before = i === 0 ? Number.POSITIVE_INFINITY : slowness();
    const spent = await measure();
    least = Math.min(least, spent <= enough ? spent : spent / Math.min(before, slowness()));
  }
  return least;
}
