import { Body, Controller, Get, Header, HttpCode, Post, Query } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import { ApiResponses } from '../../policy/answers.js';
import type { Call } from '../../policy/call.js';
import { AllowSuspicious, CurrentCall, CurrentIdentity, Public, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { Identity, SessionIdentity } from '../../policy/identity.js';
import { AuthorizeService } from './authorize.service.js';
import { AuthorizeQuery, ConsentInput } from './oauth.dto.js';

@Controller('v1/oauth2/authorize')
export class AuthorizeController {
  constructor(private readonly authorization: AuthorizeService) {}

  /** Start an authorization in the browser. */
  @Get()
  @HttpCode(302)
  @Public()
  @RateLimit('oauth:authorize')
  @ApiResponses({ headers: ['Location'], description: 'Back to the application, or to the consent page' })
  async authorize(
    @CurrentIdentity() me: Identity | null,
    @Query() query: AuthorizeQuery,
    @CurrentCall() { res }: Call,
  ) {
    res.setHeader('Location', await this.authorization.authorize(me, query));
  }

  /** Grant or deny the authorization request of an application. */
  @Post('consent')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth:authorize')
  @Header('Pragma', 'no-cache')
  consent(@CurrentIdentity() me: SessionIdentity, @Body() input: ConsentInput, @CurrentCall() call: Call) {
    return this.authorization.consent(me, input, getOrigin(call));
  }
}
