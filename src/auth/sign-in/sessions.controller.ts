import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  AllowSuspicious,
  Authenticated,
  Me,
  RateLimit,
  RequiresSudo,
  TheCall,
  UserOnly,
} from '../../policy/decorators.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import { SessionService } from '../sessions/sessions.service.js';
import { EndSessionsInput } from './end-sessions.dto.js';

@Controller('v1/auth')
export class SessionsController {
  constructor(private readonly sessions: SessionService) {}

  /** Ends the session of the caller. */
  @Post('logout')
  @HttpCode(204)
  @Authenticated()
  @AllowSuspicious()
  @RateLimit('auth:logout')
  async logout(@Me() me: SessionIdentity | BotIdentity, @TheCall() call: Call) {
    if (me.via === 'session') await this.sessions.end(me, originOf(call));
  }

  /** Lists the sessions of the caller. */
  @Get('sessions')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('auth:sessions')
  list(@Me() me: SessionIdentity) {
    return this.sessions.list(me);
  }

  /** Ends some of the caller's sessions. */
  @Post('sessions/logout')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('auth:sessions:logout')
  async end(@Me() me: SessionIdentity, @Body() { session_id_hashes }: EndSessionsInput, @TheCall() call: Call) {
    const isEverywhere = await this.sessions.revokeByHash(me, session_id_hashes, originOf(call));
    // Signing out everywhere also revokes the sudo proof of this request, which is only known now.
    if (isEverywhere) call.res.removeHeader('X-Service-Sudo-Mode-JWT');
  }
}
