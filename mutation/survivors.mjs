import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What is neither: it could not be compiled or loaded, which the types or any start at all would tell. */
const JUDGED = new Set(['Killed', 'Timeout', 'Survived', 'NoCoverage']);
const ALIVE = new Set(['Survived', 'NoCoverage']);

/** The text between two places of Stryker (lines and columns from 1), and the line that it begins in. */
function textAt(source, { start, end }) {
  const lines = source.split('\n');
  const inside = lines.slice(start.line - 1, end.line);
  inside[inside.length - 1] = inside.at(-1).slice(0, end.column - 1);
  inside[0] = inside[0].slice(start.column - 1);
  return { from: inside.join('\n'), line: lines[start.line - 1].trim() };
}

const sameAs = (a) => (b) => a.file === b.file && a.line === b.line && a.from === b.from && a.to === b.to;

/**
 * The mutants that live against what the list says of them, by file, line, text and replacement: where lines move, an
 * explanation stays with its own. `times` says of how many alike in one line it speaks.
 *
 * @param mutants results of Stryker
 * @param explanations of `survivors.json`
 * @param root of the project
 * @returns `unexplained` mutants; `equivalent` ones, which no test could kill; `idle` explanations of the mutated files
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

/** @returns `score`: percent of the judged mutants that are not equivalent which a test notices; `counts` by status */
export function scoreOf(mutants, equivalent) {
  const statuses = [...new Set(mutants.map(({ status }) => status))];
  const judged = mutants.filter(({ status }) => JUDGED.has(status));
  const noticed = judged.filter(({ status }) => !ALIVE.has(status));
  return {
    score: (100 * noticed.length) / Math.max(1, judged.length - equivalent.length),
    counts: statuses.map((one) => `${mutants.filter(({ status }) => status === one).length} ${one}`).join(', '),
  };
}
