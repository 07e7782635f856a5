import { Controller, Get } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { DailyStatistics } from './daily-statistics.service.js';

/** Statistics of past days (contract/admin.md, precisions). */
@Controller('v1/admin/instance/statistics')
export class StatisticsController {
  constructor(private readonly statistics: DailyStatistics) {}

  /** Get the statistics of the last 30 days in UTC. */
  @Get('daily')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  showDaily() {
    return this.statistics.show();
  }
}
