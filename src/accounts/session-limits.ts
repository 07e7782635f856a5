import type { Config } from '../core/config/config.js';

type Limits = Pick<Config, 'sessionMaxSeconds' | 'sessionIdleSeconds'>;

/** Uses are written once a minute: one that is not written yet lengthens a session, too. */
const WRITTEN_WITHIN_SECONDS = 60;

const conditionsOf = ({ sessionMaxSeconds, sessionIdleSeconds }: Limits): string[] => [
  ...(sessionMaxSeconds > 0 ? [`created_at > now() - interval '${sessionMaxSeconds} seconds'`] : []),
  ...(sessionIdleSeconds > 0
    ? [`last_used_at > now() - interval '${sessionIdleSeconds + WRITTEN_WITHIN_SECONDS} seconds'`]
    : []),
];

/** What a live session has to meet beside not being revoked (auth.md, precisions), to be added to a condition on its row. */
export const withinLimits = (limits: Limits, row = 'session'): string =>
  conditionsOf(limits)
    .map((condition) => ` AND ${row}.${condition}`)
    .join('');

/** The rows of `session` that reached a limit, found by the age that all of them have; null where nothing limits them. */
export function beyondLimits(limits: Limits): string | null {
  const conditions = conditionsOf(limits);
  if (conditions.length === 0) return null;
  const seconds = [limits.sessionMaxSeconds, limits.sessionIdleSeconds].filter((limit) => limit > 0);
  const age = `created_at < now() - interval '${Math.min(...seconds)} seconds'`;
  return `revoked_at IS NULL AND ${age} AND NOT (${conditions.join(' AND ')})`;
}
