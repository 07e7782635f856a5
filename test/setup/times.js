import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const RECORDED = join(import.meta.dirname, 'times.json');
/** A file that takes twice its recorded time is reported only if the difference is at least this many seconds. */
const LEAST_SECONDS_MORE = 3;

/** CPU seconds of each file on a quiet machine, by its path. They include the programs that the file starts. */
export const recorded = existsSync(RECORDED) ? JSON.parse(readFileSync(RECORDED, 'utf8')) : {};

/** CPU seconds of each file in this run, as recorded by the workers. */
function measured() {
  const path = join(process.env.GATEHOUSE_TEST_DIR ?? '', 'cpu-time.tsv');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return Object.fromEntries(
    lines.map((line) => {
      const [seconds, file] = line.split('\t');
      return [relative(ROOT, file), Number(seconds)];
    }),
  );
}

/**
 * Reports files that take twice their recorded time. `SLOWEST_FILES=10` also lists the ten slowest files.
 * `RECORD_TIMES=1` writes the times of this run to times.json, which also defines the order of files.
 */
export default class Times {
  onRunComplete() {
    const times = Object.entries(measured()).sort(([, one], [, other]) => other - one);
    for (const [path, seconds] of times.slice(0, Number(process.env.SLOWEST_FILES ?? 0))) {
      process.stderr.write(`${seconds.toFixed(1).padStart(7)} s of CPU  ${path}\n`);
    }
    for (const [path, seconds] of times) {
      const before = recorded[path] ?? Number.POSITIVE_INFINITY;
      if (seconds <= 2 * before || seconds < before + LEAST_SECONDS_MORE) continue;
      process.stderr.write(`${path} takes ${seconds.toFixed(1)} s of CPU; ${before.toFixed(1)} s are recorded\n`);
    }
    if (process.env.RECORD_TIMES !== '1') return;
    const all = Object.entries({ ...recorded, ...Object.fromEntries(times) });
    const kept = all.filter(([path]) => existsSync(join(ROOT, path))).sort(([one], [other]) => (one < other ? -1 : 1));
    writeFileSync(RECORDED, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
  }
}
