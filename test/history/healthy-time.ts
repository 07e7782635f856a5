import type { Disturbance, Interval } from './history.js';

/** Sorts intervals and merges those that touch. */
function merged(intervals: readonly Interval[]): Interval[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** For how much of an interval a replica was in the state that the contract's time limits assume. */
export class HealthyTime {
  private readonly disturbed = new Map<number, Interval[]>();

  /** `recoveryMs`: how long a replica may take to recover after each disturbance. */
  constructor(disturbances: readonly Disturbance[], recoveryMs: number) {
    for (const replica of new Set(disturbances.map((one) => one.replica))) {
      const some = disturbances.filter((one) => one.replica === replica);
      this.disturbed.set(replica, merged(some.map(({ start, end }) => ({ start, end: end + recoveryMs }))));
    }
  }

  of(replica: number, { start, end }: Interval): number {
    let healthy = Math.max(0, end - start);
    for (const disturbed of this.disturbed.get(replica) ?? []) {
      healthy -= Math.max(0, Math.min(end, disturbed.end) - Math.max(start, disturbed.start));
    }
    return healthy;
  }
}
