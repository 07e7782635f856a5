import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Statuses that count for the score. Mutants that could not be compiled or loaded do not count, because the types or
 * any start would detect them.
 */
const JUDGED = new Set(['Killed', 'Timeout', 'Survived', 'NoCoverage']);
const ALIVE = new Set(['Survived', 'NoCoverage']);

/** The text between two positions of Stryker (lines and columns from 1), and the line that it begins in. */
function textAt(source, { start, end }) {
  const lines = source.split('\n');
  const inside = lines.slice(start.line - 1, end.line);
  inside[inside.length - 1] = inside.at(-1).slice(0, end.column - 1);
  inside[0] = inside[0].slice(start.column - 1);
  return { from: inside.join('\n'), line: lines[start.line - 1].trim() };
}

const sameAs = (a) => (b) => a.file === b.file && a.line === b.line && a.from === b.from && a.to === b.to;

/**
 * Compares the surviving mutants with the list of explanations, by file, line, text and replacement. If lines move, an
 * explanation still matches its mutant. `times` is the number of identical mutants in one line that the explanation
 * covers.
 *
 * @param mutants results of Stryker
 * @param explanations entries of `survivors.json`
 * @param root folder of the project
 * @returns `unexplained` survivors, `equivalent` survivors (which no test can kill), and `idle` explanations: those of
 * the mutated files that match no survivor
 */
export function explain(mutants, explanations, root) {
  const files = new Set(mutants.map(({ fileName }) => relative(root, fileName)));
  const listed = explanations.filter(({ file }) => files.has(file));
  const alive = mutants
    .filter(({ status }) => ALIVE.has(status))
    .map(({ fileName, location, replacement, status }) => {
      const file = relative(root, fileName);
      const { from, line } = textAt(readFileSync(join(root, file), 'utf8'), location);
      return {
        file,
        line,
        from,
        to: replacement,
        status,
        place: `${file}:${location.start.line}:${location.start.column}`,
      };
    });
  return {
    unexplained: alive.filter((mutant, index) => {
      const before = alive.slice(0, index).filter(sameAs(mutant)).length;
      const explanation = listed.find(sameAs(mutant));
      return !explanation || before >= (explanation.times ?? 1);
    }),
    equivalent: alive.filter((mutant) => listed.find(sameAs(mutant))?.equivalent),
    idle: listed.filter((entry) => alive.filter(sameAs(entry)).length < (entry.times ?? 1)),
  };
}

/**
 * @returns `score`: percentage of the counted mutants that a test detects, without equivalent ones; `counts` by status
 */
export function scoreOf(mutants, equivalent) {
  const statuses = [...new Set(mutants.map(({ status }) => status))];
  const judged = mutants.filter(({ status }) => JUDGED.has(status));
  const noticed = judged.filter(({ status }) => !ALIVE.has(status));
  return {
    score: (100 * noticed.length) / Math.max(1, judged.length - equivalent.length),
    counts: statuses.map((one) => `${mutants.filter(({ status }) => status === one).length} ${one}`).join(', '),
  };
}

const TIME_LIMIT = /Exceeded timeout| did not happen$/m;

/**
 * Mutants that a test detected only because something took too long. On a busy machine, a run that is only slow looks
 * the same.
 *
 * @returns their places: file, line and column
 */
export function detectedByTime(mutants, root) {
  return mutants
    .filter(
      ({ status, statusReason }) => status === 'Timeout' || (status === 'Killed' && TIME_LIMIT.test(statusReason)),
    )
    .map(({ fileName, location: { start } }) => `${relative(root, fileName)}:${start.line}:${start.column}`);
}
