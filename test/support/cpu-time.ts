const LOOPS = 2_000_000;
/** The duration of the reference work on a quiet machine of the kind that the limits are set for. */
const REFERENCE_MS = 3;
/** Shorter times are not corrected or recorded. */
const NOTHING_MS = 1;
/** The cost of a new memory page on such a machine, in milliseconds. */
const PAGE_MS = 0.002;
const PAGE_BYTES = 4096;
const PAGES = 256;

interface Used {
  readonly ms: number;
  /**
   * Memory pages that the process received. On some virtual machines, each page takes ten times as long as on others.
   */
  readonly pages: number;
}

function used(since?: Used): Used {
  const { userCPUTime, systemCPUTime, minorPageFault } = process.resourceUsage();
  return {
    ms: (userCPUTime + systemCPUTime) / 1000 - (since?.ms ?? 0),
    pages: minorPageFault - (since?.pages ?? 0),
  };
}

/** The current cost of a page in milliseconds in excess of `PAGE_MS`. */
function excessOfPage(): number {
  const before = used();
  const block = Buffer.allocUnsafeSlow(PAGES * PAGE_BYTES);
  for (let at = 0; at < block.length; at += PAGE_BYTES) block[at] = 1;
  const { ms, pages } = used(before);
  return pages < PAGES / 2 ? 0 : Math.max(0, ms / pages - PAGE_MS);
}

/** Subtracts the time for new memory pages that exceeds that of a quiet machine. */
const withoutExcess = ({ ms, pages }: Used, excess: number): number => Math.max(0, ms - pages * excess);

/** CPU milliseconds of synchronous work. Other processes on the machine do not affect the result. */
export function cpuTime(work: () => void): number {
  const before = used();
  work();
  const spent = used(before);
  return spent.ms > NOTHING_MS ? withoutExcess(spent, excessOfPage()) : spent.ms;
}

const reference = (): number =>
  cpuTime(() => {
    let state = 1;
    for (let i = 0; i < LOOPS; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
    }
    if (state === 0) throw new Error('unreachable');
  });

/** How much slower than the reference this machine currently is, at least 1. */
const slowness = (): number => Math.max(1, reference() / REFERENCE_MS);

/**
 * The longest time that `work` blocks the event loop, in CPU milliseconds between two turns. CPU time is used so that a
 * busy machine does not count as a blocked event loop.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const holds: Used[] = [];
  let isRunning = true;
  let last = used();
  // Calls `used` only once per turn, because in some containers the call takes longer than a turn.
  const turn = () => {
    const spent = used(last);
    last = { ms: last.ms + spent.ms, pages: last.pages + spent.pages };
    if (spent.ms > NOTHING_MS) holds.push(spent);
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isRunning = false;
  const excess = holds.length > 0 ? excessOfPage() : 0;
  return Math.max(0, ...holds.map((hold) => withoutExcess(hold, excess)));
}

const ATTEMPTS = 8;

/**
 * The minimum of several attempts, each converted to milliseconds of a quiet machine. Reference work next to each
 * attempt provides the factor. Slow code is slow in every attempt, unlike a garbage collection or a slow moment of the
 * machine. Stops after one attempt that is `enough`, or after two that are `hopeless`.
 */
export async function minimumOf(
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
