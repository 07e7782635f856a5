const MAX_INTERVALS = 4;

/** Evenly spaced values of an axis from 0 to at least `highest`, at most five. The step is 1, 2 or 5 times a power of 10. */
export function ticksUpTo(highest: number): number[] {
  const atLeast = Math.max(1, highest) / MAX_INTERVALS;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, atLeast)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= atLeast) ?? 10 * power;
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
