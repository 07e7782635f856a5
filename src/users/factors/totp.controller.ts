import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, RateLimit, RequiresSudo, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { DisableTotpInput, EnableTotpInput } from './totp.dto.js';
import { TotpService } from './totp.service.js';

@Controller('v1/users/@me/mfa/totp')
export class TotpController {
  constructor(private readonly totp: TotpService) {}

  /** Set up an authenticator app. */
  @Post('enable')
  @HttpCode(200)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:mfa:totp:enable')
  enable(@CurrentIdentity() me: SessionIdentity, @Body() input: EnableTotpInput, @CurrentCall() call: Call) {
    return this.totp.enable(me, input, getOrigin(call));
  }

  /** Remove the authenticator app. */
  @Post('disable')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ voidsProofs: true })
  @RateLimit('user:mfa:totp:disable')
  disable(@CurrentIdentity() me: SessionIdentity, @Body() { code }: DisableTotpInput, @CurrentCall() call: Call) {
    const { mfa_method, mfa_code } = call.sudoMembers ?? {};
    const isSpent = call.sudoFactorSpent && mfa_method === 'totp' && mfa_code === code;
    return this.totp.disable(me, code, isSpent, getOrigin(call));
  }
}
