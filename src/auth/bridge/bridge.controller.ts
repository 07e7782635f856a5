import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, CurrentCall, CurrentIdentity, Public, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import {
  CeremonyPath,
  CompleteBridgeInput,
  RedeemBridgeInput,
  StartBridgeInput,
  StartSudoBridgeInput,
} from './bridge.dto.js';
import { PasskeyBridge } from './bridge.service.js';

@Controller('v1/auth/passkey-bridge')
export class BridgeController {
  constructor(private readonly bridge: PasskeyBridge) {}

  /** Start a passkey ceremony that another page completes. */
  @Post()
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:passkey_bridge:start')
  start(@Body() input: StartBridgeInput, @CurrentCall() call: Call) {
    return this.bridge.start(input, getOrigin(call));
  }

  /** Get the WebAuthn options for the page that runs the ceremony. */
  @Post(':ceremony_id/options')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:passkey_bridge:options')
  options(@Param() path: CeremonyPath, @CurrentCall() call: Call) {
    return this.bridge.options(path.ceremony_id, call.req.headers.origin);
  }

  /** Accept the WebAuthn response of the page that runs the ceremony. */
  @Post(':ceremony_id/complete')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:passkey_bridge:complete')
  complete(@Param() path: CeremonyPath, @Body() { response }: CompleteBridgeInput, @CurrentCall() call: Call) {
    return this.bridge.complete(path.ceremony_id, response, getOrigin(call), call.req.headers.origin);
  }

  /** Cancel a passkey ceremony. */
  @Post(':ceremony_id/cancel')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:passkey_bridge:complete')
  cancel(@Param() path: CeremonyPath, @CurrentCall() call: Call) {
    return this.bridge.cancel(path.ceremony_id, call.req.headers.origin);
  }

  /** Sign in with a completed passkey ceremony. */
  @Post(':ceremony_id/redeem')
  @HttpCode(200)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:passkey_bridge:redeem')
  redeem(@Param() path: CeremonyPath, @Body() input: RedeemBridgeInput, @CurrentCall() call: Call) {
    return this.bridge.redeem(path.ceremony_id, input, getOrigin(call));
  }
}

/**
 * The passkey bridge for sudo mode. The steps between start and redeem are the same as for sign-in (account.md 6.4).
 */
@Controller('v1/users/@me/passkey-bridge')
export class SudoBridgeController {
  constructor(private readonly bridge: PasskeyBridge) {}

  /** Start a passkey ceremony for sudo mode that another page completes. */
  @Post()
  @HttpCode(200)
  @UserOnly()
  @RateLimit('sudo:passkey_bridge')
  start(@CurrentIdentity() me: SessionIdentity, @Body() input: StartSudoBridgeInput, @CurrentCall() call: Call) {
    return this.bridge.startSudo(me, input, getOrigin(call));
  }

  /** Exchange a completed ceremony for a sudo proof. */
  @Post(':ceremony_id/redeem')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('sudo:passkey_bridge')
  redeem(
    @CurrentIdentity() me: SessionIdentity,
    @Param() path: CeremonyPath,
    @Body() input: RedeemBridgeInput,
    @CurrentCall() call: Call,
  ) {
    return this.bridge.redeemSudo(me, path.ceremony_id, input, getOrigin(call));
  }
}
