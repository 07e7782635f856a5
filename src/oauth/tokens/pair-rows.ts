import type { Config } from '../../core/config/config.js';

/** What is stored of a pair of tokens. */
export interface PairRows {
  readonly accessId: string;
  readonly accessDigest: Buffer;
  readonly refreshId: string;
  readonly refreshDigest: Buffer;
}

/** Seconds that the tokens of a pair live at most: none outlives a family that begins with it. */
export function livesOf({ accessSeconds, refreshSeconds, familySeconds }: Config['oauth']) {
  const most = familySeconds || Number.POSITIVE_INFINITY;
  return { access: Math.min(accessSeconds, most), refresh: Math.min(refreshSeconds, most) };
}

/** Exchanges, or rotations, of one application that are one statement. */
export const PAIRS_AT_ONCE = 50;

/** The columns `access_id`, `access_digest`, `refresh_id` and `refresh_digest` of pairs. */
export const pairColumns = (pairs: readonly PairRows[]): unknown[][] => [
  pairs.map(({ accessId }) => accessId),
  pairs.map(({ accessDigest }) => accessDigest),
  pairs.map(({ refreshId }) => refreshId),
  pairs.map(({ refreshDigest }) => refreshDigest),
];

/**
 * Whether a use of a row was over when the request began that `began` names, in milliseconds. Before that moment nobody can
 * have known of it, so a second use is a race and gives nothing away; afterwards it is a replay. A use that was never settled
 * was cut off.
 */
export const wasOver = (used: string, settled: string, began: string): string =>
  `coalesce(${settled}, ${used} + interval '10 seconds') <= to_timestamp(${began}::float8 / 1000)`;
