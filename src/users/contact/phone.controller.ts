import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { plainName } from '../../core/text.js';
import { field, Text } from '../../http/input.js';
import { AllowSuspicious, Me, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { PhoneVerification } from './phone.service.js';

const NUMBER = /^\+[1-9]\d{1,14}$/;
/** Before trimming. */
const MAX_LENGTH = 256;

/** A number in E.164 form, after trimming and removal of control characters. */
function PhoneNumber(): PropertyDecorator {
  const description = { type: String, pattern: NUMBER.source, example: '+491701234567' };
  const convert = (value: unknown) => (typeof value === 'string' ? plainName(value) : value);
  const bound = { bound: MAX_LENGTH, tooLong: 'PHONE_NUMBER_INVALID_FORMAT' } as const;
  return field({ ...bound, description, convert }, (value) => {
    if (typeof value !== 'string') return 'INVALID_FORMAT';
    return NUMBER.test(value) ? undefined : 'PHONE_NUMBER_INVALID_FORMAT';
  });
}

export class PhoneInput {
  @PhoneNumber() phone: string;
}

export class PhoneCodeInput extends PhoneInput {
  @Text({ min: 1, max: 32 }) code: string;
}

@Controller('v1/users/@me/phone')
export class PhoneController {
  constructor(private readonly phone: PhoneVerification) {}

  /** Sends a verification code to a phone number. */
  @Post('send-verification')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('phone:send_verification')
  send(@Me() me: SessionIdentity, @Body() input: PhoneInput) {
    return this.phone.send(me, input.phone);
  }

  /** Verifies a phone number by the code that was sent to it. */
  @Post('verify')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('phone:verify_code')
  verify(@Me() me: SessionIdentity, @Body() input: PhoneCodeInput) {
    return this.phone.verify(me, input);
  }
}
