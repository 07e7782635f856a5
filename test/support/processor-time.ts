const LOOPS = 2_000_000;
/** What the reference work takes on a quiet machine of the kind that the limits are meant for. */
const REFERENCE_MS = 3;
/** What is too little to be looked into. */
const NOTHING_MS = 1;
/** What a page of new memory costs on such a machine, in milliseconds. */
const PAGE_MS = 0.002;
const PAGE_BYTES = 4096;
const PAGES = 256;

interface Used {
  readonly ms: number;
  /** Pages that were given to the process: some virtual machines take ten times as long for each as others. */
  readonly pages: number;
}

function used(since?: Used): Used {
  const { userCPUTime, systemCPUTime, minorPageFault } = process.resourceUsage();
  return {
    ms: (userCPUTime + systemCPUTime) / 1000 - (since?.ms ?? 0),
    pages: minorPageFault - (since?.pages ?? 0),
  };
}

/** Milliseconds that a page costs beyond `PAGE_MS` at the moment. */
function excessOfPage(): number {
  const before = used();
  const block = Buffer.allocUnsafeSlow(PAGES * PAGE_BYTES);
  for (let at = 0; at < block.length; at += PAGE_BYTES) block[at] = 1;
  const { ms, pages } = used(before);
  return pages < PAGES / 2 ? 0 : Math.max(0, ms / pages - PAGE_MS);
}

/** Without what the machine takes for new memory beyond a quiet one. */
const withoutExcess = ({ ms, pages }: Used, excess: number): number => Math.max(0, ms - pages * excess);

/** Processor milliseconds of synchronous work: what others do on the machine meanwhile does not count. */
export function processorTime(work: () => void): number {
  const before = used();
  work();
  const spent = used(before);
  return spent.ms > NOTHING_MS ? withoutExcess(spent, excessOfPage()) : spent.ms;
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
  const holds: Used[] = [];
  let isRunning = true;
  let last = used();
  // The system is asked once a turn: in some containers a question costs more than a turn does.
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
