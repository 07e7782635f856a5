import { Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { BearerOnly, Cors, CredentialFree, CurrentIdentity, OAuthScope, RateLimit } from '../../policy/decorators.js';
import type { BearerIdentity } from '../../policy/identity.js';
import { OpenIdProvider } from './openid-provider.service.js';

@Controller()
export class OpenIdController {
  constructor(private readonly provider: OpenIdProvider) {}

  /** Get the OpenID Provider metadata (OpenID Connect Discovery). URLs come from the configuration. */
  @Get('.well-known/openid-configuration')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Header('Cache-Control', 'public, max-age=300')
  describe() {
    return this.provider.metadata();
  }

  /** Get claims about the user who granted the access token. */
  @Get('v1/oauth2/openid/userinfo')
  @BearerOnly()
  @OAuthScope('openid')
  @RateLimit('oauth:introspect')
  @Cors('any')
  userInfo(@CurrentIdentity() me: BearerIdentity) {
    return this.provider.userInfo(me);
  }

  /** Get the same claims with POST. */
  @Post('v1/oauth2/openid/userinfo')
  @HttpCode(200)
  @BearerOnly()
  @OAuthScope('openid')
  @RateLimit('oauth:introspect')
  @Cors('any')
  userInfoByPost(@CurrentIdentity() me: BearerIdentity) {
    return this.provider.userInfo(me);
  }
}
