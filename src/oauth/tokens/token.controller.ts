import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { Takes } from '../../policy/answers.js';
import type { Call } from '../../policy/call.js';
import { Accepts, ClientAuth, Cors, RateLimit, TheCall } from '../../policy/decorators.js';
import { clientOf, formOf } from './client-authenticator.service.js';
import { TokenService } from './token.service.js';
import { TokenStatus } from './token-status.service.js';

/** The operations that a client authenticates itself for. Their forms are read by the guard that does it. */
@Controller('v1/oauth2')
export class TokenController {
  constructor(
    private readonly tokens: TokenService,
    private readonly status: TokenStatus,
  ) {}

  /** Issues an access token for a code, a refresh token or the client itself. */
  @Post('token')
  @HttpCode(200)
  @ClientAuth()
  @Accepts('form')
  @RateLimit('oauth:token')
  @Cors('any')
  @Header('Pragma', 'no-cache')
  @Takes({ type: 'application/x-www-form-urlencoded' })
  async issue(@TheCall() call: Call) {
    return this.tokens.issue(clientOf(call), await formOf(call));
  }

  /** Tells a client what a token is worth. */
  @Post('introspect')
  @HttpCode(200)
  @ClientAuth({ confidential: true })
  @Accepts('form')
  @RateLimit('oauth:introspect')
  @Header('Pragma', 'no-cache')
  @Takes({ type: 'application/x-www-form-urlencoded' })
  async introspect(@TheCall() call: Call) {
    return this.status.introspect(clientOf(call), await formOf(call));
  }

  /** Revokes a token. */
  @Post('token/revoke')
  @HttpCode(200)
  @ClientAuth()
  @Accepts('form')
  @RateLimit('oauth:introspect')
  @Cors('any')
  @Header('Pragma', 'no-cache')
  @Takes({ type: 'application/x-www-form-urlencoded' })
  async revoke(@TheCall() call: Call) {
    await this.status.revoke(clientOf(call), await formOf(call));
  }
}
