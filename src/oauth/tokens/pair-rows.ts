import type { Config } from '../../core/config/config.js';

/** The data to store for a pair of tokens. */
export interface PairRows {
  readonly accessId: string;
  readonly accessDigest: Buffer;
  readonly refreshId: string;
  readonly refreshDigest: Buffer;
}

/** Returns the lifetimes of the tokens of a new pair, in seconds. They are limited by the lifetime of the family. */
export function tokenLifetimes({ accessSeconds, refreshSeconds, familySeconds }: Config['oauth']) {
  const most = familySeconds || Number.POSITIVE_INFINITY;
  return { access: Math.min(accessSeconds, most), refresh: Math.min(refreshSeconds, most) };
}

/** Maximum exchanges or rotations of one application in one statement. */
export const PAIRS_AT_ONCE = 50;

/** Returns the columns `access_id`, `access_digest`, `refresh_id` and `refresh_digest` of pairs. */
export const pairColumns = (pairs: readonly PairRows[]): unknown[][] => [
  pairs.map(({ accessId }) => accessId),
  pairs.map(({ accessDigest }) => accessDigest),
  pairs.map(({ refreshId }) => refreshId),
  pairs.map(({ refreshDigest }) => refreshDigest),
];

/**
 * The SQL condition that the earlier use of a row had finished before a request began. `began` is in milliseconds. If
 * the condition is false, the second use is a harmless race, because no client had a response of the first one. If it
 * is true, the second use is a replay. A use that was interrupted before it was settled counts as finished after 10
 * seconds.
 */
export const wasSettledBefore = (used: string, settled: string, began: string): string =>
  `coalesce(${settled}, ${used} + interval '10 seconds') <= to_timestamp(${began}::float8 / 1000)`;
