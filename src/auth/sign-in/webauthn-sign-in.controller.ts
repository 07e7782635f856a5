import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, CurrentCall, Public, RateLimit } from '../../policy/decorators.js';
import { AssertionInput, LoginWebAuthnInput, TicketInput } from './webauthn-sign-in.dto.js';
import { WebAuthnSignIn } from './webauthn-sign-in.service.js';

@Controller('v1/auth')
export class WebAuthnSignInController {
  constructor(private readonly signIn: WebAuthnSignIn) {}

  /** Get the WebAuthn options to complete a sign-in. */
  @Post('login/mfa/webauthn/authentication-options')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:login:mfa')
  mfaOptions(@Body() { ticket }: TicketInput) {
    return this.signIn.mfaOptions(ticket);
  }

  /** Complete a sign-in with a passkey. */
  @Post('login/mfa/webauthn')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:login:mfa')
  completeMfa(@Body() input: LoginWebAuthnInput, @CurrentCall() call: Call) {
    return this.signIn.completeMfa(input, getOrigin(call));
  }

  /** Get the WebAuthn options to sign in without a password. */
  @Post('webauthn/authentication-options')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:webauthn:options')
  options() {
    return this.signIn.options();
  }

  /** Sign in with a passkey. */
  @Post('webauthn/authenticate')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:webauthn:authenticate')
  authenticate(@Body() input: AssertionInput, @CurrentCall() call: Call) {
    return this.signIn.authenticate(input, getOrigin(call));
  }
}
