import type { Answer } from './exchange.js';

/** What came of attempts that ran at the same time. */
export interface Race {
  /** In the order of the attempts. */
  readonly answers: readonly Answer[];
  /** How many answers had a status: `{ 200: 1, 404: 31 }`. */
  readonly statuses: Readonly<Record<number, number>>;
  /** How many answers had a code, success being none: `{ NOTES_NOT_FOUND: 31 }`. */
  readonly codes: Readonly<Record<string, number>>;
  /** The answers with a status. */
  of(status: number): readonly Answer[];
}

const countsOf = <K extends string | number>(keys: readonly K[]): Record<K, number> => {
  const counts = {} as Record<K, number>;
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

/**
 * Starts all attempts before it waits for any: for what may happen once, or as often as a limit says.
 * @throws what the first of them threw, once all have ended
 */
export async function race(count: number, attempt: (index: number) => PromiseLike<Answer>): Promise<Race> {
  const settled = await Promise.allSettled(Array.from({ length: count }, (_, index) => attempt(index)));
  const answers = settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return {
    answers,
    statuses: countsOf(answers.map(({ status }) => status)),
    codes: countsOf(answers.flatMap(({ body }) => (typeof body?.code === 'string' ? [body.code as string] : []))),
    of: (wanted) => answers.filter(({ status }) => status === wanted),
  };
}
