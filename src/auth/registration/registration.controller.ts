import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, Captcha, CurrentCall, Public, RateLimit } from '../../policy/decorators.js';
import { RegisterInput, SuggestionsInput } from './registration.dto.js';
import { Registration } from './registration.service.js';

@Controller('v1/auth')
export class RegistrationController {
  constructor(private readonly registration: Registration) {}

  /** Register an account. */
  @Post('register')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @Captcha()
  @RateLimit('auth:register')
  register(@Body() input: RegisterInput, @CurrentCall() call: Call) {
    return this.registration.register(input, getOrigin(call), call.req.headers['accept-language']);
  }

  /** Suggest usernames for a display name. */
  @Post('username-suggestions')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:register')
  suggestUsernames(@Body() { global_name }: SuggestionsInput) {
    return this.registration.suggest(global_name);
  }
}
