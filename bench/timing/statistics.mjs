/** Above this value, the times of two classes differ (dudect: Reparaz, Balasch, Verbauwhede 2017). */
export const THRESHOLD = 4.5;

/**
 * The shares of all samples of both classes that are compared, fastest first. A difference that slow requests hide
 * shows among the others.
 */
export const CROPS = [1, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values, of = mean(values)) =>
  values.reduce((sum, value) => sum + (value - of) ** 2, 0) / (values.length - 1);

/** Welch's t of two samples: by how many standard errors the mean of the first exceeds that of the second. */
export function welch(first, second) {
  const error = Math.sqrt(variance(first) / first.length + variance(second) / second.length);
  const gap = mean(first) - mean(second);
  if (error === 0) return gap === 0 ? 0 : Math.sign(gap) * Number.POSITIVE_INFINITY;
  return gap / error;
}

/** The values of both samples that are within this share of all values. Both samples have the same limit. */
function cropped(first, second, share) {
  const all = [...first, ...second].sort((a, b) => a - b);
  const limit = all[Math.ceil(all.length * share) - 1];
  return [first, second].map((values) => values.filter((value) => value <= limit));
}

/**
 * Welch's t of two samples at each of `CROPS`, and `worst`, the value farthest from 0, which decides. Crops with fewer
 * than two values of a class are left out.
 */
export function compare(first, second) {
  const crops = CROPS.flatMap((share) => {
    const [a, b] = cropped(first, second, share);
    return a.length < 2 || b.length < 2 ? [] : [{ share, t: welch(a, b) }];
  });
  const worst = crops.reduce((most, crop) => (Math.abs(crop.t) > Math.abs(most.t) ? crop : most));
  return { crops, worst, differs: Math.abs(worst.t) > THRESHOLD };
}
