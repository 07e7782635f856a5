import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AllowSuspicious, CurrentIdentity, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { PhoneCodeInput, PhoneInput } from './phone.dto.js';
import { PhoneVerification } from './phone.service.js';

@Controller('v1/users/@me/phone')
export class PhoneController {
  constructor(private readonly phone: PhoneVerification) {}

  /** Send a verification code to a phone number. */
  @Post('send-verification')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('phone:send_verification')
  send(@CurrentIdentity() me: SessionIdentity, @Body() input: PhoneInput) {
    return this.phone.send(me, input.phone);
  }

  /** Verify a phone number with the code that was sent to it. */
  @Post('verify')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('phone:verify_code')
  verify(@CurrentIdentity() me: SessionIdentity, @Body() input: PhoneCodeInput) {
    return this.phone.verify(me, input);
  }
}
