const DAY_MS = 86_400_000;

/** The day of a time in UTC, such as `2026-11-27`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The last days in UTC, from the oldest to the one of `now`. */
export const lastDays = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * DAY_MS));
