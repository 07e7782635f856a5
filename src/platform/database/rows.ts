import type { Tx } from './database.js';

const ROWS = 100;
const opened = new WeakMap<Tx, number>();

/**
 * The rows of a SELECT, read by a cursor of the transaction: however many there are, only some are in memory. They are those
 * of the moment in which the first one is read.
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
