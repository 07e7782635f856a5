import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, Captcha, CurrentCall, Public, RateLimit } from '../../policy/decorators.js';
import { LoginInput, LoginTotpInput } from './sign-in.dto.js';
import { SignInService } from './sign-in.service.js';

@Controller('v1/auth')
export class SignInController {
  constructor(private readonly signIn: SignInService) {}

  /** Sign in with an email address and a password. */
  @Post('login')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @Captcha()
  @RateLimit('auth:login')
  login(@Body() input: LoginInput, @CurrentCall() call: Call) {
    return this.signIn.login(input, getOrigin(call));
  }

  /** Complete a sign-in with a TOTP code or a backup code. */
  @Post('login/mfa/totp')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:login:mfa')
  completeWithCode(@Body() input: LoginTotpInput, @CurrentCall() call: Call) {
    return this.signIn.completeWithCode(input, getOrigin(call));
  }
}
