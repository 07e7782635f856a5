import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, RateLimit, RequiresSudo, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { Lifecycle } from './lifecycle.service.js';

@Controller('v1/users/@me')
export class LifecycleController {
  constructor(private readonly lifecycle: Lifecycle) {}

  /** Delete the trusted networks from which sign-ins were confirmed. */
  @Delete('authorized-ips')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:authorized_ips:forget')
  forgetIps(@CurrentIdentity() me: SessionIdentity) {
    return this.lifecycle.forgetIps(me);
  }

  /** Schedule the deletion of the caller's account. */
  @Post('delete')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ voidsProofs: true })
  @RateLimit('user:account:delete')
  scheduleDeletion(@CurrentIdentity() me: SessionIdentity, @CurrentCall() call: Call) {
    return this.lifecycle.scheduleDeletion(me, getOrigin(call));
  }

  /** Accept the current terms of service. */
  @Post('terms-acceptance')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:update')
  acceptTerms(@CurrentIdentity() me: SessionIdentity) {
    return this.lifecycle.acceptTerms(me);
  }
}
