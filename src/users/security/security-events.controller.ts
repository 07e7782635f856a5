import { Controller, Get, Query } from '@nestjs/common';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { Int, Snowflake } from '../../http/input.js';
import { AllowSuspicious, CurrentIdentity, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';

class EventsQuery {
  @Snowflake({ optional: true }) before?: string;
  @Int({ min: 1, max: 100, text: true, optional: true }) limit?: number;
}

@Controller('v1/users/@me/security-events')
export class SecurityEventsController {
  constructor(private readonly events: SecurityEvents) {}

  /** List the security events of the caller's account, newest first. */
  @Get()
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:security_events')
  list(@CurrentIdentity() { account }: SessionIdentity, @Query() page: EventsQuery) {
    return this.events.list(account.id, page);
  }
}
