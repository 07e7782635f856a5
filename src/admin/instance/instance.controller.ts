import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { By, type Operator } from '../audit/operator.js';
import { DecideRegistrationInput, InstanceConfigInput, PendingPath, PendingQuery } from './instance.dto.js';
import { InstanceConfig } from './instance-config.service.js';
import { PendingRegistrations } from './pending-registrations.service.js';

/** The instance and who asks to join it (admin.md section 9). */
@Controller('v1/admin/instance')
export class InstanceController {
  constructor(
    private readonly config: InstanceConfig,
    private readonly pending: PendingRegistrations,
  ) {}

  @Get('config')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  show() {
    return this.config.show();
  }

  @Patch('config')
  @AdminAcl('instance:config:update')
  @RateLimit('admin:user:modify')
  change(@By() by: Operator, @Body() input: InstanceConfigInput) {
    return this.config.change(by, input);
  }

  /** Tries the stored single sign-on out, before it is enforced (sso.md section 6). */
  @Post('sso/test')
  @HttpCode(200)
  @AdminAcl('*')
  @RateLimit('admin:lookup')
  tryOutSso(@By() by: Operator) {
    return this.config.tryOutSso(by);
  }

  @Get('pending-registrations')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  list(@By() by: Operator, @Query() query: PendingQuery) {
    return this.pending.list(by, query);
  }

  @Patch('pending-registrations/:user_id')
  @AdminAcl('instance:config:update')
  @RateLimit('admin:user:modify')
  decide(@By() by: Operator, @Param() { user_id }: PendingPath, @Body() { status }: DecideRegistrationInput) {
    return this.pending.decide(by, user_id, status);
  }
}
