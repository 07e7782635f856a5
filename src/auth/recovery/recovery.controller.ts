import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  AllowSuspicious,
  BlockedBySso,
  Captcha,
  CurrentCall,
  CurrentIdentity,
  Public,
  RateLimit,
  UserOnly,
} from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { EmailRevert } from './email-revert.service.js';
import { EmailVerification } from './email-verification.service.js';
import { ForgotInput, ResetInput, RevertEmailInput, TokenInput } from './recovery.dto.js';
import { Recovery } from './recovery.service.js';

@Controller('v1/auth')
export class RecoveryController {
  constructor(
    private readonly verification: EmailVerification,
    private readonly recovery: Recovery,
    private readonly reverts: EmailRevert,
  ) {}

  /** Verify an email address with the token that was sent to it. */
  @Post('verify')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:verify')
  verify(@Body() { token }: TokenInput) {
    return this.verification.verify(token);
  }

  /** Send the verification email again. */
  @Post('verify/resend')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @BlockedBySso()
  @RateLimit('auth:verify:resend')
  resendVerification(@CurrentIdentity() me: SessionIdentity) {
    return this.verification.resend(me);
  }

  /** Send a password reset link if the account exists. */
  @Post('forgot')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @Captcha()
  @RateLimit('auth:forgot')
  forgot(@Body() { email }: ForgotInput, @CurrentCall() call: Call) {
    return this.recovery.request(email, getOrigin(call));
  }

  /** Check whether the token of a password reset is still valid. */
  @Get('reset/:token')
  @Public()
  @BlockedBySso()
  @RateLimit('auth:reset:validate')
  async validateReset(@Param() { token }: TokenInput) {
    return { valid: await this.recovery.isValid(token) };
  }

  /** Set a new password with the token of a password reset. */
  @Post('reset')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:reset')
  reset(@Body() input: ResetInput, @CurrentCall() call: Call) {
    return this.recovery.reset(input, getOrigin(call));
  }

  /** Revert a change of the email address with the token of an email. */
  @Post('email-revert')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:email_revert')
  revertEmail(@Body() input: RevertEmailInput, @CurrentCall() call: Call) {
    return this.reverts.revert(input, getOrigin(call));
  }
}
