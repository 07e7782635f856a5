import type { Tx } from './database.js';

const FETCH_SIZE = 100;
const cursorCounts = new WeakMap<Tx, number>();

/**
 * Streams the rows of a SELECT with a cursor, at most 100 in memory. All rows come from the snapshot of the moment at
 * which the first one is read.
 */
export async function* streamRows<R = Record<string, unknown>>(
  tx: Tx,
  select: string,
  values: readonly unknown[] = [],
): AsyncGenerator<R> {
  const number = (cursorCounts.get(tx) ?? 0) + 1;
  cursorCounts.set(tx, number);
  const cursor = `rows_${number}`;
  await tx.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`, [...values]);
  for (let found: R[]; ; ) {
    found = await tx.query<R[]>(`FETCH ${FETCH_SIZE} FROM ${cursor}`);
    yield* found;
    if (found.length < FETCH_SIZE) break;
  }
  await tx.query(`CLOSE ${cursor}`);
}
