import { markdown } from '../lib.mjs';
import { CROPS, THRESHOLD } from './statistics.mjs';

const percent = (share) => (share === 1 ? 'all' : `${share * 100} %`);

/** The verdict on a pair. The planted leak must be found. Known differences include their reason. */
export function verdictOf({ isLeak, known, worst }) {
  const differs = Math.abs(worst.t) > THRESHOLD;
  if (differs && known) return `differs: ${known}`;
  if (isLeak) return differs ? 'found' : 'NOT FOUND';
  return differs ? 'DIFFERS' : 'alike';
}

const pairsOf = ({ runs }) => runs.flatMap(({ pairs }) => pairs);

/** Whether all verdicts are as they must be, including those of the controls. */
export const isPassed = (day) => pairsOf(day).every((pair) => !['DIFFERS', 'NOT FOUND'].includes(verdictOf(pair)));

const HEAD = [
  'Pair: the first, the second',
  'n each',
  'median us',
  'gap us',
  't of all',
  'worst t',
  'of the fastest',
  '',
];

/** The row of a pair. */
export const rowOf = (pair) => [
  ...[pair.name, pair.n, pair.median.toFixed(0), pair.gap.toFixed(1), pair.crops[0].t.toFixed(2)],
  ...[pair.worst.t.toFixed(2), percent(pair.worst.share), verdictOf(pair)],
];

/** The rows of a day: a header, and one row for each pair. */
export const rows = (day) => [HEAD, ...pairsOf(day).map(rowOf)];

/**
 * The results of earlier runs that day and of this run, which replaces pairs that it measured again. Each run keeps its
 * controls.
 */
export function withRun(earlier, run) {
  const anew = new Set(run.pairs.filter(({ isControl }) => !isControl).map(({ name }) => name));
  const kept = earlier.map((one) => ({ ...one, pairs: one.pairs.filter(({ name }) => !anew.has(name)) }));
  return [...kept.filter(({ pairs }) => pairs.some(({ isControl }) => !isControl)), run];
}

const runText = ({ pairs, load, note }) =>
  `- ${pairs.length} pairs with ${pairs[0].n} of each class: load average (1, 5 and 15 minutes) ${load.before.join(', ')} before and ${load.after.join(', ')} after; ${note}`;

/** The report of a day. */
export function document(day) {
  const { date, machine, versions, platform, runs } = day;
  return `# Timing, ${date}

Written by \`npm run bench -- timing\`; [how it is measured](../README.md#timing). ${machine.processor}, ${machine.cores} cores,
${machine.memoryGib} GiB; Node ${versions.node}, PostgreSQL ${versions.postgresql}; ${platform}. In the order of the table, the
controls of a run before its pairs:

${runs.map(runText).join('\n')}

Welch's t of all samples and of the fastest ${CROPS.slice(1).map(percent).join(', ')} of both classes together; judged is the one that is
farthest from 0, which must stay within ${THRESHOLD}. The gap is that of the medians.

${markdown(rows(day))}

${isPassed(day) ? 'Nothing differs that is not known to, and the planted leak was found.' : 'Not everything is as it must be.'}
`;
}
