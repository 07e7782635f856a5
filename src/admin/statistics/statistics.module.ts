import { Module } from '@nestjs/common';
import { AccountCount } from './account-count.service.js';
import { DailyCounters } from './daily-counters.service.js';
import { DailyStatistics } from './daily-statistics.service.js';
import { StatisticsController } from './statistics.controller.js';

/** Daily statistics of the instance. */
@Module({
  controllers: [StatisticsController],
  providers: [AccountCount, DailyCounters, DailyStatistics],
})
export class StatisticsModule {}
