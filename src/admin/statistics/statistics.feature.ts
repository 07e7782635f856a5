import { DailyStatistics1797700000000 } from '../../migrations/1797700000000-daily-statistics.js';
import { defineFeature } from '../../policy/feature.js';
import { AccountCount } from './account-count.service.js';
import { DailyCounters } from './daily-counters.service.js';
import { StatisticsModule } from './statistics.module.js';

/** Statistics of each day: accounts, sign-ups, sign-ins, failed sign-ins by error code, and deletions. */
export const statistics = defineFeature('statistics', {
  modules: [StatisticsModule],
  migrations: [DailyStatistics1797700000000],
  jobs: {
    'statistics:count_accounts': { handler: AccountCount, everySeconds: 60 },
  },
  lifecycle: {
    registered: { required: DailyCounters },
    signedIn: { required: DailyCounters },
    erased: { required: DailyCounters },
  },
  erasure: { instance_statistics: { kept: 'counts without personal data' } },
});

declare module '../../core/merged.js' {
  interface Features {
    statistics: typeof statistics;
  }
}
