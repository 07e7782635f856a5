/** Maximum number of wrong characters for which a name is suggested. */
export const MAX_TYPOS = 3;

/** The number of characters to insert, delete or replace between two words. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, a] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, b] of [...other].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (a === b ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A sentence that names the most similar known name; empty if none is similar. */
export function suggest(given: string, known: Iterable<string>): string {
  const [nearest] = [...known]
    .map((name) => [editDistance(given, name), name] as const)
    .filter(([distance]) => distance <= MAX_TYPOS)
    .sort(([a], [b]) => a - b);
  return nearest ? `. Did you mean '${nearest[1]}'?` : '';
}
