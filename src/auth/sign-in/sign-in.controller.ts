import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, Captcha, Public, RateLimit, TheCall } from '../../policy/decorators.js';
import { LoginInput, LoginTotpInput } from './sign-in.dto.js';
import { SignInService } from './sign-in.service.js';

@Controller('v1/auth')
export class SignInController {
  constructor(private readonly signIn: SignInService) {}

  /** Signs in with an email address and a password. */
  @Post('login')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @Captcha()
  @RateLimit('auth:login')
  login(@Body() input: LoginInput, @TheCall() call: Call) {
    return this.signIn.login(input, originOf(call));
  }

  /** Completes a sign-in with a TOTP code or a backup code. */
  @Post('login/mfa/totp')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:login:mfa')
  completeWithCode(@Body() input: LoginTotpInput, @TheCall() call: Call) {
    return this.signIn.completeWithCode(input, originOf(call));
  }
}
