import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  AllowSuspicious,
  CurrentCall,
  CurrentIdentity,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { CompleteConnectionInput, IdentityPath, StartLinkInput } from './connections.dto.js';
import { OwnIdentities } from './own-identities.service.js';

@Controller('v1/users/@me/identities')
export class OwnIdentitiesController {
  constructor(private readonly identities: OwnIdentities) {}

  /** List the identities that the caller can sign in with at identity providers. */
  @Get()
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:identities')
  list(@CurrentIdentity() me: SessionIdentity) {
    return this.identities.list(me.account.id);
  }

  /** Start to link an identity of an identity provider to the caller's account. */
  @Post('start')
  @HttpCode(200)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:identities')
  start(@CurrentIdentity() me: SessionIdentity, @Body() input: StartLinkInput) {
    return this.identities.start(me, input);
  }

  /** Link the identity with the code from the identity provider. */
  @Post('complete')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:identities')
  complete(@CurrentIdentity() me: SessionIdentity, @Body() input: CompleteConnectionInput, @CurrentCall() call: Call) {
    return this.identities.complete(me, input, getOrigin(call));
  }

  /** Unlink an identity. The last way to sign in cannot be removed. */
  @Delete(':identity_id')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ voidsProofs: true })
  @RateLimit('user:identities')
  async remove(
    @CurrentIdentity() me: SessionIdentity,
    @Param() { identity_id }: IdentityPath,
    @CurrentCall() call: Call,
  ): Promise<void> {
    await this.identities.remove(me, identity_id, getOrigin(call));
  }
}
