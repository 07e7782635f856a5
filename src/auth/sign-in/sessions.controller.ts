import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  AllowSuspicious,
  Authenticated,
  CurrentCall,
  CurrentIdentity,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../../policy/decorators.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import { SessionService } from '../sessions/sessions.service.js';
import { EndSessionsInput } from './end-sessions.dto.js';

@Controller('v1/auth')
export class SessionsController {
  constructor(private readonly sessions: SessionService) {}

  /** End the session of the caller. */
  @Post('logout')
  @HttpCode(204)
  @Authenticated()
  @AllowSuspicious()
  @RateLimit('auth:logout')
  async logout(@CurrentIdentity() me: SessionIdentity | BotIdentity, @CurrentCall() call: Call) {
    if (me.via === 'session') await this.sessions.end(me, getOrigin(call));
  }

  /** List the sessions of the caller. */
  @Get('sessions')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('auth:sessions')
  list(@CurrentIdentity() me: SessionIdentity) {
    return this.sessions.list(me);
  }

  /** End some of the caller's sessions. */
  @Post('sessions/logout')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('auth:sessions:logout')
  async end(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { session_id_hashes }: EndSessionsInput,
    @CurrentCall() call: Call,
  ) {
    const isEverywhere = await this.sessions.revokeByHash(me, session_id_hashes, getOrigin(call));
    // Signing out everywhere also revokes the sudo proof of this request, which is only known now.
    if (isEverywhere) call.res.removeHeader('X-Service-Sudo-Mode-JWT');
  }
}
