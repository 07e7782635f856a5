import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentIdentity, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { SudoService } from './sudo.service.js';

/** Requests that a client makes before it enters sudo mode (account.md 6.4). */
@Controller('v1/users/@me/sudo')
export class SudoController {
  constructor(private readonly sudo: SudoService) {}

  /** List the methods that the caller can use for sudo mode. */
  @Get('mfa-methods')
  @UserOnly()
  @RateLimit('sudo:mfa:methods')
  methods(@CurrentIdentity() { account }: SessionIdentity) {
    return this.sudo.methodsOf(account);
  }

  /** Get the WebAuthn options for sudo mode. */
  @Post('webauthn/authentication-options')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('sudo:webauthn:options')
  options(@CurrentIdentity() { account }: SessionIdentity) {
    return this.sudo.webauthnOptions(account);
  }
}
