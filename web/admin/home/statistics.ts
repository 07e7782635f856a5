import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { language } from '../../core/language.js';

export type Day = ResponseBody<paths, '/v1/admin/instance/statistics/daily', 'get'>['days'][number];

/** A day in UTC, such as `Nov 27`. */
export const dayName = (day: string): string =>
  new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(day));

export const failuresOf = ({ failures }: Day): number => Object.values(failures).reduce((sum, count) => sum + count, 0);

export interface Cause {
  readonly code: string;
  readonly count: number;
}

/** Error codes of failed sign-ins over all days, most frequent first. */
export function causesOf(days: readonly Day[]): Cause[] {
  const counts = new Map<string, number>();
  for (const { failures } of days)
    for (const [code, count] of Object.entries(failures)) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || a.code.localeCompare(b.code, 'en'));
}
