/**
 * Fits a line through points by least squares. Returns its slope, the standard error of the slope, and the mean. Points
 * have equal weight, and their errors count as independent.
 */
export function line(points) {
  const n = points.length;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / n;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (n - 2) / spread), mean: meanY };
}

/** A slope of more than this many standard errors is significant. */
const CERTAIN = 3;
const FEWEST = 5;

/**
 * Checks whether a figure stays flat over the second half of its samples, which are pairs of minutes and values. The
 * line through them may climb by at most `most` from its first minute to its last, unless the climb is not significant.
 * If `share` is true, `most` is a share of the mean.
 */
export function trend(samples, { most, share = false }) {
  const half = samples.slice(Math.floor(samples.length / 2));
  if (half.length < FEWEST) throw new Error(`${half.length} samples are too few to tell a trend`);
  const { slope, error, mean } = line(half);
  const climb = slope * (half.at(-1)[0] - half[0][0]);
  const bound = share ? most * mean : most;
  return { mean, slope, error, climb, bound, isFlat: climb <= bound || slope <= CERTAIN * error };
}
