import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { parseSecret } from '../../auth/factors/factors.service.js';
import { originOf } from '../../auth/sessions/sessions.service.js';
import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { field, Text } from '../../http/input.js';
import type { Call } from '../../policy/call.js';
import { Me, RateLimit, RequiresSudo, TheCall, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { TotpService } from './totp.service.js';

/** Base32 as clients show it; 16 to 64 bytes. */
function TotpSecret(): PropertyDecorator {
  const description = { type: String, minLength: 1, maxLength: 256, example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' };
  return field({ bound: 256, description }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    return parseSecret(value) ? undefined : 'INVALID_FORMAT';
  });
}

export class EnableTotpInput extends SudoInput {
  @TotpSecret() secret: string;
  @Text({ min: 1, max: 32 }) code: string;
}

export class DisableTotpInput extends SudoInput {
  @Text({ min: 1, max: 32 }) code: string;
}

@Controller('v1/users/@me/mfa/totp')
export class TotpController {
  constructor(private readonly totp: TotpService) {}

  /** Sets an authenticator up. */
  @Post('enable')
  @HttpCode(200)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:mfa:totp:enable')
  enable(@Me() me: SessionIdentity, @Body() input: EnableTotpInput, @TheCall() call: Call) {
    return this.totp.enable(me, input, originOf(call));
  }

  /** Removes the authenticator. */
  @Post('disable')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ voidsProofs: true })
  @RateLimit('user:mfa:totp:disable')
  disable(@Me() me: SessionIdentity, @Body() { code }: DisableTotpInput, @TheCall() call: Call) {
    const { mfa_method, mfa_code } = call.sudoMembers ?? {};
    const isSpent = call.sudoFactorSpent && mfa_method === 'totp' && mfa_code === code;
    return this.totp.disable(me, code, isSpent, originOf(call));
  }
}
