import type { Config } from '../core/config/config.js';

type Limits = Pick<Config, 'sessionMaxSeconds' | 'sessionIdleSeconds'>;

/** The last use is written at most once a minute, so the idle limit allows for one minute more. */
const LAST_USE_WRITE_INTERVAL_SECONDS = 60;

const conditionsOf = ({ sessionMaxSeconds, sessionIdleSeconds }: Limits): string[] => [
  ...(sessionMaxSeconds > 0 ? [`created_at > now() - interval '${sessionMaxSeconds} seconds'`] : []),
  ...(sessionIdleSeconds > 0
    ? [`last_used_at > now() - interval '${sessionIdleSeconds + LAST_USE_WRITE_INTERVAL_SECONDS} seconds'`]
    : []),
];

/** SQL conditions of a live session besides `revoked_at` (auth.md, precisions), to append to a condition on its row. */
export const withinLimitsSql = (limits: Limits, row = 'session'): string =>
  conditionsOf(limits)
    .map((condition) => ` AND ${row}.${condition}`)
    .join('');

/** SQL of the seconds until a session reaches a limit if it is not used again; null without limits. */
export function remainingSecondsSql({ sessionMaxSeconds, sessionIdleSeconds }: Limits): string | null {
  const ends = [
    ...(sessionMaxSeconds > 0 ? [`created_at + interval '${sessionMaxSeconds} seconds'`] : []),
    ...(sessionIdleSeconds > 0
      ? [`last_used_at + interval '${sessionIdleSeconds + LAST_USE_WRITE_INTERVAL_SECONDS} seconds'`]
      : []),
  ];
  return ends.length === 0 ? null : `extract(epoch FROM least(${ends.join(', ')}) - now())::float8`;
}

/**
 * SQL condition for sessions that have reached a limit; null without limits. It includes a minimum age that all of them
 * have, so that an index can be used.
 */
export function beyondLimitsSql(limits: Limits): string | null {
  const conditions = conditionsOf(limits);
  if (conditions.length === 0) return null;
  const seconds = [limits.sessionMaxSeconds, limits.sessionIdleSeconds].filter((limit) => limit > 0);
  const age = `created_at < now() - interval '${Math.min(...seconds)} seconds'`;
  return `revoked_at IS NULL AND ${age} AND NOT (${conditions.join(' AND ')})`;
}
