/** Beyond it the times of two classes differ (dudect: Reparaz, Balasch, Verbauwhede 2017). */
export const THRESHOLD = 4.5;

/**
 * Shares of all samples of both classes, the fastest first, that are looked at: a difference that the slowest requests
 * drown shows among the others.
 */
export const CROPS = [1, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values, of = mean(values)) =>
  values.reduce((sum, value) => sum + (value - of) ** 2, 0) / (values.length - 1);

/** Welch's t of two samples: how many standard errors the mean of the first lies above that of the second. */
export function welch(first, second) {
  const error = Math.sqrt(variance(first) / first.length + variance(second) / second.length);
  const gap = mean(first) - mean(second);
  if (error === 0) return gap === 0 ? 0 : Math.sign(gap) * Number.POSITIVE_INFINITY;
  return gap / error;
}

/** Whatever of both samples is no slower than that share of them together: one limit for both. */
function cropped(first, second, share) {
  const all = [...first, ...second].sort((a, b) => a - b);
  const limit = all[Math.ceil(all.length * share) - 1];
  return [first, second].map((values) => values.filter((value) => value <= limit));
}

/**
 * Welch's t of two samples at each of `CROPS`, and `worst`, the one that is farthest from 0, by which they are judged. A crop
 * that leaves fewer than two of a class has none.
 */
export function compare(first, second) {
  const crops = CROPS.flatMap((share) => {
    const [a, b] = cropped(first, second, share);
    return a.length < 2 || b.length < 2 ? [] : [{ share, t: welch(a, b) }];
  });
  const worst = crops.reduce((most, crop) => (Math.abs(crop.t) > Math.abs(most.t) ? crop : most));
  return { crops, worst, differs: Math.abs(worst.t) > THRESHOLD };
}
