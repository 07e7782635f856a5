import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, RateLimit, RequiresSudo, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import {
  PasskeyPath,
  RegisterPasskeyInput,
  RegistrationOptionsInput,
  RenamePasskeyInput,
  TwoFactorInput,
} from './passkeys.dto.js';
import { Passkeys } from './passkeys.service.js';

@Controller('v1/users/@me/mfa/webauthn')
export class PasskeysController {
  constructor(private readonly passkeys: Passkeys) {}

  /** List the caller's passkeys. */
  @Get('credentials')
  @UserOnly()
  @RateLimit('mfa:webauthn:list')
  list(@CurrentIdentity() me: SessionIdentity) {
    return this.passkeys.list(me.account.id);
  }

  /** Get the WebAuthn options to create a passkey. */
  @Post('credentials/registration-options')
  @HttpCode(200)
  @UserOnly()
  @RequiresSudo({ issuesProof: false })
  @RateLimit('mfa:webauthn:registration_options')
  registrationOptions(@CurrentIdentity() me: SessionIdentity, @Body() { mediation }: RegistrationOptionsInput) {
    return this.passkeys.registrationOptions(me, mediation);
  }

  /** Store a passkey. */
  @Post('credentials')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('mfa:webauthn:register')
  register(@CurrentIdentity() me: SessionIdentity, @Body() input: RegisterPasskeyInput, @CurrentCall() call: Call) {
    return this.passkeys.register(me, input, getOrigin(call));
  }

  /** Rename a passkey. */
  @Patch('credentials/:credential_id')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('mfa:webauthn:update')
  rename(@CurrentIdentity() me: SessionIdentity, @Param() path: PasskeyPath, @Body() { name }: RenamePasskeyInput) {
    return this.passkeys.rename(me, path.credential_id, name);
  }

  /** Delete a passkey. */
  @Delete('credentials/:credential_id')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ voidsProofs: true })
  @RateLimit('mfa:webauthn:delete')
  remove(@CurrentIdentity() me: SessionIdentity, @Param() path: PasskeyPath, @CurrentCall() call: Call) {
    return this.passkeys.remove(me, path.credential_id, getOrigin(call));
  }

  /** Set whether a passkey is required after the password. */
  @Put('two-factor')
  @UserOnly()
  @RequiresSudo()
  @RateLimit('mfa:webauthn:two_factor')
  setSecondFactor(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { enabled }: TwoFactorInput,
    @CurrentCall() call: Call,
  ) {
    return this.passkeys.setSecondFactor(me, enabled, getOrigin(call));
  }
}
