import { Body, Controller, Get, Header, HttpCode, Post, Query } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import { Answers } from '../../policy/answers.js';
import type { Call } from '../../policy/call.js';
import { AllowSuspicious, Me, Public, RateLimit, TheCall, UserOnly } from '../../policy/decorators.js';
import type { Identity, SessionIdentity } from '../../policy/identity.js';
import { AuthorizeService } from './authorize.service.js';
import { AuthorizeQuery, ConsentInput } from './oauth.dto.js';

@Controller('v1/oauth2/authorize')
export class AuthorizeController {
  constructor(private readonly authorization: AuthorizeService) {}

  /** Starts an authorization in the browser. */
  @Get()
  @HttpCode(302)
  @Public()
  @RateLimit('oauth:authorize')
  @Answers({ headers: ['Location'], description: 'Back to the application, or to the consent page' })
  async authorize(@Me() me: Identity | null, @Query() query: AuthorizeQuery, @TheCall() { res }: Call) {
    res.setHeader('Location', await this.authorization.authorize(me, query));
  }

  /** Grants or denies the authorization request of an application. */
  @Post('consent')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth:authorize')
  @Header('Pragma', 'no-cache')
  consent(@Me() me: SessionIdentity, @Body() input: ConsentInput, @TheCall() call: Call) {
    return this.authorization.consent(me, input, originOf(call));
  }
}
