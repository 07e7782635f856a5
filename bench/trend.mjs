/**
 * A line through points by least squares: how steep it is, and the standard error of that. Points are of equal weight, and
 * their errors are taken to be independent.
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

/** So many standard errors make a slope more than chance. */
const CERTAIN = 3;
const FEWEST = 5;

/**
 * Whether a measure stays flat over the second half of its samples, pairs of minutes and values: the line through them climbs
 * by no more than `most` from its first minute to its last, or what it climbs may be chance. `share` says that `most` is a
 * share of the mean.
 */
export function trend(samples, { most, share = false }) {
  const half = samples.slice(Math.floor(samples.length / 2));
  if (half.length < FEWEST) throw new Error(`${half.length} samples are too few to tell a trend`);
  const { slope, error, mean } = line(half);
  const climb = slope * (half.at(-1)[0] - half[0][0]);
  const bound = share ? most * mean : most;
  return { mean, slope, error, climb, bound, isFlat: climb <= bound || slope <= CERTAIN * error };
}
