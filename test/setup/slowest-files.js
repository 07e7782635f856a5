import { relative } from 'node:path';

/** With `SLOWEST_FILES=10` a run names the ten files that took longest. */
export default class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    const count = Number(process.env.SLOWEST_FILES ?? 0);
    const slowest = testResults
      .map(({ testFilePath, perfStats }) => ({ file: relative(process.cwd(), testFilePath), ms: perfStats.runtime }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, count);
    for (const { file, ms } of slowest) process.stderr.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`);
  }
}
