import type { Tx } from './database.js';

const ROWS = 100;
const opened = new WeakMap<Tx, number>();

/**
 * Streams the rows of a SELECT with a cursor, at most 100 in memory. All rows come from the snapshot of the moment at
 * which the first one is read.
 */
export async function* rowsOf<R = Record<string, unknown>>(
  tx: Tx,
  select: string,
  values: readonly unknown[] = [],
): AsyncGenerator<R> {
  const number = (opened.get(tx) ?? 0) + 1;
  opened.set(tx, number);
  const cursor = `rows_${number}`;
  await tx.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`, [...values]);
  for (let found: R[]; ; ) {
    found = await tx.query<R[]>(`FETCH ${ROWS} FROM ${cursor}`);
    yield* found;
    if (found.length < ROWS) break;
  }
  await tx.query(`CLOSE ${cursor}`);
}
