import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../accounts/events/origin.js';
import { Token64 } from '../auth/factors/fields.js';
import { SudoInput } from '../auth/sudo/sudo.dto.js';
import { ListOf } from '../http/input.js';
import type { Call } from '../policy/call.js';
import {
  AllowSuspicious,
  CurrentCall,
  CurrentIdentity,
  Public,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../policy/decorators.js';
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

/** Account lockdown (web.md section 5). */
@Controller('v1')
export class LockdownController {
  constructor(private readonly lockdown: Lockdown) {}

  /**
   * Revoke the caller's sessions or, in sudo mode, all other credentials. Without sudo mode, all sessions end,
   * including the caller's. In sudo mode, everything that can act for the account is revoked, except the calling
   * session.
   */
  @Post('users/@me/lockdown')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo({ isOptional: true, voidsProofs: true })
  @RateLimit('user:lockdown')
  bySession(@CurrentIdentity() me: SessionIdentity, @Body() { include }: LockdownInput, @CurrentCall() call: Call) {
    const origin = getOrigin(call);
    return call.hasSudo ? this.lockdown.bySession(me, include, origin) : this.lockdown.endSessions(me, origin);
  }

  /** Revoke all credentials of an account with the token of an emailed link. The password must be reset afterwards. */
  @Post('auth/lockdown')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:lockdown')
  byLink(@Body() { token }: LockdownTokenInput, @CurrentCall() call: Call) {
    return this.lockdown.byLink(token, getOrigin(call));
  }
}
