/** Lets timers of exactly this length, set from now on, end at once. Call what it returns to end that. */
export function hurry(milliseconds: number): () => void {
  const { setTimeout: real } = globalThis;
  globalThis.setTimeout = ((work: () => void, time?: number, ...rest: []) =>
    real(work, time === milliseconds ? 1 : time, ...rest)) as typeof real;
  return () => {
    globalThis.setTimeout = real;
  };
}
