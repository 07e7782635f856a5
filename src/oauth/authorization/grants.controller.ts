import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  AllowSuspicious,
  BearerOnly,
  Cors,
  CurrentCall,
  CurrentIdentity,
  OAuthScope,
  RateLimit,
  UserOnly,
} from '../../policy/decorators.js';
import type { BearerIdentity, SessionIdentity } from '../../policy/identity.js';
import { AuthorizationPath, RevokeAuthorizationsInput } from './oauth.dto.js';
import { OwnGrants } from './own-grants.service.js';

@Controller('v1/oauth2')
export class GrantsController {
  constructor(private readonly grants: OwnGrants) {}

  /** Get the account that granted the access token. */
  @Get('userinfo')
  @BearerOnly()
  @OAuthScope('identify')
  @RateLimit('oauth:introspect')
  @Cors('any')
  userInfo(@CurrentIdentity() me: BearerIdentity) {
    return this.grants.userInfo(me);
  }

  /** Get the authorization of the access token. */
  @Get('@me')
  @BearerOnly()
  @RateLimit('oauth:introspect')
  @Cors('any')
  current(@CurrentIdentity() me: BearerIdentity) {
    return this.grants.current(me);
  }

  /** List the applications that the caller has authorized. */
  @Get('@me/authorizations')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  list(@CurrentIdentity() me: SessionIdentity) {
    return this.grants.list(me);
  }

  /** Revoke the caller's authorization of an application. */
  @Delete('@me/authorizations/:applicationId')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth:introspect')
  revoke(
    @CurrentIdentity() me: SessionIdentity,
    @Param() { applicationId }: AuthorizationPath,
    @CurrentCall() call: Call,
  ) {
    return this.grants.revoke(me, [applicationId], getOrigin(call));
  }

  /** Revoke the caller's authorizations of several applications. */
  @Post('@me/authorizations/revoke')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth:introspect')
  revokeMany(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { application_ids }: RevokeAuthorizationsInput,
    @CurrentCall() call: Call,
  ) {
    return this.grants.revoke(me, application_ids, getOrigin(call));
  }
}
