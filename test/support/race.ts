import type { TestResponse } from './exchange.js';

/** The results of attempts that ran at the same time. */
export interface Race {
  /** The responses, in the order of the attempts. */
  readonly responses: readonly TestResponse[];
  /** The number of responses by status: `{ 200: 1, 404: 31 }`. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The number of responses by error code, without successes: `{ NOTES_NOT_FOUND: 31 }`. */
  readonly codes: Readonly<Record<string, number>>;
  /** The responses with a status. */
  of(status: number): readonly TestResponse[];
}

const countsOf = <K extends string | number>(keys: readonly K[]): Record<K, number> => {
  const counts = {} as Record<K, number>;
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

/**
 * Starts all attempts before it waits for any of them. Use it for operations that may succeed once, or only up to a
 * limit.
 * @throws the error of the first attempt that failed, after all attempts have ended
 */
export async function race(count: number, attempt: (index: number) => PromiseLike<TestResponse>): Promise<Race> {
  const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => attempt(index)));
  const responses = results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return {
    responses: responses,
    statuses: countsOf(responses.map(({ status }) => status)),
    codes: countsOf(responses.flatMap(({ body }) => (typeof body?.code === 'string' ? [body.code as string] : []))),
    of: (wanted) => responses.filter(({ status }) => status === wanted),
  };
}
