import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What each file cost its worker, as the workers wrote it down. */
function processorTimes() {
  const path = join(process.env.GATEHOUSE_TEST_DIR ?? '', 'processor-time.tsv');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return new Map(lines.map((line) => line.split('\t').reverse()));
}

/** With `SLOWEST_FILES=10` a run names the ten files that took longest, and the processor time that went into each. */
export default class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    const count = Number(process.env.SLOWEST_FILES ?? 0);
    const used = processorTimes();
    const slowest = testResults
      .map(({ testFilePath: path, perfStats }) => ({ path, ms: perfStats.runtime, used: used.get(path) ?? '?' }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, count);
    for (const { path, ms, used } of slowest) {
      const wall = (ms / 1000).toFixed(1).padStart(7);
      process.stderr.write(`${wall} s, ${used.padStart(7)} s of a processor  ${relative(process.cwd(), path)}\n`);
    }
  }
}
