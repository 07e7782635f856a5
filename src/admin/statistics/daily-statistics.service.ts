import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Database } from '../../platform/database/database.js';
import { DailyCounters, FAILURE_PREFIX } from './daily-counters.service.js';
import { lastDays } from './day.js';

const SHOWN_DAYS = 30;

interface Row {
  readonly day: string;
  readonly kind: string;
  readonly count: string;
}

/** Statistics of the last days (contract/admin.md, `GET /instance/statistics/daily`). */
@Injectable()
export class DailyStatistics {
  constructor(
    private readonly database: Database,
    private readonly counters: DailyCounters,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the last 30 days in UTC, from the oldest to today. Counts of other replicas are up to a minute old. A day
   * without rows has zeros. Until the accounts of today are measured, today has the number of yesterday.
   */
  async show() {
    await this.counters.write();
    const days = lastDays(this.clock.now(), SHOWN_DAYS);
    const rows = await this.database.read((reader) =>
      reader.query<Row[]>(
        'SELECT day::text AS day, kind, count FROM instance_statistics WHERE day BETWEEN $1 AND $2 ORDER BY day, kind',
        [days[0], days.at(-1)],
      ),
    );
    const counts = new Map(days.map((day) => [day, new Map<string, number>()]));
    for (const { day, kind, count } of rows) counts.get(day)?.set(kind, Number(count));
    const [yesterday, today] = [...counts.values()].slice(-2);
    if (today && !today.has('accounts')) today.set('accounts', yesterday?.get('accounts') ?? 0);
    return { days: [...counts].map(([day, ofDay]) => dayView(day, ofDay)) };
  }
}

function dayView(day: string, counts: ReadonlyMap<string, number>) {
  const failures: Record<string, number> = {};
  for (const [kind, count] of counts)
    if (kind.startsWith(FAILURE_PREFIX)) failures[kind.slice(FAILURE_PREFIX.length)] = count;
  return {
    day,
    accounts: counts.get('accounts') ?? 0,
    sign_ups: counts.get('sign_ups') ?? 0,
    sign_ins: counts.get('sign_ins') ?? 0,
    failures,
    deletions: counts.get('deletions') ?? 0,
  };
}
