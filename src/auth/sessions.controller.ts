import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { AllowSuspicious, Authenticated, Me, RateLimit, RequiresSudo, UserOnly } from '../policy/decorators.js';
import type { BotIdentity, SessionIdentity } from '../policy/identity.js';
import { SessionService } from './sessions.service.js';
import { EndSessionsInput } from './sign-in.dto.js';

@Controller('v1/auth')
export class SessionsController {
  constructor(private readonly sessions: SessionService) {}

  @Post('logout')
  @HttpCode(204)
  @Authenticated()
  @AllowSuspicious()
  @RateLimit('auth:logout')
  async logout(@Me() me: SessionIdentity | BotIdentity) {
    if (me.via === 'session') await this.sessions.revokeOne(me.sessionId);
  }

  @Get('sessions')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('auth:sessions')
  list(@Me() me: SessionIdentity) {
    return this.sessions.list(me);
  }

  @Post('sessions/logout')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('auth:sessions:logout')
  end(@Me() me: SessionIdentity, @Body() { session_id_hashes }: EndSessionsInput) {
    return this.sessions.revokeByHash(me.account.id, session_id_hashes);
  }
}
