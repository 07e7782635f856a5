/**
 * A mark is a position in the journal of Gatehouse: the identity of the journal, and a number at the end
 * (forward-auth.md section 3).
 */
const MARK = /^(.*?)(\d{1,20})$/s;

/**
 * Whether a mark is certainly not before another one.
 * @returns false if a mark is missing or malformed, or if the two are of different journals
 */
export function reaches(mark: string | undefined, other: string): boolean {
  const [, journal, number] = MARK.exec(mark ?? '') ?? [];
  const [, otherJournal, otherNumber] = MARK.exec(other) ?? [];
  if (number === undefined || otherNumber === undefined || journal !== otherJournal) return false;
  return BigInt(number) >= BigInt(otherNumber);
}
