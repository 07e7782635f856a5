import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { AdminJobs } from './admin-jobs.service.js';
import { JobPath, JobsQuery } from './jobs.dto.js';

/** Background jobs in the Admin API (admin.md, precisions). */
@Controller('v1/admin/jobs')
export class JobsController {
  constructor(private readonly jobs: AdminJobs) {}

  /** List failed or waiting background jobs, and counts the jobs of each name. */
  @Get()
  @AdminAcl('instance:jobs:view')
  @RateLimit('admin:lookup')
  show(@Query() query: JobsQuery) {
    return this.jobs.show(query);
  }

  /** Make a failed background job due again. */
  @Post(':job_id/retry')
  @HttpCode(204)
  @AdminAcl('instance:jobs:retry')
  @RateLimit('admin:user:modify')
  async retry(@CurrentOperator() by: Operator, @Param() { job_id }: JobPath): Promise<void> {
    await this.jobs.retry(by, job_id);
  }
}
