/** A mark of the journal of Gatehouse (forward-auth.md section 3): `<ID>-<seconds since 1970>-<identity of the journal>`. */
const MARK = /^(-?\d{1,16})-\d{1,12}-([0-9a-f]{1,64})$/;

/**
 * Whether a mark is certainly not before another one.
 * @returns false if a mark is missing or malformed, or if the two are of different journals
 */
export function reaches(mark: string | undefined, other: string): boolean {
  const [, id, journal] = MARK.exec(mark ?? '') ?? [];
  const [, otherId, otherJournal] = MARK.exec(other) ?? [];
  return id !== undefined && journal === otherJournal && Number(id) >= Number(otherId);
}
