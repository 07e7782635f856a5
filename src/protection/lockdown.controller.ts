import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { originOf } from '../accounts/events/origin.js';
import { Token64 } from '../auth/factors/fields.js';
import { SudoInput } from '../auth/sudo/sudo.dto.js';
import { ListOf } from '../http/input.js';
import type { Call } from '../policy/call.js';
import { AllowSuspicious, Me, Public, RateLimit, RequiresSudo, TheCall, UserOnly } from '../policy/decorators.js';
import type { SessionIdentity } from '../policy/identity.js';
import { LOCKABLE, Lockdown } from './lockdown.service.js';

type Kind = (typeof LOCKABLE)[number];

class LockdownInput extends SudoInput {
  @ListOf(
    { min: 1, max: LOCKABLE.length, bound: 32, items: { type: 'string', enum: LOCKABLE }, optional: true },
    (kind) => (LOCKABLE.includes(kind as Kind) ? undefined : 'INVALID_FORMAT'),
  )
  include?: Kind[];
}

class LockdownTokenInput {
  @Token64() token: string;
}

/** "This was not me" (web.md section 5). */
@Controller('v1')
export class LockdownController {
  constructor(private readonly lockdown: Lockdown) {}

  /** In sudo mode, ends whatever can act for the caller's account but the session that asks; otherwise, ends all sessions. */
  @Post('users/@me/lockdown')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo({ isOptional: true, voidsProofs: true })
  @RateLimit('user:lockdown')
  bySession(@Me() me: SessionIdentity, @Body() { include }: LockdownInput, @TheCall() call: Call) {
    const origin = originOf(call);
    return call.hasSudo ? this.lockdown.bySession(me, include, origin) : this.lockdown.ofSessions(me, origin);
  }

  /** Ends whatever can act for an account, by the token of a mailed link; its password must be reset next. */
  @Post('auth/lockdown')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:lockdown')
  byLink(@Body() { token }: LockdownTokenInput, @TheCall() call: Call) {
    return this.lockdown.byLink(token, originOf(call));
  }
}
