import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, Public, RateLimit } from '../../policy/decorators.js';
import { CompleteSsoInput, StartSsoInput } from './sso.dto.js';
import { SsoService } from './sso.service.js';
import { SsoConfiguration } from './sso-configuration.service.js';

@Controller('v1/auth/sso')
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly configuration: SsoConfiguration,
  ) {}

  /** Check whether single sign-on is enabled and enforced. */
  @Get('status')
  @Public()
  @RateLimit('auth:sso:start')
  status() {
    return this.configuration.status();
  }

  /** Start single sign-on. */
  @Post('start')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:sso:start')
  start(@Body() input: StartSsoInput) {
    return this.sso.start(input);
  }

  /** Sign in with the code from the identity provider. */
  @Post('complete')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:sso:complete')
  complete(@Body() input: CompleteSsoInput, @CurrentCall() call: Call) {
    return this.sso.complete(input, getOrigin(call));
  }
}
