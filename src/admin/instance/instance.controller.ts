import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import type { Call } from '../../policy/call.js';
import { AdminAcl, CurrentCall, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import {
  CaptchaTestInput,
  DecideRegistrationInput,
  InstanceConfigInput,
  PendingPath,
  PendingQuery,
} from './instance.dto.js';
import { InstanceConfig } from './instance-config.service.js';
import { InstanceStatistics } from './instance-statistics.service.js';
import { IntegrationTests } from './integration-tests.service.js';
import { PendingRegistrations } from './pending-registrations.service.js';

/** The configuration of the instance and pending registrations (admin.md section 9). */
@Controller('v1/admin/instance')
export class InstanceController {
  constructor(
    private readonly config: InstanceConfig,
    private readonly pending: PendingRegistrations,
    private readonly statistics: InstanceStatistics,
    private readonly integrationTests: IntegrationTests,
  ) {}

  /** Get the settings of the instance. */
  @Get('config')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  show() {
    return this.config.show();
  }

  /** Change settings of the instance. */
  @Patch('config')
  @AdminAcl('instance:config:update')
  @RateLimit('admin:user:modify')
  change(@CurrentOperator() by: Operator, @Body() input: InstanceConfigInput) {
    return this.config.change(by, input);
  }

  /** Get current statistics of the instance, per replica and in total. */
  @Get('statistics')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  showStatistics() {
    return this.statistics.show();
  }

  /** Test the stored configuration of single sign-on. */
  @Post('sso/test')
  @HttpCode(200)
  @AdminAcl('*')
  @RateLimit('admin:lookup')
  tryOutSso(@CurrentOperator() by: Operator) {
    return this.integrationTests.sso(by);
  }

  /** Send a test email to the caller and report whether it was sent. */
  @Post('mail/test')
  @HttpCode(200)
  @AdminAcl('instance:config:update')
  @RateLimit('admin:lookup')
  tryOutMail(@CurrentOperator() by: Operator) {
    return this.integrationTests.mail(by);
  }

  /** Test a solved captcha the way captchas of users are verified. */
  @Post('captcha/test')
  @HttpCode(200)
  @AdminAcl('instance:config:update')
  @RateLimit('admin:lookup')
  tryOutCaptcha(@CurrentOperator() by: Operator, @Body() input: CaptchaTestInput, @CurrentCall() { address }: Call) {
    return this.integrationTests.captcha(by, input, address);
  }

  /** List registrations that wait for approval. */
  @Get('pending-registrations')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  list(@CurrentOperator() by: Operator, @Query() query: PendingQuery) {
    return this.pending.list(by, query);
  }

  /** Approve or reject a registration. */
  @Patch('pending-registrations/:user_id')
  @AdminAcl('instance:config:update')
  @RateLimit('admin:user:modify')
  decide(
    @CurrentOperator() by: Operator,
    @Param() { user_id }: PendingPath,
    @Body() { status }: DecideRegistrationInput,
  ) {
    return this.pending.decide(by, user_id, status);
  }
}
