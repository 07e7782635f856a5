/**
 * Makes timers of exactly this length expire after `after` milliseconds instead. Affects timers that are set from now
 * on. Call the returned function to stop this.
 */
export function shortenTimers(milliseconds: number, after = 1): () => void {
  const { setTimeout: once, setInterval: again } = globalThis;
  const length = (time: number | undefined) => (time === milliseconds ? after : time);
  globalThis.setTimeout = ((work: () => void, time?: number, ...rest: []) =>
    once(work, length(time), ...rest)) as typeof once;
  globalThis.setInterval = ((work: () => void, time?: number, ...rest: []) =>
    again(work, length(time), ...rest)) as typeof again;
  return () => {
    globalThis.setTimeout = once;
    globalThis.setInterval = again;
  };
}
