import { Controller, Get, Param, Query } from '@nestjs/common';
import { Int, Snowflake } from '../../http/input.js';
import { AllowSuspicious, CurrentIdentity, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { ApplicationPath } from '../applications/application.dto.js';
import { BackchannelLogouts } from './backchannel-logouts.service.js';

class BackchannelLogoutsQuery {
  @Snowflake({ optional: true }) before?: string;
  @Int({ min: 1, max: 100, text: true, optional: true }) limit?: number;
}

@Controller('v1/oauth2/applications/:id/backchannel-logouts')
export class BackchannelLogoutsController {
  constructor(private readonly logouts: BackchannelLogouts) {}

  /** List logout tokens that were delivered to an application of the caller or have failed, newest first. */
  @Get()
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  list(
    @CurrentIdentity() me: SessionIdentity,
    @Param() { id }: ApplicationPath,
    @Query() page: BackchannelLogoutsQuery,
  ) {
    return this.logouts.list(me, id, page);
  }
}
